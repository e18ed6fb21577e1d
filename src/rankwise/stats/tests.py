"""Is a difference more than chance? A rank test on launches, and its correction for asking many times."""

from __future__ import annotations

import math

import numpy as np

from rankwise.core.records import FloatArray


def mann_whitney(left: FloatArray, right: FloatArray) -> FloatArray:
    """Two-sided p-values of the Mann-Whitney U test, row by row.

    `left` has shape (pairs, n), `right` (pairs, m), each value one launch's median; returns shape (pairs,).
    Exact where a row has no ties; with ties the normal approximation with tie and continuity correction
    (Hollander, Wolfe & Chicken 2014, section 4.1), but never below what n and m allow. Rows in which all
    values are the same give 1.
    """
    from scipy import stats  # noqa: PLC0415 - takes a second to load; `--help` and errors need not wait for it

    both = np.sort(np.concatenate([left, right], axis=1), axis=1)
    tied = np.any(both[:, 1:] == both[:, :-1], axis=1)
    varied = both[:, 0] != both[:, -1]
    p_values = np.ones(len(both))
    if np.any(~tied):
        p_values[~tied] = stats.mannwhitneyu(left[~tied], right[~tied], axis=1, method="exact").pvalue
    tied &= varied
    if np.any(tied):
        p_values[tied] = stats.mannwhitneyu(left[tied], right[tied], axis=1, method="asymptotic").pvalue
    return np.clip(p_values, smallest_p(left.shape[1], right.shape[1]), 1.0)


def smallest_p(n: int, m: int) -> float:
    """Return the p-value of two samples of n and m launches that do not overlap at all: none can be smaller."""
    return min(1.0, 2 / math.comb(n + m, n))


def launches_needed(tests: int, alpha: float) -> int:
    """Launches on either side with which one difference among `tests` could survive Holm's correction."""
    n = 1
    while smallest_p(n, n) * tests >= alpha:
        n += 1
    return n


def holm(p_values: FloatArray) -> FloatArray:
    """Holm's adjusted p-values, shape (tests,): those below alpha may be called real together.

    Holm (1979), "A simple sequentially rejective multiple test procedure". The chance that even one of them is
    wrong is at most alpha, however the tests depend on one another.
    """
    count = p_values.size
    order = np.argsort(p_values, kind="stable")
    stepwise = np.maximum.accumulate(p_values[order] * np.arange(count, 0, -1))
    adjusted = np.empty(count)
    adjusted[order] = np.minimum(stepwise, 1.0)
    return adjusted
