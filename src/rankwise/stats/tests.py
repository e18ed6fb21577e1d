"""Is a difference more than chance? A rank test on launches, and corrections for asking many times."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence

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


def simes(p_values: FloatArray) -> float:
    """Return the p-value of the hypothesis that all of these, shape (tests,), are true; 1 for none.

    Simes (1986), "An improved Bonferroni procedure for multiple tests of significance". Valid for tests that are
    independent or positively dependent, as cells are that share their launches (Sarkar 1998).
    """
    count = p_values.size
    return min(1.0, float(np.min(np.sort(p_values) * count / np.arange(1, count + 1)))) if count else 1.0


def hierarchical(p_values: FloatArray, classes: Sequence[Hashable]) -> FloatArray:
    """Adjusted p-values, shape (tests,), where each class of tests is tested as a whole before its members.

    `classes` has one name a test. A class has the share of alpha that it has of the tests, and its p-value is
    Simes's; once it is rejected its members have that share together, each one that is rejected leaves its own to
    the others of its class, and the last one to all that are left (Bretz et al. 2009, "A graphical approach to
    sequentially rejective multiple test procedures"; Meinshausen 2008, "Hierarchical testing of variable
    importance", for classes first). No share ever shrinks and they add up to 1, so that the chance that even one
    of those below alpha is wrong is at most alpha (Goeman & Solari 2010, "The sequential rejection principle",
    theorem 1). Differences mostly come in classes, and there it decides more than Holm's.
    """
    names = list(dict.fromkeys(classes))
    number = np.array([names.index(name) for name in classes], dtype=np.int64)
    of_class = np.array([simes(p_values[number == index]) for index in range(len(names))])
    class_share = np.bincount(number, minlength=len(names)) / max(1, p_values.size)
    share = np.zeros(p_values.size)
    adjusted = np.ones(p_values.size)
    open_tests, open_classes = np.ones(p_values.size, bool), np.ones(len(names), bool)
    reached = 0.0
    while open_tests.any():
        for_class = _least(of_class, class_share, open_classes)
        for_test = _least(p_values, share, open_tests)
        reached = max(reached, min(for_class, for_test)[0])
        if reached >= 1:
            break
        if for_class <= for_test:
            closed = for_class[1]
            open_classes[closed] = False
            members = number == closed
            share[members] = class_share[closed] / members.sum()
        else:
            rejected = for_test[1]
            open_tests[rejected], adjusted[rejected] = False, reached
            heirs = open_tests & (number == number[rejected])
            if heirs.any():
                share[heirs] += share[rejected] / heirs.sum()
            elif open_tests.any():
                each = share[rejected] / open_tests.sum()
                share[open_tests & ~open_classes[number]] += each
                class_share += each * np.bincount(number[open_tests], minlength=len(names)) * open_classes
    return adjusted


def _least(p_values: FloatArray, shares: FloatArray, still: np.typing.NDArray[np.bool_]) -> tuple[float, int]:
    """The least level at which one of those that are still open is rejected, and which."""
    levels = np.divide(p_values, shares, out=np.full(p_values.size, np.inf), where=still & (shares > 0))
    least = int(np.argmin(levels)) if levels.size else 0
    return (float(levels[least]) if levels.size else np.inf), least


def benjamini_hochberg(p_values: FloatArray) -> FloatArray:
    """Adjusted p-values, shape (tests,): of those below q, a share of q at most is expected to be wrong.

    Benjamini & Hochberg (1995), "Controlling the false discovery rate"; for tests that are independent or
    positively dependent (Benjamini & Yekutieli 2001).
    """
    count = p_values.size
    order = np.argsort(p_values, kind="stable")
    scaled = p_values[order] * count / np.arange(1, count + 1)
    adjusted = np.empty(count)
    adjusted[order] = np.minimum(np.minimum.accumulate(scaled[::-1])[::-1], 1.0) if count else scaled
    return adjusted
