"""What a search has observed: one time a round for each cell, and the failures."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace

import numpy as np

from rankwise.core.records import DEFAULT, Cell, CellFailure, FloatArray, Launch
from rankwise.stats.summary import median

MOST_DEFAULT_FAILURES = 3
"""Failures of the default in a cell after which there is nothing to compare with there."""


class Observations:
    """Observations are launches: a cell's time in a round is a quantile of its repetitions there, the median."""

    def __init__(self, quantile: float = 0.5) -> None:
        self._quantile = quantile
        self.rounds = 0
        self.launches: Counter[str] = Counter()
        """Asked for so far, by label; those that are shared with other searches count in full."""
        self._seconds: defaultdict[Cell, dict[int, float]] = defaultdict(dict)
        self._failures: defaultdict[Cell, list[CellFailure]] = defaultdict(list)

    def add(self, wanted: Collection[Cell], launches: Sequence[Launch]) -> None:
        """Add a round. Only the cells `wanted` count; one that several `launches` measured has their median."""
        counted = frozenset(wanted)
        by_cell: defaultdict[Cell, list[float]] = defaultdict(list)
        for launch in launches:
            for (cell, quantity), seconds in launch.values(self._quantile).items():
                # Below the timer's resolution there is nothing to compare.
                if cell in counted and quantity == "time" and seconds > 0:
                    by_cell[cell].append(seconds)
            for failure in launch.failures:
                if failure.cell in counted:
                    self._failures[failure.cell].append(failure)
        for cell, times in by_cell.items():
            self._seconds[cell][self.rounds] = median(np.array(times))
        self.launches.update(job[0] for job in {(c.label, c.ranks, c.options, c.placement) for c in counted})
        self.rounds += 1

    def log_seconds(self, cell: Cell) -> FloatArray:
        """Return the logarithms of its times, shape (rounds,); nan in rounds that did not measure it."""
        logs = np.full(self.rounds, np.nan)
        if known := self._seconds.get(cell):
            logs[list(known)] = np.log(list(known.values()))
        return logs

    def comparable(self, cells: Iterable[Cell]) -> tuple[Cell, ...]:
        """Return the cells that the default can do; in others there is nothing to compare with."""
        default = {cell: self._failed([cell], DEFAULT) for cell in cells}
        return tuple(
            cell for cell, failed in default.items()
            if not _is_certain(failed) and len(failed) < MOST_DEFAULT_FAILURES
        )  # fmt: skip

    def why_unusable(self, cells: Iterable[Cell], label: str) -> str:
        """Return '', or why a label is of no use: it fails for certain, or more often than the default."""
        both = self.comparable(cells)
        failed, usual = self._failed(both, label), self._failed(both, DEFAULT)
        return failed[-1].reason if _is_certain(failed) or len(failed) > len(usual) else ""

    def _failed(self, cells: Iterable[Cell], label: str) -> list[CellFailure]:
        labelled = (replace(cell, label=label) for cell in cells)
        return [failure for cell in labelled for failure in self._failures.get(cell, ())]


def _is_certain(failures: Iterable[CellFailure]) -> bool:
    """Not supported, or wrong data: once is enough."""
    return any(failure.kind != "failed" for failure in failures)
