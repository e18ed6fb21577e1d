"""What a search has observed: one time a round for each cell, and the failures."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from rankwise.core.records import Cell, FloatArray, Launch
from rankwise.core.units import format_size
from rankwise.stats.summary import median


@dataclass(slots=True)
class Failures:
    """The failures of a cell: how often, the last one's reason, and whether it would always fail."""

    times: int = 0
    reason: str = ""
    certain: bool = False
    """Not supported, or wrong data: once is enough."""


class Observations:
    """Observations are launches: a cell's time in a round is the median of its repetitions there."""

    def __init__(self) -> None:
        self.rounds = 0
        self.launches: Counter[str] = Counter()
        """Asked for so far, by profile; those that are shared with other searches count in full."""
        self._seconds: defaultdict[Cell, dict[int, float]] = defaultdict(dict)
        self._failures: dict[Cell, Failures] = {}

    def add(self, wanted: Collection[Cell], launches: Sequence[Launch]) -> None:
        """Add a round. Of `launches` only the cells `wanted` count; one measured twice has the median of both."""
        asked = frozenset(wanted)
        found: defaultdict[Cell, list[float]] = defaultdict(list)
        for launch in launches:
            for series in launch.series:
                samples = series.samples_seconds[np.isfinite(series.samples_seconds)]
                if series.cell not in asked or series.quantity != "time" or not samples.size:
                    continue
                if (seconds := median(samples)) > 0:  # below the timer's resolution there is nothing to compare
                    found[series.cell].append(seconds)
            for failure in launch.failures:
                if failure.cell in asked:
                    known = self._failures.setdefault(failure.cell, Failures())
                    known.times += 1
                    known.reason = failure.reason
                    known.certain |= failure.kind != "failed"
        for cell, times in found.items():
            self._seconds[cell][self.rounds] = median(np.array(times))
        self.launches.update(one[0] for one in {(c.label, c.ranks, c.options, c.placement) for c in asked})
        self.rounds += 1

    def log_seconds(self, cell: Cell) -> FloatArray:
        """Return the logarithms of its times, shape (rounds,); nan in rounds that did not measure it."""
        logs = np.full(self.rounds, np.nan)
        if known := self._seconds.get(cell):
            logs[list(known)] = np.log(list(known.values()))
        return logs

    def failures(self, cells: Collection[Cell]) -> Failures:
        """Return the failures of all these cells taken together."""
        found = [self._failures[cell] for cell in cells if cell in self._failures]
        return Failures(
            sum(one.times for one in found),
            next((one.reason for one in found), ""),
            any(one.certain for one in found),
        )


def cell_words(cell: Cell) -> str:
    """Name a cell in a sentence: `in bcast of 64 KiB on 4 ranks, placement block`."""
    of = f"{cell.benchmark} of {format_size(cell.size_bytes)}" if cell.size_bytes else cell.benchmark
    return f"in {of} on {cell.ranks} ranks, placement {cell.placement}"
