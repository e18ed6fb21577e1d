"""Where the noise of a cell comes from: the launch, the cell within it, the visit, the repetitions of a visit.

A visit is one series of a cell in one launch; a launch may visit each of its cells twice.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from rankwise.core.records import OWN, Cell, FloatArray, Launch

FEWEST_LAUNCHES = 3
"""Of the same cells, before their variance is worth a decision."""
MOST_VISITS = 2


@dataclass(frozen=True, slots=True)
class VarianceParts:
    """Variances of the logarithm of one visit's median, which add up to that of a launch with one visit."""

    launch: float
    """Common to all cells of a launch: where its ranks and pages lie."""
    cell: float
    """Of a cell in a launch, the same at each of its visits; 0 where no launch visited a cell twice."""
    visit: float
    """Of the moment at which the launch came to the cell; with `cell` where no launch visited one twice."""
    repetition: float
    """Of so few repetitions."""

    @property
    def total(self) -> float:
        """The variance of a launch's median with one visit."""
        return self.launch + self.cell + self.visit + self.repetition

    def shares(self) -> dict[str, float]:
        """Return each part over the total, 0 to 1; nothing where nothing varied."""
        if not self.total > 0:
            return {}
        return {name: getattr(self, name) / self.total for name in ("launch", "cell", "visit", "repetition")}

    def with_visits(self, visits: int) -> float:
        """Return the variance of a launch's value that is the mean of so many visits."""
        return self.launch + self.cell + (self.visit + self.repetition) / visits

    def visits_that_pay(self, cells: float, launch_seconds: float, visit_seconds: float) -> int:
        """Return how often a launch should come to each of its cells: 1 or 2.

        The variance of a result is `with_visits(k)` over the number of launches, and that number is the time over
        `launch_seconds + k x cells x visit_seconds`; the best k has the smallest product of the two, near
        sqrt(within / between x launch_seconds / (cells x visit_seconds)) (Cochran 1977, "Sampling techniques",
        section 10.6: subsampling with two costs). `visit_seconds` is what one visit takes, `launch_seconds` what
        a launch takes beside its visits.
        """
        return min(
            range(1, MOST_VISITS + 1),
            key=lambda k: self.with_visits(k) * (launch_seconds + k * cells * visit_seconds),
        )


class Variances:
    """Takes launches as they end, and says what their noise is made of."""

    def __init__(self) -> None:
        self._groups: defaultdict[Hashable, list[Mapping[Cell, list[FloatArray]]]] = defaultdict(list)

    def add(self, launch: Launch) -> None:
        """Take the times of a launch into account; only their first and last halves' medians are kept."""
        medians = {
            cell: [_medians(np.log(series.samples_seconds)) for series in visits]
            for (cell, quantity), visits in launch.visits().items()
            if quantity in OWN
            and all(series.samples_seconds.size > 1 and np.all(series.samples_seconds > 0) for series in visits)
        }
        if medians:
            cell = next(iter(medians))
            shared = (launch.implementation, cell.label, cell.ranks, cell.options, cell.placement)
            self._groups[shared].append(medians)

    def visits_that_pay(self, cells: float, launch_seconds: float, visit_seconds: float) -> int:
        """Return what `VarianceParts` says of it; 1 as long as too little is known."""
        parts = self.parts()
        return parts.visits_that_pay(cells, launch_seconds, visit_seconds) if parts else 1

    def parts(self) -> VarianceParts | None:
        """Return the parts, pooled over all launches; None with fewer than FEWEST_LAUNCHES of the same cells.

        By the method of moments for a nested design (Searle, Casella & McCulloch 1992, "Variance components",
        chapter 3): launches, cells in launches, visits in those. Negative estimates count as 0. The part of the
        repetitions is a quarter of the squared difference between the medians of a visit's first and last half.
        """
        sums = [_sums(group) for group in self._groups.values() if len(group) >= FEWEST_LAUNCHES]
        if not sums:
            return None
        total = {name: sum(addend[name] for addend in sums) for name in sums[0]}
        repetition = _ratio(total["halves"], total["visits"])
        within = _ratio(total["between visits"], total["visit freedom"])
        residual = _ratio(total["residuals"], total["residual freedom"])
        visits = _ratio(total["visits"], total["means"])
        launches = _ratio(total["launches"], total["launch freedom"])
        between = max(0.0, launches - _ratio(residual, total["cells"] / len(sums)))
        if not total["visit freedom"]:  # one visit each does not tell the cell's part from the visit's
            return VarianceParts(between, 0.0, max(0.0, residual - repetition), repetition)
        cell = max(0.0, residual - within / visits)
        return VarianceParts(between, cell, max(0.0, within - repetition), min(repetition, within))


def _medians(logs: FloatArray) -> FloatArray:
    """The medians of all samples, of the first half, and of the last half; shape (3,)."""
    half = logs.size // 2
    return np.array([np.median(logs), np.median(logs[:half]), np.median(logs[-half:])])


def _ratio(value: float, count: float) -> float:
    return value / count if count > 0 else 0.0


def _sums(group: list[Mapping[Cell, list[FloatArray]]]) -> dict[str, float]:
    """Sums of squares of the launches of one group, and how many independent terms each has."""
    visits = [values for launch in group for values in launch.values()]
    table = _table(group)
    table = table - np.nanmean(table, axis=1, keepdims=True)
    effects = np.nanmean(table, axis=0)
    residuals = table - effects
    means = int(np.sum(~np.isnan(table)))
    return {
        "halves": sum((medians[1] - medians[2]) ** 2 / 4 for values in visits for medians in values),
        "visits": float(sum(map(len, visits))),
        "means": float(len(visits)),
        "between visits": sum(
            float(np.var([medians[0] for medians in values])) * len(values) for values in visits
        ),
        "visit freedom": float(sum(len(values) - 1 for values in visits)),
        "residuals": float(np.nansum(residuals**2)),
        "residual freedom": float(max(0, means - len(table) - effects.size + 1)),
        "launches": float(np.sum((effects - np.mean(effects)) ** 2)),
        "launch freedom": float(effects.size - 1),
        "cells": means / effects.size,
    }


def _table(group: list[Mapping[Cell, list[FloatArray]]]) -> FloatArray:
    """The mean of each cell's visits in each launch, shape (cells, launches), nan where there is none."""
    cells = list(dict.fromkeys(cell for launch in group for cell in launch))
    return np.array([list(_of_cell(cell, group)) for cell in cells])


def _of_cell(cell: Cell, group: list[Mapping[Cell, list[FloatArray]]]) -> Iterator[float]:
    for launch in group:
        values = launch.get(cell)
        yield float(np.mean([medians[0] for medians in values])) if values else float("nan")
