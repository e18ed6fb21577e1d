"""How often each rank made each different call, and what that took."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from rankwise.analysis.trace.reading import RankTrace
from rankwise.analysis.trace.rows import goes_on

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Use:
    """One signature over all calls of a rank."""

    row: tuple[int, ...]
    kind: str
    rows: int
    """How often it was recorded."""
    calls: int
    """The same; 0 of a row whose call goes on in the next one."""
    seconds: float
    longest_seconds: float


class Uses:
    """How often a rank made each different call, and what that took."""

    def __init__(self, trace: RankTrace) -> None:
        self.trace = trace
        count = len(trace.signatures)
        if trace.keep == "all":
            durations = (trace.exit - trace.entry).astype(np.float64)
            self.rows = np.bincount(trace.order, minlength=count)
            self.seconds = np.bincount(trace.order, durations, minlength=count) / 1e9
            longest = np.zeros(count)
            np.maximum.at(longest, trace.order, durations)
            self.longest: Floats = longest / 1e9
        else:
            known = trace.statistics
            self.rows, self.seconds, self.longest = np.zeros(count, np.int64), np.zeros(count), np.zeros(count)
            self.rows[: len(known)] = known["calls"]
            self.seconds[: len(known)] = known["duration"] / 1e9
            self.longest[: len(known)] = known["most"] / 1e9
        self.idle_seconds = sum(spent for _, spent in trace.idle.values()) / 1e9
        self.mpi_seconds = float(self.seconds.sum()) + self.idle_seconds

    def __iter__(self) -> Iterator[Use]:
        """Yield all that was called."""
        for number, row in enumerate(self.trace.signatures):
            if rows := int(self.rows[number]):
                kind = self.trace.functions[row[0]][1]
                calls = 0 if goes_on(row, kind) else rows
                yield Use(row, kind, rows, calls, float(self.seconds[number]), float(self.longest[number]))
