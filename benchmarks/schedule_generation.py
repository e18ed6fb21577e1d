"""How long it takes to make the schedule of one rank of very many, beside how many steps it has.

python benchmarks/schedule_generation.py [--ranks 1000000] [--repeats 20]
"""

import ctypes
import time

import click
import numpy as np

from rankwise.core.units import format_time
from rankwise.schedules import generator
from rankwise.schedules.model import OPERATIONS, Problem
from rankwise.schedules.structures import CSchedule, c_problem

MOST_STEPS = 200
"""Of a rank in the middle; an algorithm with more is no O(log P) one, and is left out."""


@click.command()
@click.option("--ranks", default=1_000_000, show_default=True)
@click.option("--repeats", default=20, show_default=True)
@click.option("--operation", type=click.Choice(OPERATIONS), help="Those of one operation alone.")
def main(ranks: int, repeats: int, operation: str | None) -> None:
    """Make the schedule of a rank in the middle; print medians of the C function's own time."""
    library = generator._library()
    pointers = dict(generator._registered(library))
    print(f"one rank of {ranks}\n{'algorithm':>34} {'steps':>7} {'time':>9}")
    for one in generator.algorithms(operation or ""):
        if _steps(library, one, pointers[one], 1 << 10) > MOST_STEPS:
            continue
        asked = c_problem(Problem(one.operation, ranks, count=8), ranks // 2 + 1, False)
        times = []
        for _ in range(repeats):
            made = CSchedule()
            start = time.perf_counter()
            library.make_schedule(ctypes.byref(made), pointers[one], ctypes.byref(asked))
            times.append(time.perf_counter() - start)
            steps = -1 if made.failure else made.count
            library.free_schedule(ctypes.byref(made))
        if steps >= 0:
            print(f"{one.id:>34} {steps:>7} {format_time(float(np.median(times))):>9}")


def _steps(library: ctypes.CDLL, one: generator.Algorithm, pointer: object, ranks: int) -> int:
    made = CSchedule()
    asked = c_problem(Problem(one.operation, ranks, count=8), ranks // 2 + 1, False)
    library.make_schedule(ctypes.byref(made), pointer, ctypes.byref(asked))
    steps = int(made.count)
    library.free_schedule(ctypes.byref(made))
    return steps


if __name__ == "__main__":
    main()
