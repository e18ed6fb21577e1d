"""Makes the cells of a plan from what was asked, and cuts each round of it into shuffled launches."""

from __future__ import annotations

import fnmatch
import math
import random
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from rankwise.core.errors import InputError, UnknownNameError
from rankwise.core.jobs import Host
from rankwise.core.records import Benchmark, Category, Cell, CellFailure, Implementation, Options
from rankwise.core.schedule_names import is_schedule, operation_of
from rankwise.measurement.placement import place

DEFAULT_BENCHMARKS = (
    "pingpong", "bandwidth", "sendrecv", "barrier", "bcast", "reduce", "allreduce", "allgather", "alltoall",
    "tcp_pingpong", "memcpy",
)  # fmt: skip
PAIR_CATEGORIES: tuple[Category, ...] = ("point-to-point", "one-sided", "baseline", "harness")
"""Measured between two ranks unless the ranks are given; all else uses every core."""
ONLY_BY_NAME: tuple[Category, ...] = ("guideline", "schedule", "pattern")
"""Not meant by `all`: they tell something only beside the operation whose work they do."""

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
    """Names, patterns (`bcast.*`), categories (`collective`) and `all` as benchmark names, in order, each once.

    Raises UnknownNameError with the nearest names for what is no benchmark, InputError for a pattern of none.
    """
    categories = {benchmark.category for benchmark in known.values()}
    names: dict[str, None] = {}
    for word in wanted:
        if word in known:
            names[word] = None
        elif word in categories or word == "all":
            names.update({name: None for name, benchmark in known.items() if _is_meant(benchmark, word)})
        elif any(sign in word for sign in "*?["):
            names.update(dict.fromkeys(_matching(word, known)))
        else:
            raise UnknownNameError("benchmark", word, [*known, *categories, "all"])
    return tuple(names)


def with_schedules(benchmarks: Sequence[str], known: Mapping[str, Benchmark]) -> tuple[str, ...]:
    """Return those of the operations that have schedules, with all of these. Raises InputError if none has."""
    names: dict[str, None] = {}
    for name in benchmarks:
        schedules = [schedule for schedule in known if is_schedule(schedule) and operation_of(schedule) == name]
        names.update(dict.fromkeys([name, *schedules] if schedules or is_schedule(name) else []))
    if not names:
        raise InputError(
            f"no schedule does what {', '.join(benchmarks)} does",
            "schedules exist for collectives: rankwise schedule list",
        )
    return tuple(names)


def _matching(pattern: str, known: Iterable[str]) -> list[str]:
    matches = fnmatch.filter(known, pattern)
    if not matches:
        raise InputError(f"no benchmark has a name like '{pattern}'", "rankwise bench --list shows them")
    return matches


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
        raise InputError(f"nothing to measure: {'; '.join(reasons) or 'no benchmark given'}")
    return tuple(cells), tuple(unsupported)


def _cells_of(implementation_id: str, benchmark: Benchmark, selection: Selection) -> Iterable[Cell]:
    pairs = benchmark.category in PAIR_CATEGORIES
    slots = sum(host.slots for host in selection.hosts)
    counts = selection.ranks or ((2,) if pairs else (max(2, slots),))
    apart = pairs and not selection.ranks and len({host.site for host in selection.hosts}) > 1
    placements = selection.placements or (("across-sites",) if apart else ("block",))
    for placement, ranks in product(placements, counts):
        place(placement, selection.hosts, ranks)  # what cannot be placed is an error now, not in every launch
    for options, profile, placement, ranks in product(selection.options, selection.profiles, placements, counts):
        for size_bytes in _sizes(benchmark, options, selection.sizes_bytes):
            yield Cell(
                implementation_id, benchmark.name, size_bytes, ranks, options,
                label=profile, testbed=selection.testbed, placement=placement,
            )  # fmt: skip


_ITEM_BYTES = {"byte": 1, "int": 4, "float": 4, "double": 8}
_DERIVED_ITEMS = 4
"""Items in an element of a derived datatype (csrc/harness/message.c)."""


