"""How the time of a tuning is shared: search, validation, and what has to be done once both have ended."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rankwise.core.records import Cell, Implementation, Launch
from rankwise.measurement.launch import Launching
from rankwise.measurement.plan import CELL_SECONDS, DELAYS_PER_CELL_IN_BRIEF, LAUNCH_SECONDS

Clock = Callable[[], float]
LEAST_VALIDATION_SHARE, MOST_VALIDATION_SHARE, MOST_FIRST_LOOK_SHARE = 0.25, 0.6, 0.5
"""Of the time: what was found is worth nothing unless it is validated, and has to be found first. The last is what
a first look has at most where a search has still found nothing; one that goes on to find better leaves more."""
LAUNCH_LIMIT_SECONDS = 60.0
MESSAGES_PER_CELL = 6
"""One way: to warm up and the fewest repetitions, there and back."""
SECONDS_PER_CELL = 0.02
TAIL_SECONDS_PER_CELL = 0.5
"""Where another quantile than the median counts: a hundred repetitions show one in a hundred."""
DELAYS_OF_REPETITIONS = 35
"""So long a cell of a validation is repeated over a long link: five times or more where an operation takes one or
two delays and agreeing on its start four. The median of five is not moved by two that share a core badly."""
UNSTEADY = 1.5
"""How many times as long as expected a launch may take that is begun near the end."""
CLOSING_SECONDS, CLOSING_SHARE = 1.0, 0.03
"""Starting Rankwise, ending the testbed and writing the profile; of a long time more, since all may be slower."""


def seconds_per_cell(quantile: float, delay_seconds: float = 0.0, most_seconds: float = math.inf) -> float:
    """Return how long a cell is repeated in a launch where this quantile of its repetitions is compared.

    `delay_seconds`: the longest one way, where launches come to a cell only once; `most_seconds`: what a cell may
    take for it with what it takes beside its repetitions.
    """
    least = SECONDS_PER_CELL if quantile <= 0.5 else TAIL_SECONDS_PER_CELL
    over_links = min(
        DELAYS_OF_REPETITIONS * delay_seconds, most_seconds - DELAYS_PER_CELL_IN_BRIEF * delay_seconds
    )
    return max(least, over_links)


def share_of_first(needed_seconds: Sequence[float], seconds: float) -> float:
    """Return what the first has of `seconds`: as much as all others, and what one does not need is theirs.

    `needed_seconds`: of the first and of those that come after it. If there is enough for all, everybody has more
    than it needs, by the same factor.
    """
    whole, first, left = sum(needed_seconds), needed_seconds[0], seconds
    if whole <= seconds:
        return seconds * first / whole if whole else seconds
    for place, needed in enumerate(sorted(needed_seconds)):
        equal = left / (len(needed_seconds) - place)
        if needed >= min(first, equal):
            return min(first, equal)
        left -= needed
    return first


def validation_part(expected_seconds: float, seconds: float, most_share: float = MOST_VALIDATION_SHARE) -> float:
    """Return what a search has to leave of `seconds` for a validation that is expected to take so long."""
    return min(max(expected_seconds, LEAST_VALIDATION_SHARE * seconds), most_share * seconds)


@dataclass(frozen=True, slots=True)
class Budget:
    """So many seconds from `began` on, all told."""

    began: float
    seconds: float
    clock: Clock = time.monotonic

    @property
    def end(self) -> float:
        """Return when all is over, in seconds of the clock."""
        return self.began + self.seconds

    def validation_end(self, closing_launches_seconds: float) -> float:
        """Return when the validation has to end: before the launches that see what is in force."""
        return self.end - max(CLOSING_SECONDS, CLOSING_SHARE * self.seconds) - closing_launches_seconds


class TimeIsOverError(Exception):
    """A launch would have ended too late."""


class PunctualLaunching(Launching):
    """A PunctualLaunching begins no launch that is likely to end after `end`.

    It is expected to take UNSTEADY times what the last one like it took, by its cells, but no longer than its
    MPI's longest so far. Of an MPI's first launch, `pace` says what it takes.
    """

    end = math.inf
    """In seconds of `clock`."""
    clock: Clock = staticmethod(time.monotonic)

    def __init__(self, *arguments: Any, pace: Pace, **more: Any) -> None:
        """Take what `Launching` takes beside the pace, which learns from each launch."""
        super().__init__(*arguments, **more)
        self._longest_seconds: dict[str, float] = {}
        self._pace = pace

    def launch(
        self, implementation: Implementation, program: Path, cells: Sequence[Cell], *arguments: Any, **more: Any
    ) -> Launch:
        """Measure as `Launching.launch` does. Raises TimeIsOverError."""
        longest = self._longest_seconds.get(implementation.id)
        expected = self._pace.launch_seconds(cells)
        if longest is None:
            expected = min(expected, self.limit_seconds)
        else:
            expected = min(longest, UNSTEADY * expected) if self._pace.knows(cells[0]) else longest
        if self.clock() + expected > self.end:
            raise TimeIsOverError
        launch = super().launch(implementation, program, cells, *arguments, **more)
        self._longest_seconds[implementation.id] = max(longest or 0.0, launch.seconds)
        self._pace.add([launch])
        return launch


@dataclass(slots=True)
class Pace:
    """What launches take, learnt from those that were seen."""

    delay_seconds: Callable[[str], float]
    """One way, of the longest path with ranks placed so."""
    byte_seconds: Callable[[str], float] = lambda _: 0.0
    """What a byte takes on the slowest of these paths."""
    _seen: dict[tuple[object, ...], tuple[float, float]] = field(default_factory=dict)
    """Of the last launch, by what its cells share and by implementation: seconds of starting and ending, and how
    many times as long its cells took as one would think before any was seen."""

    def add(self, launches: Iterable[Launch]) -> None:
        """Take launches into account."""
        for launch in launches:
            if launch.status == "finished" and launch.series and launch.cells_seconds and not launch.verifying:
                expected = sum(self._cell_seconds(series.cell) for series in launch.series)
                parts = launch.seconds - launch.cells_seconds, launch.cells_seconds / expected
                first = launch.series[0].cell
                self._seen[_whose(first)] = self._seen[_shared(first)] = parts

    def knows(self, cell: Cell) -> bool:
        """Return whether a launch of the cell's MPI was seen."""
        return _whose(cell) in self._seen

    def launch_seconds(self, cells: Sequence[Cell]) -> float:
        """Return what a launch of these cells takes, roughly: as the last one like it, or at least of its MPI."""
        first = cells[0]
        seen = self._seen.get(_shared(first)) or self._seen.get(_whose(first))
        start, factor = seen or (LAUNCH_SECONDS, 1.0)
        return start + factor * sum(map(self._cell_seconds, cells))

    def _cell_seconds(self, cell: Cell) -> float:
        delays = DELAYS_PER_CELL_IN_BRIEF * self.delay_seconds(cell.placement)
        return CELL_SECONDS + delays + MESSAGES_PER_CELL * cell.size_bytes * self.byte_seconds(cell.placement)


def _shared(cell: Cell) -> tuple[object, ...]:
    return *_whose(cell), cell.ranks, cell.options, cell.placement


def _whose(cell: Cell) -> tuple[object, ...]:
    """Raw TCP pauses where an MPI's messages do not."""
    return cell.implementation, cell.benchmark.startswith("tcp_")
