"""How close to the bound do collectives across the sites of a joined job come, with an MPI of its own on each?

    python benchmarks/joined_collectives.py [--join rennes=openmpi-5:4,nancy=mpich-5:4] [--relay] \
        [--testbed grid5000-2007-tuned] [--cells bcast:1M,allreduce:8,...] [--launches 5]

Every launch is one joined job, in which our harness times all cells in random order. A time is the median over
launches of their medians, beside the least and the most of these. The bounds are those of `wan_collectives.py`:
one crossing, and the bytes over the busiest resource, at what the testbed's line rates leave for TCP's data.
"""

import math
import random
from collections import defaultdict
from collections.abc import Sequence

import click
import numpy as np
from wan_bounds import Bounds, bounds_of

from rankwise.cli.screen import Screen
from rankwise.core.records import Cell, Launch, Plan
from rankwise.core.units import format_size, parse_size_bytes
from rankwise.measurement.launch import Launching
from rankwise.mpi.family import FamilyLauncher
from rankwise.workflows import joined_benchmarks
from rankwise.workflows.configurations import loader
from rankwise.workflows.joined import parts_of
from rankwise.workflows.prepare import up
from rankwise.workflows.schedule_network import network_file
from rankwise.workflows.testbeds import testbed_of

CELLS = (
    "barrier:0,bcast:8,bcast:1K,bcast:8K,bcast:64K,bcast:256K,bcast:1M,"
    "allreduce:8,allreduce:1K,allreduce:8K,allreduce:64K,allreduce:256K,allreduce:1M"
)
AIM = 1.2
"""Times the bound, at most."""
Times = defaultdict[Cell, list[float]]
"""Medians of launches by cell, seconds."""


@click.command()
@click.option("--join", default="rennes=openmpi-5:4,nancy=mpich-5:4", show_default=True)
@click.option("--relay", is_flag=True, help="Sites reach one another by relays alone.")
@click.option("--testbed", default="grid5000-2007-tuned", show_default=True)
@click.option("--cells", default=CELLS, show_default=True)
@click.option("--launches", default=5, show_default=True)
@click.option("--seconds", default=0.3, show_default=True, help="Of each cell in a launch.")
def main(*, join: str, relay: bool, testbed: str, cells: str, launches: int, seconds: float) -> None:
    """Measure collectives of a joined job, and print them beside the bounds."""
    where, screen = testbed_of(testbed), Screen()
    worlds = joined_benchmarks.prepared([parts_of(join)], where, screen, relayed=relay)
    ((name, ready),) = worlds.ready.items()
    plan = Plan((), 0, math.inf, seconds_per_cell=seconds, launch_limit_seconds=180)
    wanted = [
        Cell(name, operation, parse_size_bytes(size), worlds.variants[0].ranks, testbed=where.name)
        for operation, size in (one.split(":") for one in cells.split(","))
    ]
    times: Times = defaultdict(list)
    with up(where, screen):
        native = Launching(FamilyLauncher(), where, plan, load=loader(where), network=network_file(where))
        launching = joined_benchmarks.starting(native, worlds, plan)
        for _ in range(launches):
            _keep(
                times,
                launching.launch(ready.implementation, ready.program, random.sample(wanted, len(wanted)), seconds),
            )
        topology = where.topology()
    assert topology is not None, f"{testbed} has no network"
    print(f"{name} on {testbed}{', by relays' if relay else ''}; {launches} launches")
    _print(times, wanted, bounds_of(topology))


def _keep(times: Times, launch: Launch) -> None:
    if launch.status != "finished":
        print(f"{launch.reason}", flush=True)
    for failure in launch.failures:
        print(f"{failure.cell.benchmark} {failure.cell.size_bytes}: {failure.reason}", flush=True)
    for (cell, _), seconds in launch.values().items():
        times[cell].append(seconds)


def _print(times: Times, cells: Sequence[Cell], bounds: Bounds) -> None:
    ratios = [
        _print_cell(cell, times[cell], bounds.seconds(cell.benchmark, cell.size_bytes, cell.ranks))
        for cell in cells
        if times[cell]
    ]
    met = sum(one <= AIM for one in ratios)
    print(f"within {AIM} x the bound in {met} of {len(cells)} cells")


def _print_cell(cell: Cell, seconds: Sequence[float], bound: float) -> float:
    """Print a cell, and return how many times its bound it takes."""
    ratio = float(np.median(seconds)) / bound
    size = format_size(cell.size_bytes) if cell.size_bytes else ""
    print(
        f"{cell.benchmark:>9} {size:>8}: {1e3 * float(np.median(seconds)):8.4g} ms "
        f"[{1e3 * min(seconds):.4g}, {1e3 * max(seconds):.4g}]; bound {1e3 * bound:.4g} ms; "
        f"{ratio:.2f} x bound{'' if ratio <= AIM else ', missed'}",
        flush=True,
    )
    return ratio


if __name__ == "__main__":
    main()
