"""Two ways measured in the same launches: differences within each launch, tested many at once.

What slows a launch (where its ranks and pages lie, the minute in which it ran) slows both ways alike and goes out
of their difference. Both procedures here ask only that a difference is as likely above its centre as below it,
which holds where the two ways differ by chance alone.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from rankwise.core.records import FloatArray
from rankwise.stats.intervals import LEVEL

MIN_FOR_DIFFERENCES = 6
"""Fewest launches that can show a difference: chance alone gives all of 6 one sign in 2 of 64 cases."""
MOST_EXACT = 12
"""Launches up to which every way to swap the two sides is tried; of more, SWAPS ways drawn at random."""
SWAPS = 1 << MOST_EXACT
CLIP = 2.0
"""A launch counts at most so many times the median distance: one disturbed launch does not hide a difference."""
_CHUNK = 512
_LEAST = 1e-9


def sign_flip_p_values(differences: FloatArray) -> FloatArray:
    """Adjusted one-sided p-values that the differences of a row are positive by chance; shape (tests,).

    `differences` has shape (tests, launches), nan where a launch did not measure both sides; the rows share
    their launches. Those below alpha may be called real together: the chance that even one is wrong is alpha at
    most, as with Holm's correction. But launches are swapped for all tests at once and the largest statistic
    is looked at (Westfall & Young 1993, "Resampling-based multiple testing", step-down maxT), so that thousands
    of tests need no more launches than one: 6, where Holm's would take 9 or more. Rows with few launches
    weaken all others: leave out those with fewer than MIN_FOR_DIFFERENCES.
    """
    tests, launches = differences.shape
    if not tests or not launches:
        return np.ones(tests)
    counts = np.sum(~np.isnan(differences), axis=1)
    values = _clipped(differences)
    observed = _statistics(values, counts, np.ones((launches, 1)))[:, 0]
    order = np.argsort(-observed, kind="stable")
    values, counts, observed = values[order], counts[order], observed[order]
    signs = _signs(launches)
    reached = np.zeros(tests)
    for start in range(0, signs.shape[1], _CHUNK):
        statistics = _statistics(values, counts, signs[:, start : start + _CHUNK])
        largest = np.maximum.accumulate(statistics[::-1], axis=0)[::-1]  # of this test and those below it
        reached += np.sum(largest >= observed[:, None] - _LEAST, axis=1)
    adjusted = np.empty(tests)
    adjusted[order] = np.maximum.accumulate(reached / signs.shape[1])
    return adjusted


def _clipped(differences: FloatArray) -> FloatArray:
    """Each row within CLIP times its median distance from 0, which no swap changes; 0 for nan."""
    distances = np.abs(differences)
    middle = np.array([np.median(row[~np.isnan(row)]) if np.any(~np.isnan(row)) else 0.0 for row in distances])
    most = np.where(middle > 0, CLIP * middle, np.inf)[:, None]
    return np.nan_to_num(np.clip(differences, -most, most))


def _statistics(values: FloatArray, counts: FloatArray, signs: FloatArray) -> FloatArray:
    """How far each test's differences lie from 0 for each way to swap; shape (tests, ways).

    It grows with Student's t, on a scale on which tests of different numbers of launches can be compared:
    roughly the logarithm of the chance to come so far.
    """
    squares = np.sum(values**2, axis=1, keepdims=True) * counts[:, None]
    shares = (values @ signs) / np.sqrt(np.where(squares > 0, squares, 1.0))
    distances: FloatArray = -np.sign(shares) * (counts[:, None] - 1) * np.log(np.maximum(1 - shares**2, _LEAST))
    return distances


@cache
def _signs(launches: int) -> FloatArray:
    """Ways to swap, shape (launches, ways); the first is to swap none."""
    if launches <= MOST_EXACT:
        bits = np.arange(1 << launches)[None, :] >> np.arange(launches)[:, None]
    else:
        bits = np.random.default_rng(launches).integers(0, 2, (launches, SWAPS))
        bits[:, 0] = 0
    signs: FloatArray = 1.0 - 2.0 * (bits & 1).astype(np.float64)
    return signs


def difference_interval(differences: FloatArray, level: float = LEVEL) -> tuple[float, float]:
    """Interval of the centre of `differences`, shape (launches,): what Wilcoxon's signed-rank test leaves over.

    Hollander, Wolfe & Chicken 2014, "Nonparametric statistical methods", section 3.3: exact where a difference
    is as likely above the centre as below. Raises ValueError with fewer than MIN_FOR_DIFFERENCES of them.
    """
    count = differences.size
    if count < MIN_FOR_DIFFERENCES:
        raise ValueError(f"{count} differences have no {level:.0%} interval")
    rows, columns = np.triu_indices(count)
    averages = np.sort((differences[rows] + differences[columns]) / 2)
    cut = _left_out(count, level)
    return float(averages[cut]), float(averages[-1 - cut])


@cache
def _left_out(count: int, level: float) -> int:
    """How many of the averages of two lie below the interval: the largest rank sum that is rare enough."""
    ways = np.ones(1)
    for rank in range(1, count + 1):
        ways = np.pad(ways, (0, rank)) + np.pad(ways, (rank, 0))
    rare = np.cumsum(ways) / 2.0**count <= (1 - level) / 2
    return int(np.sum(rare)) - 1
