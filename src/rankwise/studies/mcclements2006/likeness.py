"""Which schedule an implementation's own curve looks like, and what the library itself says of that.

The distance of two curves is the root of the mean square of the logarithm of their ratio over sizes, told as a
factor: 1.1 is 10 % apart at a typical size. Both are
measured in the same launches, so each launch gives a distance.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from rankwise.core.units import format_size
from rankwise.studies import wording
from rankwise.studies.base import Told
from rankwise.studies.mcclements2006.findings import Measured, Times
from rankwise.studies.ranges import FEWEST_LAUNCHES, Range, over_launches

NEAR = 1.25
"""A curve further away than this looks like none."""
_KIB = 1 << 10
_SAME = {
    "basic_linear": "linear", "linear_sync": "linear", "pipeline": "chain", "binary_tree": "binary",
    "scatter_allgather": "scatter_allgather_doubling",
    "scatter_recursive_doubling_allgather": "scatter_allgather_doubling",
    "scatter_ring_allgather": "scatter_allgather_ring", "reduce_scatter_gather": "rabenseifner",
    "brucks": "bruck", "neighbor": "neighbor_exchange", "non-overlapping": "reduce_scatterv",
}  # fmt: skip
"""Our schedules by the names that Open MPI and MPICH have for them; the others are called alike."""
_OTHERWISE = {("allgather", "linear"): "gather_bcast"}
"""Open MPI's linear allgather is a gather and a broadcast."""


@dataclass(frozen=True, slots=True)
class SizeClass:
    """Sizes over which two curves are held against one another, both ends included."""

    name: str
    least_bytes: int
    most_bytes: float

    def has(self, size_bytes: int) -> bool:
        """Return whether the size is one of them."""
        return self.least_bytes <= size_bytes <= self.most_bytes


SMALL = SizeClass("small", 0, _KIB)
MIDDLE = SizeClass("middle", _KIB + 1, 512 * _KIB - 1)
LARGE = SizeClass("large", 512 * _KIB, math.inf)
CLASSES = (SMALL, MIDDLE, LARGE)
"""All sizes at which the libraries of 2006 changed their algorithms lie between the small and the large ones."""
CLASS_WORDS = f"small: up to {format_size(_KIB)}; large: from {format_size(512 * _KIB)} on; middle: between them"


@dataclass(frozen=True, slots=True)
class Likeness:
    """One operation of one implementation over one class of sizes."""

    operation: str
    distances: dict[str, Range] = field(default_factory=dict)
    """A factor from 1 on, by schedule, the nearest first; empty: not measured."""
    says: str = ""
    """Our name for the algorithm that the library says it takes here, if it is one for all these sizes."""
    known: frozenset[str] = frozenset()
    """Our names of those that the library lists."""

    @property
    def launches(self) -> int:
        """Return the fewest launches that any distance is of; 0: not measured."""
        return min((estimate.launches for estimate in self.distances.values()), default=0)

    @property
    def nearest(self) -> tuple[str, ...]:
        """Return the nearest schedule and those that cannot be told from it; none if none is near."""
        if not self.distances:
            return ()
        best = next(iter(self.distances.values()))
        return tuple(
            name
            for name, estimate in self.distances.items()
            if estimate.value <= NEAR and estimate.low <= best.high
        )

    @property
    def agrees(self) -> bool | None:
        """Return whether the nearest is what the library says; None where it does not, none is near, or too
        little was measured."""
        if not (self.says and self.nearest) or self.launches < FEWEST_LAUNCHES:
            return None
        return self.says in self.nearest

    def words(self) -> str:
        """Return `binomial 1.04, as it says`; after too few launches with their number."""
        if not self.distances:
            return "–"
        names = self.nearest
        first = next(iter(self.distances))
        shown = " or ".join(names) if names else f"none, nearest {first}"
        few = f" [{wording.launches(self.launches)}]" if self.launches < FEWEST_LAUNCHES else ""
        return f"{shown} {self.distances[first].value:.2f}{few}{self._library()}"

    def _library(self) -> str:
        if self.says:
            return ", as it says" if self.says in self.nearest else f", says {self.says}"
        if self.known and self.nearest and not self.known & set(self.nearest):
            return ", not in its list"
        return ""


def likeness(measured: Measured, name: str, operation: str, sizes: SizeClass) -> Likeness:
    """Return how far each schedule is from the implementation's own operation, with its interval."""
    distances = {}
    for schedule in measured.schedules(name, operation):
        ratios = measured.within_launches(name, operation, schedule)
        launches = _distances([times for size, times in ratios.items() if sizes.has(size)])
        if launches:
            distances[schedule.partition(".")[2].partition(":")[0]] = over_launches(launches)
    ordered = dict(sorted(distances.items(), key=lambda item: item[1].value))
    reported = measured.results.told.get((name, operation), Told())
    said = {word for size, word in reported.default.items() if sizes.has(size)}
    says = ours(operation, said.pop()) if len(said) == 1 else ""
    return Likeness(
        operation, ordered, says, frozenset(ours(operation, algorithm) for algorithm in reported.known)
    )


def ours(operation: str, native: str) -> str:
    """Return what the schedule is called that does what a library calls `native`."""
    return _OTHERWISE.get((operation, native)) or _SAME.get(native, native)


def _distances(ratios: Sequence[Times]) -> list[float]:
    """One factor for each launch that has all sizes."""
    if not ratios:
        return []
    common = set.intersection(*(set(times) for times in ratios))
    return [
        math.exp(math.sqrt(sum(math.log(times[number]) ** 2 for times in ratios) / len(ratios)))
        for number in sorted(common)
    ]
