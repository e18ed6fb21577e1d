"""Quantities with their uncertainty, and what they say of a bound."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from rankwise.stats.intervals import median_interval
from rankwise.stats.summary import median
from rankwise.studies.base import StatementVerdict

FEWEST_LAUNCHES = 3
"""With fewer nothing is decided. The extremes of three cover the median with 75 %, of six with 97 %."""


@dataclass(frozen=True, slots=True)
class Range:
    """A value and the interval in which it lies, over launches; the unit is the caller's."""

    value: float
    low: float
    high: float
    launches: int

    @property
    def known(self) -> bool:
        """There are numbers (infinity is one: it never came to that), and launches enough to decide by them."""
        return self.launches >= FEWEST_LAUNCHES and not any(map(math.isnan, (self.low, self.value, self.high)))

    def __sub__(self, other: Range) -> Range:
        """The difference; its interval takes both ends at their worst, since launches are not paired."""
        fewest = min(self.launches, other.launches)
        return Range(self.value - other.value, self.low - other.high, self.high - other.low, fewest)

    def __truediv__(self, other: Range) -> Range:
        """The ratio of positive quantities, with both ends at their worst."""
        fewest = min(self.launches, other.launches)
        return Range(self.value / other.value, self.low / other.high, self.high / other.low, fewest)

    def scaled(self, factor: float) -> Range:
        """Return it in another unit; `factor` is positive."""
        return Range(self.value * factor, self.low * factor, self.high * factor, self.launches)

    def inverted(self, numerator: float) -> Range:
        """Return `numerator` over this: the bandwidth for a time."""
        return Range(numerator / self.value, numerator / self.high, numerator / self.low, self.launches)


def over_launches(values: Iterable[float]) -> Range:
    """Return the median of one value a launch with its 95 % interval, or the extremes where there are too few."""
    array = np.array(list(values), dtype=np.float64)
    if not array.size:
        return Range(math.nan, math.nan, math.nan, 0)
    return Range(median(array), *median_interval(array), array.size)


def at_least(estimate: Range, bound: float) -> StatementVerdict:
    """Return whether the quantity reaches the bound; undecided while its interval holds the bound."""
    if not estimate.known:
        return "undecided"
    return "holds" if estimate.low >= bound else "no longer" if estimate.high < bound else "undecided"


def at_most(estimate: Range, bound: float) -> StatementVerdict:
    """Return whether the quantity stays at or below the bound."""
    if not estimate.known:
        return "undecided"
    return "holds" if estimate.high <= bound else "no longer" if estimate.low > bound else "undecided"


def between(estimate: Range, low: float, high: float) -> StatementVerdict:
    """Return whether the quantity lies within both bounds."""
    return every([at_least(estimate, low), at_most(estimate, high)])


def every(verdicts: Iterable[StatementVerdict]) -> StatementVerdict:
    """Join claims about several: one that does not hold refutes all; without any it is undecided."""
    distinct = set(verdicts)
    if "no longer" in distinct:
        return "no longer"
    return "holds" if distinct == {"holds"} else "undecided"
