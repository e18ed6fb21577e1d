"""A profile of ours beside the file of Intel's mpitune_fast, both made on the same testbed, on held-out cells.

    python benchmarks/tune_beside_mpitune.py --profile FOLDER --testbed two-clusters --budget 600

mpitune_fast comes with PyPI's impi-rt. It reads the testbed's hosts from its command line, reaches them through
I_MPI_HYDRA_BOOTSTRAP_EXEC, and starts IMB-MPI1 with Intel MPI's own autotuner; what it finds is a binary file
for I_MPI_TUNING_BIN. It writes nothing before its end, so one operation that does not fit into the budget leaves
it with nothing: each operation gets an equal share. Sizes in the comparison are no powers of two: neither tuner
has measured them. Launches of the default, theirs and ours take turns; the ratio is theirs over ours, above 1
where ours is faster.
"""

import contextlib
import math
import os
import random
import tempfile
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

import click
import numpy as np

from rankwise.cli.screen import Screen
from rankwise.core.jobs import Command, LaunchSteps
from rankwise.core.records import Cell, Implementation, Plan
from rankwise.core.tuning import Loaded
from rankwise.core.units import format_size
from rankwise.measurement.launch import Launching
from rankwise.measurement.runner import Ready
from rankwise.mpi.family import FamilyLauncher
from rankwise.profiles import loading
from rankwise.stats.intervals import ratio_intervals
from rankwise.testbeds.base import TestbedKind
from rankwise.workflows.prepare import prepare
from rankwise.workflows.testbeds import testbed_of

HELD_OUT_BYTES = (24, 700, 3000, 12000, 50000, 200000)
DEFAULT, THEIRS, OURS = "default", "mpitune_fast", "rankwise"
Times = defaultdict[tuple[str, Cell], list[float]]
"""Whose tuning, and the cell without it -> the median of each launch, seconds."""


@click.command()
@click.option("--profile", required=True,
              type=click.Path(exists=True, file_okay=False, path_type=Path, resolve_path=True))  # fmt: skip
@click.option("--testbed", default="two-clusters", show_default=True)
@click.option("--operations", default="bcast,allreduce", show_default=True)
@click.option("--ranks", default=4, show_default=True, help="One a host.")
@click.option("--budget", default=600.0, show_default=True, help="Seconds that mpitune_fast has.")
@click.option("--launches", default=12, show_default=True)
def main(*, profile: Path, testbed: str, operations: str, ranks: int, budget: float, launches: int) -> None:
    """Tune with mpitune_fast, measure both and the default, print one line per cell and the mean ratio."""
    ready = next(iter(prepare(["intelmpi"], (), Screen()).ready.values()))
    names = operations.split(",")
    with testbed_of(testbed, None) as bed, tempfile.TemporaryDirectory(prefix="mpitune-") as folder:
        share = budget / len(names)
        tuned = {
            name: _tune(ready.implementation, bed, name, ranks=ranks, limit_seconds=share, parent=folder)
            for name in names
        }
        cells = [Cell(ready.implementation.id, name, size, ranks) for name in names for size in _sizes(name)]
        ours = loading.loaded(profile, ready.implementation)
        times = Times(list)
        for _ in range(launches):
            for name in random.sample(names, len(names)):
                variants = {DEFAULT: Loaded(), OURS: ours}
                if theirs := tuned[name]:
                    variants[THEIRS] = theirs
                asked = [cell for cell in cells if cell.benchmark == name]
                for whose in random.sample(sorted(variants), len(variants)):
                    _measure(ready, bed, asked, whose=whose, loaded=variants[whose], times=times)
    _report(times, cells)


def _sizes(operation: str) -> tuple[int, ...]:
    return (0,) if operation == "barrier" else HELD_OUT_BYTES


def _tune(
    intel: Implementation, bed: TestbedKind, operation: str, *, ranks: int, limit_seconds: float, parent: str
) -> Loaded | None:
    """Their file for one operation; None if they did not finish within the limit."""
    folder, prefix = Path(parent, operation), Path(intel.prefix)
    folder.mkdir()
    hosts = [host.name for host in bed.hosts()][:ranks]
    words = ("-d", str(folder), "-hosts", ",".join(hosts), "-n", str(ranks), "-ppn", "1", "-c", operation)
    environment = (
        *intel.environment, ("PATH", f"{prefix / 'bin'}:{os.environ['PATH']}"),
        ("LD_LIBRARY_PATH", str(prefix / "lib")), ("I_MPI_PIN", "0"), ("I_MPI_HYDRA_BOOTSTRAP", "ssh"),
        ("I_MPI_HYDRA_BOOTSTRAP_EXEC", bed.remote_shell()),
    )  # fmt: skip
    steps = LaunchSteps(Command((str(prefix / "bin" / "mpitune_fast"), *words), environment))
    with contextlib.chdir(folder):  # it leaves files where it is started
        outcome = bed.run(steps, hosts, limit_seconds)
    found = sorted(folder.glob("*merged*.dat"))
    if not found:
        print(f"{operation}: mpitune_fast did not finish in {outcome.seconds:.0f} s: {outcome.stderr[-300:]}")
        return None
    print(f"{operation}: mpitune_fast took {outcome.seconds:.0f} s")
    return Loaded(environment=(("I_MPI_TUNING_BIN", str(found[-1])),), files=(str(found[-1]),))


def _measure(
    ready: Ready, bed: TestbedKind, cells: Sequence[Cell], *, whose: str, loaded: Loaded, times: Times
) -> None:
    named = [Cell(one.implementation, one.benchmark, one.size_bytes, one.ranks, label=whose) for one in cells]
    plan = Plan(tuple(named), seed=1, time_budget_seconds=math.inf)
    launching = Launching(FamilyLauncher(), bed, plan, load=lambda _: loaded)
    launch = launching.launch(ready.implementation, ready.program, random.sample(named, len(named)), 0.1)
    if launch.status != "finished":
        print(f"{whose}: {launch.reason}")
    plain = {(one.benchmark, one.size_bytes): one for one in cells}
    for series in launch.series:
        cell = plain[series.cell.benchmark, series.cell.size_bytes]
        times[whose, cell].append(float(np.median(series.samples_seconds)))


def _report(times: Times, cells: Sequence[Cell]) -> None:
    print(f"{'operation':12} {'size':>8} {'default':>10} {'theirs':>10} {'ours':>10}  theirs / ours")
    logs = []
    for cell in cells:
        medians = {whose: float(np.median(times[whose, cell] or [np.nan])) for whose in (DEFAULT, THEIRS, OURS)}
        shown = " ".join(f"{value * 1e6:7.1f} us" for value in medians.values())
        beside = "did not finish"
        if times[THEIRS, cell] and times[OURS, cell]:
            theirs, ours = np.array(times[THEIRS, cell]), np.array(times[OURS, cell])
            low, high = ratio_intervals(ours[None], theirs[None])
            ratio = medians[THEIRS] / medians[OURS]
            logs.append(math.log(ratio))
            beside = f"{ratio:.3f} [{low[0]:.3f}, {high[0]:.3f}]"
        print(f"{cell.benchmark:12} {format_size(cell.size_bytes):>8} {shown}  {beside}")
    if logs:
        print(f"geometric mean of theirs / ours: {math.exp(float(np.mean(logs))):.3f} over {len(logs)} cells")


if __name__ == "__main__":
    main()
