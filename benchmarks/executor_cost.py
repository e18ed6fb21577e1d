"""What does carrying out a schedule cost by itself? A native algorithm, forced, beside the schedule that sends the
same messages, over the same MPI with the same settings.

    python benchmarks/executor_cost.py IMPLEMENTATION... [-n 2,4,8] [--sizes 8,1K,32K,1M] [--launches 10] \
        [--pairs bcast.binomial,allreduce.recursive_doubling] [--testbed local]

Every round launches, in random order, each implementation on each number of ranks once for the natives and once
for the schedules. A ratio is that of medians over launches, schedule over native, with a 95 % interval from
resampled launches. An algorithm that an implementation lacks, or cannot be told to take, is left out, and said.
"""

import math
import random
from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import product

import click
import numpy as np
from wan_collectives import interval

from rankwise.cli.screen import Screen
from rankwise.core.records import Cell, Implementation, Launch, Plan
from rankwise.core.tuning import Choice, Decision, Rule, Tuning
from rankwise.core.units import format_size, parse_sizes_bytes
from rankwise.measurement.launch import Launching
from rankwise.measurement.runner import Ready
from rankwise.mpi.family import FamilyLauncher, family_named
from rankwise.stats.summary import geometric_mean, median
from rankwise.studies.mcclements2006.likeness import ours
from rankwise.workflows.configurations import loader, tuned
from rankwise.workflows.prepare import prepare, up
from rankwise.workflows.testbeds import testbed_of

PAIRS = (
    "bcast.binomial,allreduce.recursive_doubling,allreduce.ring,allgather.recursive_doubling,allgather.ring,"
    "alltoall.pairwise,barrier.recursive_doubling,barrier.dissemination"
)
Times = defaultdict[tuple[str, str, int, int], list[float]]
"""Medians of launches by implementation, benchmark, size and ranks, seconds."""


@click.command()
@click.argument("names", nargs=-1, required=True)
@click.option("-n", "ranks", default="2,4,8", show_default=True)
@click.option("--sizes", default="8,1K,32K,1M", show_default=True)
@click.option("--pairs", default=PAIRS, show_default=True, help="Schedules that natives do alike.")
@click.option("--launches", default=10, show_default=True)
@click.option("--seconds", default=0.1, show_default=True, help="Of each cell in a launch.")
@click.option("--testbed", default="local", show_default=True)
def main(
    *, names: tuple[str, ...], ranks: str, sizes: str, pairs: str, launches: int, seconds: float, testbed: str
) -> None:
    """Measure natives and schedules in turn, and print the ratio of each cell and the mean of each algorithm."""
    built = prepare(names, (), Screen()).ready.values()
    counts = [int(one) for one in ranks.split(",")]
    times: Times = defaultdict(list)
    with up(testbed_of(testbed), Screen()) as (where, _):
        plan = Plan((), 0, math.inf, seconds_per_cell=seconds, launch_limit_seconds=180)
        launching = Launching(FamilyLauncher(), where, plan, load=loader(where))
        chosen = {ready.implementation.id: _natives(ready.implementation, pairs.split(",")) for ready in built}
        work = [
            (ready, known, count, native)
            for ready, count, native in product(built, counts, (True, False))
            for known in _launches(chosen[ready.implementation.id])
        ]
        for _ in range(launches):
            for ready, known, count, native in random.sample(work, len(work)):
                cells = _cells(
                    ready, known, parse_sizes_bytes(sizes), ranks=count, testbed=where.name, native=native
                )
                asked = tuned(ready.implementation, _forced(known, count), where.topology())
                launch = launching.launch(ready.implementation, ready.program, cells, configuration=asked)
                _keep(times, launch, known)
    for name, known in chosen.items():
        for pair, algorithm in known.items():
            _print(times, name, pair, algorithm)


def _operation(pair: str) -> str:
    return pair.partition(".")[0]


def _natives(one: Implementation, pairs: Sequence[str]) -> dict[str, str]:
    """The implementation's own name for what each schedule does."""
    menu, found = family_named(one.family).algorithms(one), {}
    for pair in pairs:
        operation, _, schedule = pair.partition(".")
        native = [known.name for known in menu.get(operation, ()) if ours(operation, known.name) == schedule]
        if native:
            found[pair] = native[0]
        else:
            print(f"{one.id}: cannot be told to do {operation} by {schedule}")
    return found


def _launches(known: Mapping[str, str]) -> list[dict[str, str]]:
    """Those of one launch: an operation is forced to do one algorithm at a time."""
    left, found = dict(known), []
    while left:
        one = {_operation(pair): pair for pair in reversed(left)}
        found.append({pair: left.pop(pair) for pair in one.values()})
    return found


def _forced(known: Mapping[str, str], ranks: int) -> Tuning:
    return Tuning(
        decisions=tuple(
            Decision(_operation(pair), ranks, (Rule(None, Choice(native)),)) for pair, native in known.items()
        )
    )


def _cells(
    ready: Ready, known: Mapping[str, str], sizes: Sequence[int], *, ranks: int, testbed: str, native: bool
) -> list[Cell]:
    """In random order."""
    cells = [
        Cell(ready.implementation.id, _operation(pair) if native else pair, size, ranks, testbed=testbed)
        for pair in known
        for size in (sizes if _operation(pair) != "barrier" else (0,))
    ]
    return random.sample(cells, len(cells))


def _keep(times: Times, launch: Launch, known: Mapping[str, str]) -> None:
    """By the schedule, and which of both it was."""
    if launch.status != "finished":
        print(f"{launch.implementation}: {launch.reason}", flush=True)
    for failure in launch.failures:
        print(f"{failure.cell.benchmark} {failure.cell.size_bytes}: {failure.reason}", flush=True)
    natives = {_operation(pair): f"native {pair}" for pair in known}
    for series in launch.series:
        cell = series.cell
        key = natives.get(cell.benchmark, f"schedule {cell.benchmark}")
        times[cell.implementation, key, cell.size_bytes, cell.ranks].append(median(series.samples_seconds))


def _print(times: Times, name: str, pair: str, native: str) -> None:
    """Print the cells of one algorithm, and the geometric mean of their ratios."""
    print(f"{name}: {pair}, natively {native}")
    means = []
    cells = sorted((ranks, size) for one, key, size, ranks in times if (one, key) == (name, f"native {pair}"))
    for ranks, size in cells:
        own, by_schedule = (times[name, f"{side} {pair}", size, ranks] for side in ("native", "schedule"))
        if not by_schedule:
            continue
        ratio = median(np.array(by_schedule)) / median(np.array(own))
        low, high = interval(own, by_schedule)
        means.append(ratio)
        print(
            f"  {ranks} ranks {format_size(size):>8}: native {1e6 * median(np.array(own)):.4g} us, "
            f"schedule / native {ratio:.3f} [{low:.3f}, {high:.3f}]"
        )
    if means:
        print(f"  mean of {len(means)} cells: {geometric_mean(np.array(means)):.3f}", flush=True)


if __name__ == "__main__":
    main()
