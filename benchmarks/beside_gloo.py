"""Allreduce and broadcast over sites beside gloo, which frameworks of machine learning use between processes.

    python benchmarks/beside_gloo.py [--testbed grid5000-2007-tuned] [-n 4] [--cells allreduce:1M,...] \
        [--schedule lanes] [--launches 5] [openmpi-5]

Needs gloo's header files (Debian: libgloo-dev) and a C++ compiler. In every round gloo and the schedule, over the
MPI's messages, are each launched once, in random order. Both times are from an agreed start: the last to leave,
less the first to enter; gloo's better algorithm counts. A ratio has a 95 % interval from resampled launches.
"""

import json
import math
import random
import shutil
import subprocess
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from statistics import median

import click
from wan_collectives import interval

from rankwise.cli.screen import Screen
from rankwise.core.records import Cell, Implementation, Plan
from rankwise.core.tuning import Loaded
from rankwise.core.units import format_size, parse_size_bytes
from rankwise.measurement.job import build_job
from rankwise.measurement.launch import Launching
from rankwise.mpi.family import FamilyLauncher
from rankwise.testbeds.base import TestbedKind
from rankwise.workflows.configurations import loader
from rankwise.workflows.prepare import prepare, up
from rankwise.workflows.schedule_network import network_file
from rankwise.workflows.testbeds import testbed_of

PEER = Path(__file__).with_name("gloo_peer.cpp")
ALGORITHMS = {"allreduce": ("ring", "bcube"), "bcast": ("tree",)}
REPETITIONS = 9
KEPT = 5
"""Repetitions of a launch that count: those that the processes have begun most nearly together."""
LIMIT_SECONDS = 180.0
Asked = tuple[str, int]
"""An operation and its bytes."""


@click.command()
@click.argument("mpi", default="openmpi-5")
@click.option("--testbed", default="grid5000-2007-tuned", show_default=True)
@click.option("-n", "ranks", default=4, show_default=True)
@click.option("--cells", default="allreduce:64K,allreduce:1M,allreduce:16M,bcast:1M,bcast:16M", show_default=True)
@click.option("--schedule", default="lanes", show_default=True)
@click.option("--launches", default=5, show_default=True)
def main(*, mpi: str, testbed: str, ranks: int, cells: str, schedule: str, launches: int) -> None:
    """Measure gloo and a schedule in one interleaved run, and print their times and ratio."""
    built = prepare((mpi,), (), Screen())
    (ready,) = built.ready.values()
    asked = [(name, parse_size_bytes(size)) for name, size in (one.split(":") for one in cells.split(","))]
    ours: defaultdict[Asked, list[float]] = defaultdict(list)
    gloo: defaultdict[tuple[Asked, str], list[float]] = defaultdict(list)
    with up(testbed_of(testbed), Screen()) as (where, _), tempfile.TemporaryDirectory() as folder:
        program = compiled(Path(folder))
        plan = Plan((), 0, math.inf, seconds_per_cell=0.1, launch_limit_seconds=LIMIT_SECONDS)
        launching = Launching(FamilyLauncher(), where, plan, load=loader(where), network=network_file(where))
        one = ready.implementation
        wanted = [
            Cell(one.id, f"{name}.{schedule}", size, ranks, testbed=where.name, placement="block")
            for name, size in asked
        ]
        for _ in range(launches):
            for turn in random.sample(("gloo", "ours"), 2):
                if turn == "gloo":
                    for which, seconds in launched(where, one, program, ranks, asked):
                        gloo[which].append(seconds)
                else:
                    launch = launching.launch(one, ready.program, wanted)
                    for series in launch.series:
                        key = series.cell.benchmark.partition(".")[0], series.cell.size_bytes
                        ours[key].append(median(series.samples_seconds))
    for each in asked:
        of_gloo = {name: gloo[each, name] for name in ALGORITHMS[each[0]]}
        _print(each, f"{schedule} over {mpi}", ours[each], of_gloo)


def compiled(folder: Path) -> Path:
    """Return the compiled peer, below `folder`."""
    compiler = shutil.which("g++")
    if not compiler or not Path("/usr/include/gloo").is_dir():
        raise click.ClickException("this needs g++ and gloo's header files (Debian: libgloo-dev)")
    program = folder / "gloo_peer"
    command = [compiler, "-O2", "-std=c++17", "-o", str(program), str(PEER), "-lgloo", "-lpthread"]
    subprocess.run(command, check=True, timeout=LIMIT_SECONDS)
    return program


def launched(
    where: TestbedKind, implementation: Implementation, program: Path, ranks: int, asked: Iterable[Asked]
) -> Iterable[tuple[tuple[Asked, str], float]]:
    """Start gloo once, and yield the median time of each operation and algorithm, in seconds."""
    words = {f"{name}:{way}:{size}": ((name, size), way) for name, size in asked for way in ALGORITHMS[name]}
    with tempfile.TemporaryDirectory(dir=program.parent) as meeting:
        argv = (str(program), meeting, str(REPETITIONS), *words)
        job = build_job(where, argv, ranks, placement="block", loaded=Loaded(), arguments=())
        outcome = where.run(FamilyLauncher().steps(implementation, job), job.hosts, LIMIT_SECONDS, "")
    if outcome.returncode:
        raise click.ClickException(f"gloo: exit code {outcome.returncode}: {outcome.stderr.strip()[-300:]}")
    times: defaultdict[str, list[Sequence[Sequence[float]]]] = defaultdict(list)
    for line in outcome.stdout.splitlines():
        if line.startswith("{"):
            said = json.loads(line)
            times[said["cell"]].append(said["times"])
    for word, of_ranks in times.items():
        together = sorted(
            zip(*of_ranks, strict=True),
            key=lambda each: max(entered for entered, _ in each) - min(entered for entered, _ in each),
        )[:KEPT]
        samples = [max(left for _, left in each) - min(entered for entered, _ in each) for each in together]
        yield words[word], median(samples)


def _print(asked: Asked, name: str, ours: Sequence[float], gloo: dict[str, list[float]]) -> None:
    told = ", ".join(f"{way} {1e3 * median(values):.4g} ms" for way, values in gloo.items() if values)
    operation, size_bytes = asked
    if not ours or not told:
        print(f"{operation} {format_size(size_bytes)}: not measured")
        return
    best = min((values for values in gloo.values() if values), key=median)
    low, high = interval(ours, best)
    print(
        f"{operation} {format_size(size_bytes)}: gloo {told}; {name} {1e3 * median(ours):.4g} ms; gloo / this = "
        f"{median(best) / median(ours):.2f} [{low:.2f}, {high:.2f}]"
    )


if __name__ == "__main__":
    main()
