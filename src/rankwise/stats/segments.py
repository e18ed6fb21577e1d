"""Where a curve of time against size changes its law: a switch of protocol or algorithm."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache

import numpy as np

from rankwise.core.records import FloatArray

MIN_POINTS = 3
"""Points per segment: with two a line fits anything."""
MAX_BREAKS = 4
RESIDUAL_FLOOR = 0.01
"""Relative misfit below which a segment counts as perfect, so that no break is found for less than it."""
PENALTY = 2.5
"""Cost of a break in units of (parameters of a break) x log(points); BIC itself has 1, see `find_breaks`."""


@dataclass(frozen=True, slots=True)
class Break:
    """The law changes somewhere in (below, at]; `jump` is the new law over the old one at `at`, 1 for a bend."""

    below: float
    at: float
    jump: float
    segments: tuple[int, int, int] = (0, 0, 0)
    """Indices of the first point of the old law, of the new one, and of the one after the new one's last."""


@dataclass(frozen=True, slots=True)
class _Line:
    """time = intercept + slope x size, least squares of the relative residuals."""

    intercept: float
    slope: float
    misfit: float
    """Sum of the squared relative residuals."""
    points: int

    def __call__(self, size: float) -> float:
        return self.intercept + self.slope * size


def find_breaks(sizes: FloatArray, seconds: FloatArray) -> tuple[Break, ...]:
    """Return the breaks of a piecewise linear law `seconds = a + b x sizes`; both of shape (n,), ascending.

    Segments may jump. They are fitted to relative residuals, because noise grows with the time itself and a
    curve spans several decades. For each number of breaks the best places are found by dynamic programming
    (Bellman & Roth 1969, "Curve fitting by segmented straight lines"). The number is the one with the lowest
    n log(misfit / n) + PENALTY x 3 x breaks x log(n): a Bayesian information criterion (Schwarz 1978) whose
    penalty is raised, because the place of a break is chosen among many and n is a dozen. With it a curve
    without a break gives one in 2 % of cases or fewer (the tests measure it). Non-positive times give none.
    """
    n = sizes.size
    if n < 2 * MIN_POINTS or not np.all(np.isfinite(seconds)) or np.any(seconds <= 0):
        return ()

    @cache
    def line(first: int, last: int) -> _Line:
        return _fit(sizes[first:last], seconds[first:last])

    # best[k][j]: misfit of the first j points in k + 1 segments, and where the last of them starts.
    best: list[dict[int, tuple[float, int]]] = [{j: (line(0, j).misfit, 0) for j in range(MIN_POINTS, n + 1)}]
    for breaks in range(1, min(MAX_BREAKS, n // MIN_POINTS - 1) + 1):
        before = best[-1]
        best.append(
            {
                j: min((before[i][0] + line(i, j).misfit, i) for i in before if i <= j - MIN_POINTS)
                for j in range((breaks + 1) * MIN_POINTS, n + 1)
            }
        )
    costs = [
        n * np.log(max(best[k][n][0] / n, RESIDUAL_FLOOR**2)) + PENALTY * 3 * k * np.log(n)
        for k in range(len(best))
    ]
    edges = [n]
    for k in range(int(np.argmin(costs)), -1, -1):
        edges.append(best[k][edges[-1]][1])
    edges.reverse()
    return tuple(
        replace(
            _break(line(first, at), line(at, last), float(sizes[at - 1]), float(sizes[at])),
            segments=(first, at, last),
        )
        for first, at, last in zip(edges, edges[1:], edges[2:], strict=False)
    )


def _fit(sizes: FloatArray, seconds: FloatArray) -> _Line:
    """Least squares of (a + b x size - t) / t, about the weighted mean size so that no digits are lost."""
    weights = 1 / seconds**2
    weights /= np.sum(weights)
    mean_size, mean_time = float(weights @ sizes), float(weights @ seconds)
    spread = float(weights @ (sizes - mean_size) ** 2)
    slope = float(weights @ ((sizes - mean_size) * (seconds - mean_time))) / spread
    # A message does not get faster by growing; a falling line would only fit noise.
    slope = max(slope, 0.0)
    residuals = (mean_time + slope * (sizes - mean_size)) / seconds - 1
    return _Line(mean_time - slope * mean_size, slope, float(residuals @ residuals), sizes.size)


def _break(left: _Line, right: _Line, below: float, at: float) -> Break:
    """A bend where the laws meet between the two sizes, if need be within the noise; else a jump."""
    if left(below) <= 0:
        return Break(below, at, 1.0)
    gaps = [(right(size) - left(size)) / left(size) for size in (below, at)]
    noise = np.sqrt((left.misfit + right.misfit) / max(left.points + right.points - 4, 1))
    meet = gaps[0] * gaps[1] <= 0 or min(map(abs, gaps)) < max(2 * noise, RESIDUAL_FLOOR)
    return Break(below, at, 1.0 if meet else 1.0 + gaps[1])


def jumps(sizes: FloatArray, seconds: FloatArray, kink: Break) -> FloatArray:
    """Return the jump of a break in each of many curves, shape (curves,), with the break's place as it was found.

    `sizes` has shape (n,), `seconds` (curves, n): the curve that gave the break, resampled. nan where the old law
    has no positive time at the break.
    """
    first, at, last = kink.segments
    old = _fitted(sizes[first:at], seconds[:, first:at], sizes[at])
    new = _fitted(sizes[at:last], seconds[:, at:last], sizes[at])
    ratios = np.full(old.shape, np.nan)
    np.divide(new, old, out=ratios, where=old > 0)
    return ratios


def _fitted(sizes: FloatArray, seconds: FloatArray, where: float) -> FloatArray:
    """The law of `_fit` for each row of `seconds`, at one size."""
    weights = 1 / seconds**2
    weights /= np.sum(weights, axis=1, keepdims=True)
    mean_size = np.sum(weights * sizes, axis=1, keepdims=True)
    mean_time = np.sum(weights * seconds, axis=1, keepdims=True)
    centred = sizes - mean_size
    slope = np.sum(weights * centred * (seconds - mean_time), axis=1) / np.sum(weights * centred**2, axis=1)
    return np.asarray(mean_time[:, 0] + slope * (where - mean_size[:, 0]), dtype=np.float64)
