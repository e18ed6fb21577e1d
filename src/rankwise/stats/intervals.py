"""Confidence intervals. The unit of observation is the launch: every value below is one launch's median.

Repetitions within a launch share its memory layout, its rank placement and the minute in which it ran, so
they are not independent; pooling them gives intervals that are far too narrow (Hunold & Carpen-Amarie 2016,
"Reproducible MPI benchmarking is still not as easy as you think", section 5).
"""

from __future__ import annotations

import math
from functools import cache

import numpy as np
import scipy

from rankwise.core.records import FloatArray
from rankwise.stats.summary import median

LEVEL = 0.95
MIN_FOR_MEDIAN = 6
"""Fewest launches for which order statistics give a 95 % interval of the median: 1 - 2 / 2^6 = 96.9 %."""
MIN_FOR_RATIO = 4
"""Fewest launches on each side for a 95 % interval of a ratio: with 3, even the extremes cover only 90 %."""


@cache
def _lower_rank(n: int, level: float) -> int:
    """The largest r for which (x_(r), x_(n+1-r)), counted from 1, covers the median with at least `level`."""
    below = scipy.special.bdtr(np.arange(n + 1), n, 0.5)  # P(Bin(n, 1/2) <= k)
    return max(1, int(np.searchsorted(below, (1 - level) / 2)))


def median_interval(values: FloatArray, level: float = LEVEL) -> tuple[float, float]:
    """Interval of the median of `values`, shape (n,), by order statistics: exact for any distribution.

    The coverage is 1 - 2 P(Bin(n, 1/2) < r) (David & Nagaraja 2003, "Order statistics", section 7.1), the
    smallest one that is at least `level`. With fewer than MIN_FOR_MEDIAN values no such interval exists and
    the extremes are given, which cover less; one value has none, nan. Raises ValueError when there are no values.
    """
    if not values.size:
        raise ValueError("the median of no values has no interval")
    if values.size == 1:
        return math.nan, math.nan
    ordered = np.sort(values)
    rank = _lower_rank(values.size, level)
    return float(ordered[rank - 1]), float(ordered[-rank])


def relative_half_width(values: FloatArray) -> float:
    """Half of the median's 95 % interval over the median: what the stopping rule compares with the precision.

    Infinite with fewer than MIN_FOR_MEDIAN values (nothing is known yet) and for a median that is not positive.
    """
    if values.size < MIN_FOR_MEDIAN:
        return float("inf")
    low, high = median_interval(values)
    centre = median(values)
    return (high - low) / 2 / centre if centre > 0 else float("inf")


@cache
def _median_weights(n: int) -> FloatArray:
    """Probability that the median of a bootstrap resample of n values is the i-th smallest; shape (n,).

    Maritz & Jarrett (1978), "A note on estimating the variance of the sample median", eq. 2.1.
    """
    half = (n + 1) / 2
    return np.diff(scipy.special.betainc(half, half, np.arange(n + 1) / n))


def ratio_intervals(
    baseline: FloatArray, candidate: FloatArray, level: float = LEVEL
) -> tuple[FloatArray, FloatArray]:
    """Intervals of median(candidate) / median(baseline), row by row.

    `baseline` has shape (pairs, n), `candidate` (pairs, m), all positive; returns low and high, shape (pairs,).

    This is the percentile bootstrap over launches with infinitely many resamples: the resampled median takes
    each launch's value with a known probability, so the distribution of the ratio is the n x m pairwise ratios
    with the products of these probabilities as weights. No random numbers: the same launches give the same
    interval, and swapping the two sides inverts it exactly. Unlike the Hodges-Lehmann interval it keeps its
    coverage when one side is far noisier than the other (the simulation is in the tests). The interval is
    widened, where need be, to contain the ratio of the two medians. With fewer than MIN_FOR_RATIO launches on
    a side it covers less than `level`; with one on a side there is none, nan.
    """
    pairs, n = baseline.shape
    m = candidate.shape[1]
    if min(n, m) == 1:
        return np.full(pairs, np.nan), np.full(pairs, np.nan)
    logs = np.log(np.sort(candidate, axis=1))[:, :, None] - np.log(np.sort(baseline, axis=1))[:, None, :]
    logs = logs.reshape(pairs, m * n)
    order = np.argsort(logs, axis=1)
    logs = np.take_along_axis(logs, order, axis=1)
    weights = np.outer(_median_weights(m), _median_weights(n)).ravel()[order]
    # A tail is summed from its own end, so that both ends are treated alike to the last bit.
    tail = (1 - level) / 2
    low = np.argmax(np.cumsum(weights, axis=1) > tail, axis=1)
    high = -1 - np.argmax(np.cumsum(weights[:, ::-1], axis=1) > tail, axis=1)
    rows = np.arange(pairs)
    centre = np.median(candidate, axis=1) / np.median(baseline, axis=1)
    return np.minimum(np.exp(logs[rows, low]), centre), np.maximum(np.exp(logs[rows, high]), centre)


def bootstrap_log_medians(launches: FloatArray, resamples: int, generator: np.random.Generator) -> FloatArray:
    """Log medians of many cells under a bootstrap that draws whole launches.

    `launches` has shape (cells, launches), positive, nan where a launch did not measure a cell. One draw takes
    the same launches for all cells, because what disturbs a launch disturbs all of its cells. A cell that a
    draw missed altogether keeps its own median. Returns shape (cells, resamples).
    """
    logs = np.log(launches)
    drawn = np.sort(logs[:, generator.integers(0, logs.shape[1], (resamples, logs.shape[1]))], axis=2)
    medians = _median_of_sorted(drawn)
    own = _median_of_sorted(np.sort(logs, axis=1)[:, None, :])
    return np.where(np.isnan(medians), own, medians)


def _median_of_sorted(values: FloatArray) -> FloatArray:
    """Median along the last axis of sorted values with any nan at the end (np.nanmedian is far slower)."""
    count = np.sum(~np.isnan(values), axis=-1)
    lower = np.maximum(count - 1, 0)[..., None] // 2
    upper = np.minimum(count[..., None] // 2, values.shape[-1] - 1)
    middle = np.take_along_axis(values, lower, axis=-1) + np.take_along_axis(values, upper, axis=-1)
    medians: FloatArray = middle[..., 0] / 2
    return medians
