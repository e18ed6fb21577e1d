"""Makes the cells of a plan from what was asked, and cuts each round of it into shuffled launches."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from rankwise.core.errors import InputError, UnknownNameError
from rankwise.core.records import Benchmark, Category, Cell, CellFailure, Host, Implementation, Options
from rankwise.measurement.placement import place

DEFAULT_BENCHMARKS = (
    "pingpong", "bandwidth", "sendrecv", "barrier", "bcast", "reduce", "allreduce", "allgather", "alltoall",
    "tcp_pingpong", "memcpy",
)  # fmt: skip
PAIR_CATEGORIES: tuple[Category, ...] = ("point-to-point", "one-sided", "baseline", "harness")
"""Measured between two ranks unless the ranks are given; all else uses every core."""
ONLY_BY_NAME: tuple[Category, ...] = ("guideline",)
"""Not meant by `all`: mock-ups tell something only beside what they mock up."""

Menu = Mapping[str, Mapping[str, Benchmark]]
"""What each implementation can measure: id -> benchmark name -> Benchmark."""


@dataclass(frozen=True, slots=True)
class Selection:
    """What the user asked for, and where.

    Empty `ranks`: two for pairs, one a slot for collectives. Empty `placements`: `block`, but two ranks of a
    pair go to two sites where there are several, for that is the network that a testbed of sites is about.
    """

    benchmarks: tuple[str, ...]
    sizes_bytes: tuple[int, ...]
    hosts: tuple[Host, ...]
    ranks: tuple[int, ...] = ()
    options: tuple[Options, ...] = (Options(),)
    testbed: str = "local"
    placements: tuple[str, ...] = ()
    profiles: tuple[str, ...] = ("default",)


def all_benchmarks(menu: Menu) -> dict[str, Benchmark]:
    """Return every benchmark that any implementation lists, by name; a supported entry wins over others."""
    merged: dict[str, Benchmark] = {}
    for benchmarks in menu.values():
        for name, benchmark in benchmarks.items():
            if name not in merged or not merged[name].supported:
                merged[name] = benchmark
    return dict(sorted(merged.items()))


def resolve_benchmarks(wanted: Sequence[str], known: Mapping[str, Benchmark]) -> tuple[str, ...]:
    """Names, categories (`collective`) and `all` as benchmark names, in order, each once.

    Raises UnknownNameError with the nearest names.
    """
    categories = {benchmark.category for benchmark in known.values()}
    names: dict[str, None] = {}
    for word in wanted:
        if word in known:
            names[word] = None
        elif word in categories or word == "all":
            names.update({name: None for name, one in known.items() if _is_meant(one, word)})
        else:
            raise UnknownNameError("benchmark", word, [*known, *categories, "all"])
    return tuple(names)


def _is_meant(benchmark: Benchmark, word: str) -> bool:
    return word == benchmark.category or (word == "all" and benchmark.category not in ONLY_BY_NAME)


def make_cells(
    implementations: Sequence[Implementation], menu: Menu, selection: Selection
) -> tuple[tuple[Cell, ...], tuple[CellFailure, ...]]:
    """Return the cells to measure, and those that an implementation cannot measure, each with its reason.

    Baselines do not depend on the implementation: only the first one carries them. Raises InputError for ranks
    that cannot be placed.
    """
    cells: list[Cell] = []
    unsupported: list[CellFailure] = []
    for number, implementation in enumerate(implementations):
        for name in selection.benchmarks:
            benchmark = menu[implementation.id].get(name)
            if benchmark is None or (number > 0 and benchmark.category == "baseline"):
                continue
            for cell in _cells_of(implementation.id, benchmark, selection):
                reason = _obstacle(benchmark, cell)
                if reason:
                    unsupported.append(CellFailure(cell, reason, "unsupported"))
                else:
                    cells.append(cell)
    if not cells:
        reasons = sorted({failure.reason for failure in unsupported})
        raise InputError(f"there is nothing to measure: {'; '.join(reasons) or 'no benchmark was named'}")
    return tuple(cells), tuple(unsupported)


def _cells_of(implementation_id: str, benchmark: Benchmark, selection: Selection) -> Iterable[Cell]:
    pairs = benchmark.category in PAIR_CATEGORIES
    slots = sum(host.slots for host in selection.hosts)
    counts = selection.ranks or ((2,) if pairs else (max(2, slots),))
    apart = pairs and not selection.ranks and len({host.site for host in selection.hosts}) > 1
    placements = selection.placements or (("across-sites",) if apart else ("block",))
    sizes = selection.sizes_bytes if benchmark.sized else (0,)
    for placement, ranks in product(placements, counts):
        place(placement, selection.hosts, ranks)  # what cannot be placed is an error now, not in every launch
    for options, profile, placement, ranks, size_bytes in product(
        selection.options, selection.profiles, placements, counts, sizes
    ):
        yield Cell(
            implementation_id, benchmark.name, size_bytes, ranks, options,
            label=profile, testbed=selection.testbed, placement=placement,
        )  # fmt: skip


def _obstacle(benchmark: Benchmark, cell: Cell) -> str:
    """Why this cell cannot be measured; '' if it can."""
    if not benchmark.supported:
        return benchmark.reason
    if cell.ranks < benchmark.min_ranks:
        return f"{benchmark.name} needs at least {benchmark.min_ranks} ranks"
    if benchmark.even_ranks and cell.ranks % 2:
        return f"{benchmark.name} needs an even number of ranks"
    if cell.options.layout != "contiguous" and not benchmark.derived_types:
        return f"{benchmark.name} takes no derived datatypes"
    return ""


def together(cell: Cell) -> tuple[object, ...]:
    """Cells for which this is the same are measured in one launch."""
    return (
        cell.implementation, cell.ranks, cell.options, cell.label, cell.configuration, cell.testbed, cell.placement
    )  # fmt: skip


def launches_of_round(cells: Iterable[Cell], shuffle: random.Random) -> list[list[Cell]]:
    """Return a launch per implementation, configuration, ranks, options and placement, in random order.

    So drift of the machine hits all implementations alike, and no size always follows the same other.
    """
    groups: defaultdict[tuple[object, ...], list[Cell]] = defaultdict(list)
    for cell in sorted(cells):
        groups[together(cell)].append(cell)
    launches = list(groups.values())
    shuffle.shuffle(launches)
    for launch in launches:
        shuffle.shuffle(launch)
    return launches


LAUNCH_SECONDS = 1.0
"""What starting and ending a launch takes, roughly; the runner corrects the pace by what it sees."""
CELL_SECONDS = 0.006
"""What a cell takes beside its repetitions: warm-up, buffers, the fewest repetitions of the largest sizes."""
LEAST_SECONDS_PER_CELL, MOST_SECONDS_PER_CELL = 0.0005, 0.2


DELAYS_PER_CELL = 100
"""One-way delays that a cell takes beside the time for repetitions: agreements of all ranks, warm-up, the fewest
repetitions. Seen at 4 ranks of six implementations with messages of up to 4 MiB (small ones alone: 36)."""


def round_seconds(cells: int, launches_per_round: int, delay_seconds: float = 0.0) -> float:
    """Return what a round takes beside the repetitions, roughly; `delay_seconds` is the longest one way."""
    return launches_per_round * LAUNCH_SECONDS + cells * (CELL_SECONDS + DELAYS_PER_CELL * delay_seconds)


def seconds_per_cell(budget_seconds: float, cells: int, a_round_seconds: float, rounds: int) -> float:
    """Return how long one launch may repeat one cell so that about `rounds` rounds fit into the budget."""
    left = budget_seconds / rounds - a_round_seconds
    return min(MOST_SECONDS_PER_CELL, max(LEAST_SECONDS_PER_CELL, left / max(cells, 1)))
