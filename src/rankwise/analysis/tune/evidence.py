"""How sure a search may be: two settings compared over the rounds in which both were measured.

Everything is done in logarithms of launch medians. What slows a whole round (a machine that warms up, a noisy
neighbour) slows both sides; where that is seen, the comparison is made within each round as well.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from rankwise.core.records import FloatArray
from rankwise.stats.intervals import MIN_FOR_RATIO, median_interval, ratio_intervals
from rankwise.stats.tests import holm, mann_whitney

K = TypeVar("K", bound=Hashable)

MIN_FOR_SIGNED_RANKS = 8
"""Fewest rounds in which differences within rounds can say much: the least p-value is 2 / 2^8 = 0.8 %."""
ALIKE = 0.5
"""Correlation between the two sides' rounds above which comparing within rounds tells more."""


@dataclass(frozen=True, slots=True)
class Rigour:
    """What counts as a difference, and how long to look for one."""

    delta: float = 0.05
    """Relative differences below this do not matter."""
    alpha: float = 0.05
    min_rounds: int = 5
    max_rounds: int = 16

    @property
    def margin(self) -> float:
        """The logarithm of a difference that matters."""
        return float(np.log1p(self.delta))


@dataclass(frozen=True, slots=True, eq=False)
class Contrast:
    """Two settings over the rounds that measured both: logarithms of seconds, shape (rounds,) each."""

    candidate: FloatArray
    baseline: FloatArray

    @property
    def rounds(self) -> int:
        """How many these are."""
        return self.candidate.size

    @property
    def log_ratio(self) -> float:
        """Of candidate to baseline, median over rounds; nan without any."""
        return float(np.median(self.candidate - self.baseline)) if self.rounds else float("nan")


def contrast(candidate: FloatArray, baseline: FloatArray) -> Contrast:
    """The two, where neither is nan; shape (rounds,) each."""
    both = ~(np.isnan(candidate) | np.isnan(baseline))
    return Contrast(candidate[both], baseline[both])


def p_values(contrasts: Sequence[Contrast], shift: float = 0.0) -> FloatArray:
    """Two-sided p-values that `candidate + shift` and `baseline` are the same, not corrected; shape (contrasts,).

    The rank test takes the launches as they come, which is valid whatever the rounds do to them and speaks
    after few. Where rounds show, the signed-rank test speaks too, and both pay for there being two of them.
    """
    found = np.ones(len(contrasts))
    for rows in _alike(contrasts):
        candidate, baseline = _stacked(contrasts, rows)
        candidate = candidate + shift
        found[rows] = mann_whitney(candidate, baseline)
        if candidate.shape[1] >= MIN_FOR_SIGNED_RANKS and np.any(paired := _paired(candidate, baseline)):
            within = np.array(rows)[paired]
            smaller = np.minimum(found[within], _signed_ranks(candidate[paired] - baseline[paired]))
            found[within] = np.minimum(1.0, 2 * smaller)
    return found


def ends(contrasts: Sequence[Contrast]) -> tuple[FloatArray, FloatArray]:
    """95 % intervals of candidate over baseline as logarithms, each shape (contrasts,); infinite if too few."""
    low, high = np.full(len(contrasts), -np.inf), np.full(len(contrasts), np.inf)
    for rows in _alike(contrasts):
        candidate, baseline = _stacked(contrasts, rows)
        if candidate.shape[1] < MIN_FOR_RATIO:
            continue
        level = np.median(baseline, axis=1, keepdims=True)  # exp() of what is near 1 loses no digits
        bounds = ratio_intervals(np.exp(baseline - level), np.exp(candidate - level))
        low[rows], high[rows] = np.log(bounds[0]), np.log(bounds[1])
        if candidate.shape[1] >= MIN_FOR_SIGNED_RANKS:
            for i in np.flatnonzero(_paired(candidate, baseline)):
                low[rows[i]], high[rows[i]] = median_interval(candidate[i] - baseline[i])
    return low, high


def significant(contrasts: Mapping[K, Contrast], rigour: Rigour) -> tuple[set[K], set[K]]:
    """Those whose candidate is slower, and faster, than its baseline by more than delta.

    Slower is not corrected for the number of contrasts, so that rather a gain is missed; faster is.
    """
    found = list(contrasts.values())
    worse, better = p_values(found, -rigour.margin), holm(p_values(found, rigour.margin))
    ratios = np.array([one.log_ratio for one in found])
    slower = (worse < rigour.alpha) & (ratios > rigour.margin)
    faster = (better < rigour.alpha) & (ratios < -rigour.margin)
    keys = list(contrasts)
    return {keys[i] for i in np.flatnonzero(slower)}, {keys[i] for i in np.flatnonzero(faster)}


def _paired(candidate: FloatArray, baseline: FloatArray) -> np.ndarray:
    """Rows in which the rounds show on both sides; shape (rows,) of bool."""
    left = candidate - np.mean(candidate, axis=1, keepdims=True)
    right = baseline - np.mean(baseline, axis=1, keepdims=True)
    scale = np.sqrt(np.sum(left**2, axis=1) * np.sum(right**2, axis=1))
    alike: np.ndarray = np.sum(left * right, axis=1) > ALIKE * np.maximum(scale, 1e-30)
    return alike


def _signed_ranks(differences: FloatArray) -> FloatArray:
    """Two-sided p-values of Wilcoxon's signed-rank test, shape (rows,); 1 for rows with differences of zero."""
    from scipy import stats  # noqa: PLC0415 - takes a second to load; `--help` and errors need not wait for it

    found = np.ones(len(differences))
    if np.any(sound := np.all(differences != 0, axis=1)):
        found[sound] = stats.wilcoxon(differences[sound], axis=1, method="exact").pvalue
    return found


def _alike(contrasts: Sequence[Contrast]) -> list[list[int]]:
    """Indices grouped by the number of rounds, so that each group is computed at once; none without rounds."""
    groups: defaultdict[int, list[int]] = defaultdict(list)
    for i, one in enumerate(contrasts):
        if one.rounds:
            groups[one.rounds].append(i)
    return list(groups.values())


def _stacked(contrasts: Sequence[Contrast], rows: Sequence[int]) -> tuple[FloatArray, FloatArray]:
    return np.stack([contrasts[i].candidate for i in rows]), np.stack([contrasts[i].baseline for i in rows])
