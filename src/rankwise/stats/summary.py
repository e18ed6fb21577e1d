"""One number for many: median, geometric mean, and which values lie far outside the rest."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from rankwise.core.records import FloatArray

OUTLIER_Z = 14.8
"""Modified z-score above which a value counts as an outlier: about 10 robust standard deviations."""


def median(values: FloatArray) -> float:
    """Median of `values`, shape (n,), n > 0: np.median for short arrays, at a tenth of its cost."""
    ordered = np.sort(values)
    return float(ordered[(values.size - 1) // 2] + ordered[values.size // 2]) / 2


def mean_of_measured(values: FloatArray) -> FloatArray:
    """Mean over the last axis of `values` without those that are nan; nan where all are."""
    measured = ~np.isnan(values)
    sums = np.sum(np.where(measured, values, 0.0), axis=-1)
    count = np.sum(measured, axis=-1)
    means: FloatArray = np.divide(sums, count, out=np.full(count.shape, np.nan), where=count > 0)
    return means


def geometric_mean(values: FloatArray) -> float:
    """Geometric mean of positive `values`, shape (n,); nan when there are none."""
    return float(np.exp(np.mean(np.log(values)))) if values.size else float("nan")


def modified_z_scores(values: FloatArray) -> FloatArray:
    """Distance of each value from the median, in units of the median absolute deviation / 0.6745.

    Iglewicz & Hoaglin (1993), "How to detect and handle outliers", eq. for M_i. Where more than half of the
    values are the same the deviation is 0; then the mean absolute deviation (x 1.2533) takes its place, and
    values that are all the same score 0. Shape (n,) in and out.
    """
    if not values.size:
        return np.zeros(0)
    distance = np.abs(values - median(values))
    scale = median(distance) / 0.6745 or float(np.mean(distance)) * 1.2533
    return distance / scale if scale > 0 else np.zeros(values.shape)


def outliers(values: FloatArray) -> npt.NDArray[np.bool_]:
    """True where the modified z-score exceeds OUTLIER_Z. Shape (n,) in and out."""
    return modified_z_scores(values) > OUTLIER_Z
