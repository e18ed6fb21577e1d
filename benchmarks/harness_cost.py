"""What the harness itself costs: the benchmark `empty`, an operation that does nothing, beside a 1-byte ping-pong.

python benchmarks/harness_cost.py [--launches 10] [MPI]...
"""

import random

import click
import numpy as np

from rankwise.cli.screen import Screen
from rankwise.core.records import Cell, Plan
from rankwise.core.units import format_time
from rankwise.measurement.launch import Launching
from rankwise.mpi.family import FamilyLauncher
from rankwise.testbeds.local import LocalTestbed
from rankwise.workflows.prepare import prepare


@click.command()
@click.argument("names", nargs=-1)
@click.option("--launches", default=10, show_default=True)
def main(names: tuple[str, ...], launches: int) -> None:
    """Measure on these implementations, or on every one, in turn, and print medians over launches."""
    built = prepare(names, (), Screen())
    medians: dict[Cell, list[float]] = {}
    for _ in range(launches):
        for ready in random.sample(list(built.ready.values()), len(built.ready)):
            one = ready.implementation
            cells = [Cell(one.id, "empty", 0, 2), Cell(one.id, "barrier", 0, 2), Cell(one.id, "pingpong", 1, 2)]
            plan = Plan(tuple(cells), seed=1, time_budget_seconds=1e6, seconds_per_cell=0.02)
            launch = Launching(FamilyLauncher(), LocalTestbed(), plan).launch(one, ready.program, cells)
            for series in launch.series:
                medians.setdefault(series.cell, []).append(float(np.median(series.samples_seconds)))
    print(f"{'implementation':>20} {'empty':>10} {'barrier':>10} {'1 B ping-pong':>14} {'empty / barrier':>16}")
    for name in built.ready:
        empty, barrier, pingpong = (
            float(np.median(medians[Cell(name, *rest)]))
            for rest in (("empty", 0, 2), ("barrier", 0, 2), ("pingpong", 1, 2))
        )
        shown = " ".join(f"{format_time(value):>10}" for value in (empty, barrier))
        print(f"{name:>20} {shown} {format_time(pingpong):>14} {empty / barrier:>16.1%}")


if __name__ == "__main__":
    main()
