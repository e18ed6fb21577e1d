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
"""On 1024 ranks; an algorithm with more is no O(log P) one, and is left out."""


@click.command()
@click.option("--ranks", default=1_000_000, show_default=True)
@click.option("--repeats", default=20, show_default=True)
@click.option("--operation", type=click.Choice(OPERATIONS), help="Those of one operation alone.")
def main(ranks: int, repeats: int, operation: str | None) -> None:
    """Make the schedules of the root and of a rank in the middle; print medians of the C function's own time."""
    library = generator._library()
    pointers = dict(generator._registered(library))
    print(f"one rank of {ranks}\n{'algorithm':>34} {'steps':>7} {'time':>9}")
    for one in generator.algorithms(operation or ""):
        made = _Maker(library, one, pointers[one])
        if max(made.once(1 << 10, rank)[0] for rank in (0, 513)) > MOST_STEPS:
            continue
        steps, seconds = max(made.often(ranks, rank, repeats) for rank in (0, ranks // 2 + 1))
        if steps >= 0:
            print(f"{one.id:>34} {steps:>7} {format_time(seconds):>9}")


class _Maker:
    """Makes schedules by one algorithm, and drops them."""

    def __init__(self, library: ctypes.CDLL, one: generator.Algorithm, pointer: object) -> None:
        self.library, self.operation, self.pointer = library, one.operation, pointer

    def once(self, ranks: int, rank: int) -> tuple[int, float]:
        """Return the steps, -1 for no schedule, and the seconds."""
        made = CSchedule()
        asked = c_problem(Problem(self.operation, ranks, count=8), rank, False)
        start = time.perf_counter()
        self.library.make_schedule(ctypes.byref(made), self.pointer, ctypes.byref(asked))
        seconds = time.perf_counter() - start
        steps = -1 if made.failure else int(made.count)
        self.library.free_schedule(ctypes.byref(made))
        return steps, seconds

    def often(self, ranks: int, rank: int, repeats: int) -> tuple[int, float]:
        """Return the steps and the median of the seconds."""
        found = [self.once(ranks, rank) for _ in range(repeats)]
        return found[0][0], float(np.median([seconds for _, seconds in found]))


if __name__ == "__main__":
    main()
