"""The times of candidates over a set of weighted cells, and how they compare with the default's."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from rankwise.analysis.tune.contrasts import Contrast, contrast
from rankwise.analysis.tune.observations import Observations
from rankwise.core.records import DEFAULT, Cell, FloatArray


class CandidateTimes:
    """All in logarithms: of each candidate one value a round, the weighted mean over the cells."""

    def __init__(self, cells: Sequence[Cell], observed: Observations, calls: Sequence[float] = ()) -> None:
        """`cells`: templates that get the candidate's label; `calls`: how often each comes, none: all alike."""
        self.cells = tuple(cells)
        self._observed = observed
        self._calls = np.array(calls, dtype=np.float64) if any(calls) else None
        self._weights = np.full(len(self.cells), 1.0 / max(len(self.cells), 1))

    def cells_of(self, name: str) -> list[Cell]:
        """Return the cells as this candidate measures them."""
        return [replace(cell, label=name) for cell in self.cells]

    def keep(self, places: Sequence[int]) -> None:
        """Keep only the cells at these places."""
        if len(places) < len(self.cells):
            self.cells = tuple(self.cells[i] for i in places)
            self._weights = np.full(len(places), 1.0 / max(len(places), 1))
            self._calls = self._calls[list(places)] if self._calls is not None else None

    def weigh(self) -> None:
        """Weigh each cell by its calls times the default's time, which is known from the first round on."""
        if self._calls is None or not self.cells:
            return
        logs = np.stack([self._observed.log_seconds(cell) for cell in self.cells_of(DEFAULT)])
        known = [float(np.exp(np.median(row[~np.isnan(row)]))) if np.any(~np.isnan(row)) else 0.0 for row in logs]
        spent = self._calls * np.array(known)
        if np.sum(spent) > 0:
            self._weights = spent / np.sum(spent)

    def mean_logs(self, name: str) -> FloatArray:
        """Return the weighted mean of the cells' logarithms, shape (rounds,), nan where a cell is missing."""
        logs = np.stack([self._observed.log_seconds(cell) for cell in self.cells_of(name)])
        found: FloatArray = self._weights @ logs
        return found

    def against_default(self, name: str) -> Contrast:
        """Return the contrast of a candidate with the default, all cells together."""
        return contrast(self.mean_logs(name), self.mean_logs(DEFAULT))

    def by_cell(self, name: str) -> list[Contrast]:
        """Return the contrast with the default in each cell; none where there is but one cell."""
        if len(self.cells) == 1:
            return []
        pairs = zip(self.cells_of(name), self.cells_of(DEFAULT), strict=True)
        return [contrast(self._observed.log_seconds(ours), self._observed.log_seconds(own)) for ours, own in pairs]
