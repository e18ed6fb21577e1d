"""Where the eager and the rendezvous protocol take the same time, and how well that is known."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rankwise.core.records import FloatArray
from rankwise.stats.intervals import LEVEL, bootstrap_log_medians

RESAMPLES = 1000


@dataclass(frozen=True, slots=True)
class Crossover:
    """Up to `at_bytes` eager is the faster one; 0: nowhere, inf: at every measured size. 95 % interval."""

    at_bytes: float
    low_bytes: float
    high_bytes: float


def crossover(sizes_bytes: FloatArray, eager: FloatArray, rendezvous: FloatArray, seed: int = 0) -> Crossover:
    """Find where the times cross.

    The sizes ascend, shape (sizes,); the seconds of launches have shape (sizes, rounds), nan where unmeasured.
    One threshold parts the sizes; it is put where the sum of the logarithms of all times is least, so that one
    size that is out of line does not decide, and between two sizes where straight lines through the times
    cross, since either protocol has a latency and a rate. The interval is a percentile bootstrap over rounds,
    all sizes and both protocols drawn together.
    """
    both = np.concatenate([eager, rendezvous])
    drawn = bootstrap_log_medians(both, RESAMPLES, np.random.default_rng(seed))
    own = np.log(np.nanmedian(both, axis=1))[:, None]
    n = sizes_bytes.size
    at = float(_crossovers(sizes_bytes, own[:n], own[n:])[0])
    crossings = _crossovers(sizes_bytes, drawn[:n], drawn[n:])
    tail = (1 - LEVEL) / 2
    # No interpolation: between two thresholds there may be infinity.
    low, high = np.quantile(crossings, [tail, 1 - tail], method="inverted_cdf")
    return Crossover(at, min(float(low), at), max(float(high), at))


def _crossovers(sizes_bytes: FloatArray, eager_logs: FloatArray, rendezvous_logs: FloatArray) -> FloatArray:
    """From logarithms of times, shape (sizes, draws) each, to bytes, shape (draws,)."""
    n, draws = eager_logs.shape
    advantage = eager_logs - rendezvous_logs
    difference = np.exp(eager_logs) - np.exp(rendezvous_logs)
    # loss[k]: the first k sizes eager, the others rendezvous.
    loss = np.concatenate([np.zeros((1, draws)), np.cumsum(advantage, axis=0)])
    eager = np.argmin(loss, axis=0)
    crossings = np.where(eager == 0, 0.0, np.inf)
    inside = np.flatnonzero((eager > 0) & (eager < n))
    below, above = eager[inside] - 1, eager[inside]
    left, right = difference[below, inside], difference[above, inside]  # the least sum: left <= 0 <= right
    share = np.divide(-left, right - left, out=np.full(left.shape, 0.5), where=right > left)
    crossings[inside] = sizes_bytes[below] + share * (sizes_bytes[above] - sizes_bytes[below])
    return crossings
