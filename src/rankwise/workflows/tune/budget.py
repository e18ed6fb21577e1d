"""How the time of a tuning is shared: search, validation, and what has to be done once both have ended."""

from __future__ import annotations

import math
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from rankwise.core.records import Cell, Launch
from rankwise.measurement.launch import Launching
from rankwise.measurement.plan import round_seconds

Clock = Callable[[], float]
LEAST_VALIDATION_SHARE, MOST_VALIDATION_SHARE = 0.25, 0.5
"""Of the time: what was found is worth nothing unless it is validated, and has to be found first."""
CLOSING_SECONDS = 1.0
"""Ending the testbed and writing the profile."""


@dataclass(frozen=True, slots=True)
class Budget:
    """So many seconds from `began` on, all told."""

    began: float
    seconds: float
    clock: Clock = time.monotonic

    def validation_seconds(self, expected_seconds: float) -> float:
        """Return what the search has to leave for a validation that is expected to take so long."""
        least, most = LEAST_VALIDATION_SHARE * self.seconds, MOST_VALIDATION_SHARE * self.seconds
        return min(max(expected_seconds, least), most)

    def validation_end(self, closing_launches_seconds: float) -> float:
        """Return when the validation has to end: before the launches that see what is in force."""
        return self.began + self.seconds - CLOSING_SECONDS - closing_launches_seconds


class TimeIsOverError(Exception):
    """A launch would have ended too late."""


class PunctualLaunching(Launching):
    """A PunctualLaunching begins no launch that, taking as long as the longest so far, would end after `end`."""

    end = math.inf
    """In seconds of `clock`."""
    clock: Clock = staticmethod(time.monotonic)
    _longest_seconds = 0.0

    def launch(self, *arguments: Any, **more: Any) -> Launch:
        """Measure as `Launching.launch` does. Raises TimeIsOverError."""
        if self.clock() + self._longest_seconds > self.end:
            raise TimeIsOverError
        found = super().launch(*arguments, **more)
        self._longest_seconds = max(self._longest_seconds, found.seconds)
        return found


@dataclass(slots=True)
class Pace:
    """What launches take, learnt from those that were seen."""

    delay_seconds: Callable[[str], float]
    """One way, of the longest path with ranks placed so."""
    _started: defaultdict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    _per_cell: defaultdict[str, list[float]] = field(default_factory=lambda: defaultdict(list))

    def add(self, launches: Iterable[Launch]) -> None:
        """Take launches into account."""
        for one in launches:
            visits = len(one.series) if not one.verifying else 0
            if one.status == "finished" and visits and one.cells_seconds:
                self._started[one.implementation].append(one.seconds - one.cells_seconds)
                self._per_cell[one.implementation].append(one.cells_seconds / visits)

    def launch_seconds(self, cells: Sequence[Cell]) -> float:
        """Return what a launch of these cells takes, roughly."""
        first = cells[0]
        if seen := self._started.get(first.implementation):
            per_cell = float(np.mean(self._per_cell[first.implementation]))
            return float(np.mean(seen)) + len(cells) * per_cell
        return round_seconds(len(cells), 1, self.delay_seconds(first.placement))
