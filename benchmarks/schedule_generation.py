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
from rankwise.schedules.structures import CNetwork, CSchedule, c_problem

MOST_STEPS = 200
"""On 1024 ranks; an algorithm with more is no O(log P) one, and is left out."""


SITES, RANKS_OF_NODE = 4, 4
"""Of the network that the ranks are on."""


@click.command()
@click.option("--ranks", default=1_000_000, show_default=True, help=f"A multiple of {SITES * RANKS_OF_NODE}.")
@click.option("--repeats", default=20, show_default=True)
@click.option("--operation", type=click.Choice(OPERATIONS), help="Those of one operation alone.")
def main(ranks: int, repeats: int, operation: str | None) -> None:
    """Make the schedules of the root and of a rank in the middle; print medians of the C function's own time."""
    if ranks <= 0 or ranks % (SITES * RANKS_OF_NODE):
        raise click.BadParameter(f"{ranks} is no multiple of {SITES * RANKS_OF_NODE}", param_hint="--ranks")
    library = generator._library()
    pointers = dict(generator._registered(library))
    wide, few = _Network(library, ranks), _Network(library, 1 << 10)
    seconds = wide.sort()
    print(f"one rank of {ranks} in {SITES} sites, which were sorted once in {format_time(seconds)}")
    print(f"{'algorithm':>34} {'steps':>7} {'sorted':>9} {'unsorted':>9}")
    for one in generator.algorithms(operation or ""):
        made = _Maker(library, one, pointers[one])
        if max(made.once(few, rank)[0] for rank in (0, 513)) > MOST_STEPS:
            continue
        steps, kept = max(made.often(wide, rank, repeats) for rank in (0, ranks // 2 + 1))
        if steps < 0:
            continue
        again = format_time(made.anew(wide, ranks // 2 + 1, repeats)) if one.for_networks else ""
        print(f"{one.id:>34} {steps:>7} {format_time(kept):>9} {again:>9}")


class _Network:
    """So many ranks in sites and nodes that are all alike."""

    def __init__(self, library: ctypes.CDLL, ranks: int) -> None:
        library.uniform_network.restype = ctypes.POINTER(CNetwork)
        nodes = ranks // (SITES * RANKS_OF_NODE)
        delay, rate = ctypes.c_double(5e-3), ctypes.c_double(125e6)
        self.library, self.ranks = library, ranks
        self.pointer = library.uniform_network(SITES, nodes, RANKS_OF_NODE, 0, delay, rate)

    def sort(self) -> float:
        """Sort it for all schedules to come; return the seconds."""
        start = time.perf_counter()
        self.library.sort_network(self.pointer)
        return time.perf_counter() - start


class _Maker:
    """Makes schedules by one algorithm, and drops them."""

    def __init__(self, library: ctypes.CDLL, one: generator.Algorithm, pointer: object) -> None:
        self.library, self.operation, self.pointer = library, one.operation, pointer

    def once(self, network: _Network, rank: int) -> tuple[int, float]:
        """Return the steps, -1 for no schedule, and the seconds."""
        made = CSchedule()
        asked = c_problem(Problem(self.operation, network.ranks, count=8), rank, False)
        asked.network = network.pointer
        start = time.perf_counter()
        self.library.make_schedule(ctypes.byref(made), self.pointer, ctypes.byref(asked))
        seconds = time.perf_counter() - start
        steps = -1 if made.failure else int(made.count)
        self.library.free_schedule(ctypes.byref(made))
        return steps, seconds

    def anew(self, network: _Network, rank: int, repeats: int) -> float:
        """Return the median of the seconds where the network is sorted again for each schedule."""
        self.library.forget_sorted(network.pointer)
        _, seconds = self.often(network, rank, repeats)
        network.sort()
        return seconds

    def often(self, network: _Network, rank: int, repeats: int) -> tuple[int, float]:
        """Return the steps and the median of the seconds."""
        found = [self.once(network, rank) for _ in range(repeats)]
        return found[0][0], float(np.median([seconds for _, seconds in found]))


if __name__ == "__main__":
    main()
