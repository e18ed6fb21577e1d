"""Which of several thresholds to choose, from what each would make of every cell."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from rankwise.analysis.tune.contrasts import Contrast, SearchCriteria, intervals, p_values, significant
from rankwise.core.records import DEFAULT, Cell


@dataclass(frozen=True, slots=True, eq=False)
class Option:
    """A threshold, and what it would make of each cell and of all of them, against the default."""

    value: int
    cells: dict[Cell, Contrast]
    """By the cell that was measured, whose label tells the protocol."""
    whole: Contrast
    """The mean of the logarithms of all cells' times, round by round."""

    @property
    def mean(self) -> float:
        """The mean of the logarithms of time over the default's."""
        return float(np.mean([one.log_ratio for one in self.cells.values()]))

    def ratios(self) -> dict[Cell, float]:
        """Return the logarithms of time over the default's, by cell without its label."""
        return {replace(cell, label=DEFAULT): one.log_ratio for cell, one in self.cells.items()}


def choose(options: Sequence[Option], criteria: SearchCriteria) -> Option | None:
    """Return the smallest threshold that is good enough (see `ThresholdSearch`); None: leave it as it is.

    `options` ascend.
    """
    sound = [one for one in options if not significant(one.cells, criteria)[0]]
    best = min(sound, key=lambda one: one.mean, default=None)
    if best is None:
        return None
    least = best.ratios()
    for option in sound:
        dearer = max(ratio - least[cell] for cell, ratio in option.ratios().items())
        if dearer <= criteria.margin and _is_better(option, len(options), criteria):
            return option
    return None


def is_settled(options: Sequence[Option], criteria: SearchCriteria) -> bool:
    """Return whether one can be chosen; or none ever, since no cell of any can be faster by more than delta."""
    if choose(options, criteria):
        return True
    found = [one for option in options for one in option.cells.values()]
    return bool(np.all(intervals(found)[0] > -criteria.margin))


def _is_better(option: Option, tests: int, criteria: SearchCriteria) -> bool:
    """Whether it is significantly better than the default, corrected for all options."""
    alpha, margin = criteria.alpha, criteria.margin
    if option.whole.log_ratio < -margin and p_values([option.whole], margin)[0] * tests < alpha:
        return True
    each = [one for one in option.cells.values() if one.log_ratio < -margin]
    some = bool(np.any(p_values(each, margin) * tests * len(option.cells) < alpha))
    return some and option.whole.log_ratio < 0 and p_values([option.whole])[0] * tests < alpha
