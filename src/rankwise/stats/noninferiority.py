"""Is a candidate slower than a baseline by less than a margin? One-sided bounds, and the launches for them.

All values are logarithms of launch medians. Bounds are those of rank tests: launches have modes up to four times
apart, which a mean and its t-interval do not survive, while most differences of two launches stay within a mode.
"""

from __future__ import annotations

import math
from functools import cache

import numpy as np
import scipy

from rankwise.core.records import FloatArray
from rankwise.stats.bound import REPEATABLE
from rankwise.stats.paired import difference_interval

POWER = 0.8
"""Chance to show what is true with the launches of `launches_needed`."""
PAIRED_LEVEL = 0.01
"""One-sided level at which rounds have to be correlated before they are compared within."""
FEWEST_PAIRS = 4
"""Rounds from which on a correlation says anything."""
_MOST_EXACT = 20


def narrower_in_pairs(baseline: FloatArray, candidate: FloatArray) -> bool:
    """Return whether the two sides, one value a round each, shape (rounds,), are to be compared within rounds.

    They are if their correlation over the rounds is positive for certain (PAIRED_LEVEL, the t-test of Pearson's
    coefficient): then what disturbs a round goes out of the differences, whose variance is 2 (1 - correlation)
    times that of one side (Cochran & Cox 1957, "Experimental designs", section 4.2). The coefficient does not
    depend on either side's mean, so that this choice says nothing about which of the two is faster.
    """
    rounds = baseline.size
    if rounds < FEWEST_PAIRS or not (np.ptp(baseline) > 0 and np.ptp(candidate) > 0):
        return False
    correlation = float(np.corrcoef(baseline, candidate)[0, 1])
    freedom = rounds - 2
    t = correlation * math.sqrt(freedom / max(1 - correlation**2, 1e-12))
    return bool(scipy.special.stdtr(freedom, -t) < PAIRED_LEVEL)


def shift_bounds(baseline: FloatArray, candidate: FloatArray, alpha: float) -> tuple[float, float]:
    """Lower and upper bound of candidate less baseline, shapes (n,) and (m,), each wrong with probability alpha.

    They are those shifts that the one-sided Mann-Whitney test at alpha leaves over: exact whatever the
    distribution, if it is the same on both sides but for the shift (Moses' interval; Hollander, Wolfe & Chicken
    2014, "Nonparametric statistical methods", section 4.3). Infinite with too few launches for alpha.
    """
    differences = np.sort((candidate[:, None] - baseline[None, :]).ravel())
    return _cut(differences, _rare_rank_sums(baseline.size, candidate.size, alpha))


def student_bounds(baseline: FloatArray, candidate: FloatArray, alpha: float) -> tuple[float, float]:
    """Return the same bounds by Student's t for two samples of one variance, shapes (n,) and (m,).

    For so few launches that ranks cannot speak. Exact for normal logarithms; infinite below two launches a side.
    """
    freedom = baseline.size + candidate.size - 2
    if min(baseline.size, candidate.size) < 2:
        return -math.inf, math.inf
    squares = float(np.sum((baseline - baseline.mean()) ** 2) + np.sum((candidate - candidate.mean()) ** 2))
    deviation = math.sqrt(max(squares / freedom, REPEATABLE**2) * (1 / baseline.size + 1 / candidate.size))
    radius = float(scipy.special.stdtrit(freedom, 1 - alpha)) * deviation
    middle = float(candidate.mean() - baseline.mean())
    return middle - radius, middle + radius


def paired_bounds(differences: FloatArray, alpha: float) -> tuple[float, float]:
    """Return the same bounds from differences within rounds, shape (rounds,), by Wilcoxon's signed-rank test."""
    if differences.size == 0 or 0.5**differences.size > alpha:
        return -math.inf, math.inf
    return difference_interval(differences, 1 - 2 * alpha)


def launches_needed(baseline: FloatArray, candidate: FloatArray, margin: float, alpha: float) -> float:
    """Return with how many launches a side the upper bound is expected to be below `margin`; inf: with none.

    Noether 1987, "Sample size determination for some common nonparametric tests", equation 5:
    (z(1 - alpha) + z(POWER))^2 / (6 (p - 1/2)^2), with p the share of all differences that are below the margin.
    """
    share = float(np.mean(candidate[:, None] - baseline[None, :] < margin))
    return _noether(share, 6, alpha)


def rounds_needed(differences: FloatArray, margin: float, alpha: float) -> float:
    """Return the same for rounds whose sides are compared within (Noether 1987, equation 6).

    (z(1 - alpha) + z(POWER))^2 / (3 (p - 1/2)^2), with p the share of means of two differences below the margin.
    """
    rows, columns = np.triu_indices(differences.size, 1)
    return _noether(float(np.mean((differences[rows] + differences[columns]) / 2 < margin)), 3, alpha)


def _noether(share: float, factor: int, alpha: float) -> float:
    if share <= 0.5:
        return math.inf
    quantiles = -float(scipy.special.ndtri(alpha)) + float(scipy.special.ndtri(POWER))
    return quantiles**2 / (factor * (share - 0.5) ** 2)


def _cut(ordered: FloatArray, rare: int) -> tuple[float, float]:
    """The bounds beyond which lie `rare` - 1 of the ordered values; with `rare` 0 no shift is left out."""
    if not rare:
        return -math.inf, math.inf
    return float(ordered[rare - 1]), float(ordered[-rare])


@cache
def _rare_rank_sums(n: int, m: int, alpha: float) -> int:
    """How many of the values 0, 1, ... of the Mann-Whitney statistic are together no more probable than alpha.

    Counted exactly up to _MOST_EXACT launches a side, then by the normal approximation with its correction for
    continuity (Hollander, Wolfe & Chicken 2014, section 4.1).
    """
    if not n or not m:
        return 0
    if max(n, m) > _MOST_EXACT:
        deviation = math.sqrt(n * m * (n + m + 1) / 12)
        return max(0, math.floor(n * m / 2 - 0.5 + float(scipy.special.ndtri(alpha)) * deviation) + 1)
    ways = np.zeros((n + 1, n * m + 1))
    ways[0, 0] = 1
    for rank in range(n + m):  # of a subset of n ranks: how many of the other side lie below each
        for taken in range(min(n, rank + 1), 0, -1):
            below = rank - (taken - 1)
            if below <= m:
                ways[taken, below:] += ways[taken - 1, : n * m + 1 - below]
    return int(np.sum(np.cumsum(ways[n]) / math.comb(n + m, n) <= alpha))
