"""Rankwise's ping-pong beside that of Intel's IMB-MPI1, launch by launch in turn, on MPICH and Intel MPI.

    python benchmarks/beside_imb.py [--launches 20]

IMB comes inside PyPI's impi-rt. It prints one mean per size and launch; so ours is shown as the mean of its
repetitions as well as the median, both as medians over launches, with the ratio's 95 % interval. Then: how long
each takes until the median over launches is known within 2 %.
"""

import random
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import click
import numpy as np

from rankwise.bench.launch import Launching
from rankwise.bench.runner import Ready
from rankwise.cli import measuring
from rankwise.cli.screen import Screen
from rankwise.core import process
from rankwise.core.records import Cell, FloatArray, Implementation, Job, Outcome, Plan
from rankwise.core.units import format_size, parse_sizes_bytes
from rankwise.mpi.family import FamilyLauncher
from rankwise.stats.intervals import ratio_intervals, relative_half_width
from rankwise.testbed.local import LocalTestbed

SIZES = parse_sizes_bytes("1:4M")
ROW = re.compile(r"^\s+(\d+)\s+(\d+)\s+([\d.]+)\s+([\d.]+)\s*$")
Times = defaultdict[int, list[float]]
"""Size in bytes -> one time per launch, seconds."""


@click.command()
@click.option("--launches", default=20, show_default=True)
@click.option("--seconds-per-cell", default=0.02, show_default=True)
def main(launches: int, seconds_per_cell: float) -> None:
    """Measure and print one table per implementation."""
    built = measuring.prepare(["mpich", "intelmpi"], (), Screen())
    intel = next(one.implementation for one in built.ready.values() if one.implementation.family == "intelmpi")
    imb = Path(intel.prefix) / "bin" / "IMB-MPI1"
    for ready in built.ready.values():
        if ready.implementation.version.startswith("4"):
            continue  # IMB is linked to libmpi.so.12, which Debian's MPICH 4 does not provide by that name
        _beside(ready, imb, launches, seconds_per_cell)


def _beside(ready: Ready, imb: Path, launches: int, seconds_per_cell: float) -> None:
    one = ready.implementation
    cells = tuple(Cell(one.id, "pingpong", size, 2) for size in SIZES)
    plan = Plan(cells, seed=1, time_budget_seconds=1e6, seconds_per_cell=seconds_per_cell)
    launching = Launching(FamilyLauncher(), LocalTestbed(), plan)
    theirs, means, medians = Times(list), Times(list), Times(list)
    spent = {"imb": 0.0, "rankwise": 0.0}
    for _ in range(launches):
        for turn in random.sample(["imb", "rankwise"], 2):
            if turn == "imb":
                outcome = _launch_imb(one, imb)
                spent[turn] += outcome.seconds
                for size, seconds in _rows(outcome.stdout):
                    theirs[size].append(seconds)
            else:
                launch = launching.launch(one, ready.program, random.sample(cells, len(cells)))
                spent[turn] += launch.seconds
                for series in launch.series:
                    means[series.cell.size_bytes].append(float(series.samples_seconds.mean()))
                    medians[series.cell.size_bytes].append(float(np.median(series.samples_seconds)))
    _print_table(one.id, theirs, means, medians)
    for name, times in (("imb", theirs), ("rankwise", medians)):
        _print_time_to_precision(name, times, spent[name] / launches)


def _launch_imb(one: Implementation, imb: Path) -> Outcome:
    program = (str(imb), "PingPong", "-iter", "1000", "-msglog", "0:22")
    job = Job(program, 2, environment=(("LD_LIBRARY_PATH", f"{one.prefix}/lib"),))
    return process.run_steps(FamilyLauncher().steps(one, job), 120.0)


def _rows(output: str) -> Iterator[tuple[int, float]]:
    for match in filter(None, map(ROW.match, output.splitlines())):
        if int(match[1]) in SIZES:
            yield int(match[1]), float(match[3]) * 1e-6


def _print_table(name: str, theirs: Times, means: Times, medians: Times) -> None:
    print(f"\n{name}: one way, us; medians over {len(theirs[SIZES[0]])} launches; ratio = ours / IMB's [95 %]")
    print(
        f"{'size':>9} {'IMB t':>9} {'IMB best':>9} {'our mean':>9} {'ratio':>22} {'our median':>11} {'ratio':>22}"
    )
    for size in SIZES:
        imb = np.asarray(theirs[size])
        columns = [f"{format_size(size):>9} {np.median(imb) * 1e6:>9.2f} {imb.min() * 1e6:>9.2f}"]
        for ours, width in ((np.asarray(means[size]), 9), (np.asarray(medians[size]), 11)):
            columns.append(f"{np.median(ours) * 1e6:>{width}.2f} {_ratio(imb, ours):>22}")
        print(" ".join(columns))


def _ratio(baseline: FloatArray, candidate: FloatArray) -> str:
    low, high = ratio_intervals(baseline[None, :], candidate[None, :])
    return f"{np.median(candidate) / np.median(baseline):.3f} [{low[0]:.3f}, {high[0]:.3f}]"


def _print_time_to_precision(name: str, times: Times, seconds_a_launch: float) -> None:
    """For how many sizes, and after how long, the median over launches is within 2 %."""
    needed = []
    for size in SIZES:
        values = np.asarray(times[size])
        counts = (n for n in range(6, values.size + 1) if relative_half_width(values[:n]) <= 0.02)
        needed.append(next(counts, None))
    reached = [count for count in needed if count is not None]
    print(
        f"{name}: {seconds_a_launch:.2f} s a launch; {len(reached)} of {len(SIZES)} sizes within 2 % after "
        f"{[round(count * seconds_a_launch, 1) if count else None for count in needed]} s"
    )


if __name__ == "__main__":
    main()
