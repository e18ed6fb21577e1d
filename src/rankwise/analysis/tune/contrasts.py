"""Contrasts: two settings compared over the rounds in which both were measured, and what counts as a difference.

Everything is done in logarithms of launch medians. What slows a whole round (a machine that warms up, a noisy
neighbour) slows both sides; where that is seen, the comparison is made within each round as well.

The tests are Student's and Welch's. Rank tests assume less, but among 30 algorithms they cannot be sure of any
difference, however large, before the seventh round. A search may assume more than a verdict: what it finds is
validated on fresh launches.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from rankwise.core.records import FloatArray
from rankwise.stats.tests import holm

K = TypeVar("K", bound=Hashable)

MIN_ROUNDS = 3
"""Fewest from which a spread is taken."""
MIN_FOR_PAIRS = 8
"""Fewest rounds in which differences within rounds are worth a test of their own."""
REPEATABLE = 1e-3
"""No time repeats from launch to launch to better than this, however few launches seem to say so."""
LEVEL = 0.95
CORRELATED = 0.5
"""Correlation between the two sides' rounds above which comparing within rounds tells more."""


@dataclass(frozen=True, slots=True)
class SearchCriteria:
    """What counts as a difference, and how long to look for one."""

    delta: float = 0.05
    """Relative differences below this do not matter."""
    alpha: float = 0.05
    min_rounds: int = 5
    """With four, launches that take one of two times, 20 % apart, pass for a difference four times too often."""
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
    """Return the two, where neither is nan; shape (rounds,) each."""
    both = ~(np.isnan(candidate) | np.isnan(baseline))
    return Contrast(candidate[both], baseline[both])


def p_values(contrasts: Sequence[Contrast], shift: float = 0.0) -> FloatArray:
    """Return two-sided p-values of `candidate + shift` being like `baseline`, uncorrected; shape (contrasts,).

    Welch's test takes the launches as they come, which is valid if rounds slow both sides, and speaks after few.
    Where the two sides go up and down together, Student's test of the differences is made too, and both pay for
    there being two of them.
    """
    found = np.ones(len(contrasts))
    for rows in _by_rounds(contrasts):
        candidate, baseline = _stacked(contrasts, rows)
        found[rows] = _two_sided(_welch(candidate + shift, baseline))
        within = _correlated(candidate, baseline)
        at = np.array(rows)[within]
        paired = _two_sided(_paired(candidate[within] + shift - baseline[within]))
        found[at] = np.minimum(1.0, 2 * np.minimum(found[at], paired))
    return found


def intervals(contrasts: Sequence[Contrast]) -> tuple[FloatArray, FloatArray]:
    """Return 95 % intervals of log(candidate / baseline), shape (contrasts,) each; infinite if too few."""
    from scipy import stats  # noqa: PLC0415 - takes a second to load; `--help` and errors need not wait for it

    low, high = np.full(len(contrasts), -np.inf), np.full(len(contrasts), np.inf)
    for rows in _by_rounds(contrasts):
        candidate, baseline = _stacked(contrasts, rows)
        center, error, freedom = _welch(candidate, baseline)
        within = _correlated(candidate, baseline)
        center[within], error[within], freedom[within] = _paired(candidate[within] - baseline[within])
        reach = error * stats.t.ppf((1 + LEVEL) / 2, freedom)
        low[rows], high[rows] = center - reach, center + reach
    return low, high


def significant(contrasts: Mapping[K, Contrast], criteria: SearchCriteria) -> tuple[set[K], set[K]]:
    """Return those whose candidate is slower, and faster, than its baseline by more than delta.

    Slower is not corrected for the number of contrasts, so that rather a gain is missed; faster is.
    """
    found = list(contrasts.values())
    worse, better = p_values(found, -criteria.margin), holm(p_values(found, criteria.margin))
    ratios = np.array([one.log_ratio for one in found])
    slower = (worse < criteria.alpha) & (ratios > criteria.margin)
    faster = (better < criteria.alpha) & (ratios < -criteria.margin)
    keys = list(contrasts)
    return {keys[i] for i in np.flatnonzero(slower)}, {keys[i] for i in np.flatnonzero(faster)}


Means = tuple[FloatArray, FloatArray, FloatArray]
"""Differences, their standard errors and degrees of freedom, shape (rows,) each."""


def _welch(left: FloatArray, right: FloatArray) -> Means:
    """Of independent rows (Welch 1947); both sides have as many rounds."""
    rounds = left.shape[1]
    one, other = (np.maximum(np.var(side, axis=1, ddof=1), REPEATABLE**2) / rounds for side in (left, right))
    freedom: FloatArray = (rounds - 1) * (one + other) ** 2 / (one**2 + other**2)
    return np.mean(left, axis=1) - np.mean(right, axis=1), np.sqrt(one + other), freedom


def _paired(differences: FloatArray) -> Means:
    """Of differences within rounds (Student 1908)."""
    rows, rounds = differences.shape
    spread = np.maximum(np.std(differences, axis=1, ddof=1), REPEATABLE)
    return np.mean(differences, axis=1), spread / np.sqrt(rounds), np.full(rows, rounds - 1.0)


def _two_sided(means: Means) -> FloatArray:
    """p-values that these differences are none."""
    from scipy import stats  # noqa: PLC0415 - takes a second to load; `--help` and errors need not wait for it

    difference, error, freedom = means
    return np.asarray(2 * stats.t.sf(np.abs(difference) / error, freedom), dtype=np.float64)


def _correlated(candidate: FloatArray, baseline: FloatArray) -> np.ndarray:
    """Rows whose two sides go up and down together; shape (rows,) of bool."""
    left = candidate - np.mean(candidate, axis=1, keepdims=True)
    right = baseline - np.mean(baseline, axis=1, keepdims=True)
    scale = np.sqrt(np.sum(left**2, axis=1) * np.sum(right**2, axis=1))
    if candidate.shape[1] < MIN_FOR_PAIRS:
        return np.zeros(len(candidate), dtype=np.bool_)
    alike: np.ndarray = np.sum(left * right, axis=1) > CORRELATED * np.maximum(scale, 1e-30)
    return alike


def _by_rounds(contrasts: Sequence[Contrast]) -> list[list[int]]:
    """Indices grouped by the number of rounds, so that each group is computed at once; none with too few."""
    groups: defaultdict[int, list[int]] = defaultdict(list)
    for i, one in enumerate(contrasts):
        if one.rounds >= MIN_ROUNDS:
            groups[one.rounds].append(i)
    return list(groups.values())


def _stacked(contrasts: Sequence[Contrast], rows: Sequence[int]) -> tuple[FloatArray, FloatArray]:
    return np.stack([contrasts[i].candidate for i in rows]), np.stack([contrasts[i].baseline for i in rows])