def _sizes(benchmark: Benchmark, options: Options, sizes: Sequence[int]) -> tuple[int, ...]:
    """What really moves for the sizes that were asked for: whole elements, each size once.

    Reductions of 1 and of 4 bytes are the same float: measured under both names they would count twice in every
    mean and in every correction.
    """
    if not benchmark.sized:
        return (0,)
    item = max(_ITEM_BYTES[options.datatype], _ITEM_BYTES["float"] if benchmark.reduces else 1)
    unit = item * (_DERIVED_ITEMS if options.layout != "contiguous" else 1)
    return tuple(dict.fromkeys(-(-size // unit) * unit for size in sizes))


def _obstacle(benchmark: Benchmark, cell: Cell) -> str:
    """Why this cell cannot be measured; '' if it can."""
    options = cell.options
    objections = (
        (not benchmark.supported, benchmark.reason),
        (options.groups > 1 and not benchmark.groups, f"{benchmark.name} does not run on groups of ranks"),
        (cell.ranks % options.groups != 0, f"{cell.ranks} ranks do not divide into {options.groups} groups"),
        (cell.ranks // options.groups < benchmark.min_ranks,
         f"{benchmark.name} needs at least {benchmark.min_ranks} ranks"),
        (benchmark.even_ranks and cell.ranks % 2, f"{benchmark.name} needs an even number of ranks"),
        (options.layout != "contiguous" and not benchmark.derived_types,
         f"{benchmark.name} takes no derived datatypes"),
        (options.in_place and not benchmark.in_place, f"{benchmark.name} cannot be done in place"),
    )  # fmt: skip
    return next((reason for applies, reason in objections if applies), "")


def together(cell: Cell) -> tuple[object, ...]:
    """Cells for which this is the same are measured in one launch."""
    return (
        cell.implementation, cell.ranks, cell.options, cell.label, cell.configuration, cell.testbed, cell.placement
    )  # fmt: skip


def launches_of_round(cells: Iterable[Cell], shuffle: random.Random, visits: int = 1) -> list[list[Cell]]:
    """Return a launch per implementation, configuration, ranks, options and placement, in random order.

    So drift of the machine hits all implementations alike, and no size always follows the same other. A launch
    comes to each of its cells `visits` times, each time in another order.
    """
    groups: defaultdict[tuple[object, ...], list[Cell]] = defaultdict(list)
    for cell in sorted(cells):
        groups[together(cell)].append(cell)
    launches = list(groups.values())
    shuffle.shuffle(launches)
    return [[cell for _ in range(visits) for cell in shuffle.sample(launch, len(launch))] for launch in launches]


LAUNCH_SECONDS = 1.0
"""What starting and ending a launch takes, roughly; the runner corrects the pace by what it sees."""
CELL_SECONDS = 0.006
"""What a cell takes beside its repetitions: warm-up, buffers, the fewest repetitions of the largest sizes."""
LEAST_SECONDS_PER_CELL = 0.0005
REPETITION_SECONDS = 0.0005
"""Repeating a cell for so long leaves as much variance by the repetitions as there is between launches and visits.

From default runs of six implementations: after 25 ms the repetitions' share of the variance is 2 %."""
DELAYS_PER_CELL = 50
"""One-way delays that a cell takes beside the time for repetitions: agreements of all ranks, warm-up, the fewest
repetitions. Seen at 4 and 8 ranks with broadcasts and reductions of 1 KiB, 64 KiB and 1 MiB."""
DELAYS_PER_CELL_IN_BRIEF = 25
"""The same where warm-up and repetitions are the fewest that there can be."""


def round_seconds(
    cells: int, launches_per_round: int, delay_seconds: float = 0.0, *, brief: bool = False
) -> float:
    """Return what a round takes beside the repetitions, roughly; `delay_seconds` is the longest one way."""
    delays = DELAYS_PER_CELL_IN_BRIEF if brief else DELAYS_PER_CELL
    return launches_per_round * LAUNCH_SECONDS + cells * (CELL_SECONDS + delays * delay_seconds)


def seconds_per_cell(budget_seconds: float, cells: int, a_round_seconds: float, rounds: int) -> float:
    """Return how long a launch should repeat each cell; less where the budget would not hold `rounds` rounds.

    The variance of a launch's median is proportional to 1 + REPETITION_SECONDS / t, what a cell costs to
    t + c, with c the round's other time over its cells; their product is smallest at the square root of
    REPETITION_SECONDS x c (Cochran 1977, "Sampling techniques", section 10.6). That is 3 ms for a hundred cells a
    launch and 20 ms for one: time beyond that buys more as further launches.
    """
    other = a_round_seconds / max(cells, 1)
    left = budget_seconds / rounds / max(cells, 1) - other
    return max(LEAST_SECONDS_PER_CELL, min(math.sqrt(REPETITION_SECONDS * other), left))
