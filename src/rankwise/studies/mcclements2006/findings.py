"""The quantities that statements, tables and figures draw upon: times over launches, and their ratios."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from rankwise.core.schedule_names import is_schedule, operation_of
from rankwise.core.units import version_numbers
from rankwise.stats.summary import geometric_mean, median
from rankwise.studies.base import Results
from rankwise.studies.mcclements2006.plan import COPY
from rankwise.studies.ranges import Range, over_launches

OPENMPI = "openmpi"
MPICH = "mpich"
LAM = "lammpi"
FAMILIES = {"Open MPI": OPENMPI, "MPICH": MPICH, "MPICH2": MPICH, "LAM/MPI": LAM}
"""The paper's libraries that are still measured, by its names; MPICH 1 and Sun MPI are not."""
Times = Mapping[int, float]
"""The median of each launch that measured a cell, seconds, by the launch's number."""


@dataclass(frozen=True)
class Measured:
    """One run: its times, by implementation, benchmark and size."""

    results: Results

    @cached_property
    def times(self) -> dict[tuple[str, str], dict[int, Times]]:
        """Return the times by implementation and benchmark, then size. Cells with wrong data are left out."""
        wrong = {record.cell for record in self.results.comparison.wrong_data}
        numbers: defaultdict[str, int] = defaultdict(int)
        times: defaultdict[tuple[str, str], defaultdict[int, dict[int, float]]] = defaultdict(
            lambda: defaultdict(dict)
        )
        for launch in self.results.launches:
            if launch.verifying:
                continue
            number = numbers[launch.implementation]
            numbers[launch.implementation] += 1
            for (cell, quantity), seconds in launch.values().items():
                if quantity == "time" and cell not in wrong and seconds > 0:
                    times[cell.implementation, cell.benchmark][cell.size_bytes][number] = seconds
        return {key: dict(sorted(sizes.items())) for key, sizes in times.items()}

    @property
    def implementations(self) -> tuple[str, ...]:
        """Return those of the run, in its order."""
        return self.results.comparison.implementations

    def seconds(self, name: str, benchmark: str) -> dict[int, Range]:
        """Return the median over launches by size; nothing of what was not measured."""
        return {size: over_launches(times.values()) for size, times in self._sizes(name, benchmark).items()}

    def copy_seconds(self) -> dict[int, Range]:
        """Return what a copy in memory takes, by size; one implementation's launches carry it."""
        return next((self.seconds(name, COPY) for name in self.implementations if self._sizes(name, COPY)), {})

    def schedules(self, name: str, operation: str) -> list[str]:
        """Return the benchmarks of schedules that this implementation's launches have, for one operation."""
        return [
            benchmark
            for own, benchmark in self.times
            if own == name and is_schedule(benchmark) and operation_of(benchmark) == operation
        ]

    def within_launches(self, name: str, benchmark: str, schedule: str) -> dict[int, Times]:
        """Return benchmark over schedule in each launch that measured both, by size: what slows it slows both."""
        native, other = self._sizes(name, benchmark), self._sizes(name, schedule)
        return {
            size: {
                number: native[size][number] / other[size][number] for number in native[size].keys() & other[size]
            }
            for size in native
            if size in other
        }

    def over(self, name: str, other: str, benchmark: str) -> dict[int, Range]:
        """Return the time of `name` over that of `other`, by size."""
        own, theirs = self.seconds(name, benchmark), self.seconds(other, benchmark)
        return {size: own[size] / theirs[size] for size in own if size in theirs}

    def excess(self, name: str, operations: Sequence[str]) -> Range | None:
        """Return how many times its core's fastest schedule the operation takes: a geometric mean of cells."""
        return mean_of([over_launches(times.values()) for times in self._best(name, operations) if times])

    def _best(self, name: str, operations: Sequence[str]) -> Iterable[Times]:
        for operation in operations:
            beside = [
                self.within_launches(name, operation, schedule) for schedule in self.schedules(name, operation)
            ]
            for size in self._sizes(name, operation):
                ratios = [by_number[size] for by_number in beside if by_number.get(size)]
                if ratios:
                    yield max(ratios, key=lambda by_number: median(np.array(list(by_number.values()))))

    def _sizes(self, name: str, benchmark: str) -> dict[int, Times]:
        return self.times.get((name, benchmark), {})


def mean_of(ranges: Sequence[Range]) -> Range | None:
    """Return the geometric mean of ratios; its ends are those of all at once, so it is rather too wide."""
    known = [estimate for estimate in ranges if estimate.launches and estimate.low > 0]
    if not known:
        return None
    value, low, high = (
        geometric_mean(np.array([getattr(estimate, end) for estimate in known]))
        for end in ("value", "low", "high")
    )
    return Range(value, low, high, min(estimate.launches for estimate in known))


def of_family(names: Iterable[str], family: str) -> list[str]:
    """Return the implementations of this family, the newest version first."""
    own = [name for name in names if name.partition("-")[0] == family]
    return sorted(own, key=version_numbers, reverse=True)


@dataclass(frozen=True)
class Findings:
    """All runs that were measured, by label."""

    results: Mapping[str, Results]

    @cached_property
    def runs(self) -> dict[str, Measured]:
        """Return each run's times."""
        return {label: Measured(run_results) for label, run_results in self.results.items()}

    @property
    def implementations(self) -> tuple[str, ...]:
        """All that were measured in any run, in the order of the runs."""
        return tuple(dict.fromkeys(name for run in self.runs.values() for name in run.implementations))


def largest_rate(run: Measured | None, name: str, benchmark: str) -> Range | None:
    """Return the largest bandwidth over all sizes, bytes per second and direction; of medians, not of bests."""
    seconds = run.seconds(name, benchmark) if run else {}
    return max((estimate.inverted(size) for size, estimate in seconds.items() if size), key=_value, default=None)


def share_of_copy(run: Measured | None, name: str) -> Range | None:
    """Return the bandwidth of the ping-pong over that of a copy in memory, at the largest size of both."""
    own, copy = (run.seconds(name, "pingpong"), run.copy_seconds()) if run else ({}, {})
    size = max(own.keys() & copy.keys(), default=None)
    return copy[size] / own[size] if size is not None else None


def against(
    run: Measured | None, benchmark: str, family: str, others: Sequence[str]
) -> dict[tuple[str, str], dict[int, Range]]:
    """Return the time of the newest of each other family over that of the newest of `family`, by both and size."""
    names = run.implementations if run else ()
    pairs = [(name, of_family(names, other)[:1]) for name in of_family(names, family)[:1] for other in others]
    by_pair = (
        {(name, other): run.over(other, name, benchmark) for name, own in pairs for other in own} if run else {}
    )
    return {pair: leads for pair, leads in by_pair.items() if leads}


def least(ranges: Iterable[Range]) -> Range | None:
    """Return the one with the smallest value."""
    return min(ranges, key=_value, default=None)


def _value(estimate: Range) -> float:
    return estimate.value
