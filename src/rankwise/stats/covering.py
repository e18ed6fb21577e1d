"""The fewest ranges of neighbouring columns in which one row each is nearly the best: from a table of costs."""

from __future__ import annotations

from itertools import groupby

import numpy as np

from rankwise.core.records import FloatArray

MOST_RANGES = 20


def cover(costs: FloatArray, bound: float, most: int = MOST_RANGES) -> list[int]:
    """Return which choice (row) to take at each size (column), in as few ranges of neighbouring sizes as possible.

    `costs` has shape (choices, sizes): logarithms of times, infinite where a choice must not be taken; each size
    has one that is finite. No size gets a choice that costs more than `bound` beyond its cheapest; among the
    coverings with the fewest ranges it is the cheapest. Should `most` not be enough, the bound is widened in
    steps of itself until it is.
    """
    beyond = costs - np.min(costs, axis=0)
    times = 1
    while True:
        taken = _fewest(np.where(beyond <= times * bound + 1e-12, beyond, np.inf))
        if len(list(groupby(taken))) <= most or not np.any(np.isfinite(beyond) & (beyond > times * bound + 1e-12)):
            return taken
        times += 1


def _fewest(allowed: FloatArray) -> list[int]:
    """Dynamic programming over sizes; (ranges, cost) of the best covering that ends with each choice."""
    choices, sizes = allowed.shape
    best: list[tuple[int, float]] = [(1, float(cost)) for cost in allowed[:, 0]]
    came_from: list[list[int]] = []
    for size in range(1, sizes):
        usable = [i for i in range(choices) if np.isfinite(best[i][1])]
        elsewhere = min(usable, key=lambda i: best[i])
        now: list[tuple[int, float]] = []
        before: list[int] = []
        for i in range(choices):
            switched = (best[elsewhere][0] + 1, best[elsewhere][1])
            stays = best[i] <= switched and np.isfinite(best[i][1])
            ranges, cost = best[i] if stays else switched
            now.append((ranges, cost + float(allowed[i, size])))
            before.append(i if stays else elsewhere)
        best = now
        came_from.append(before)
    usable = [i for i in range(choices) if np.isfinite(best[i][1])]
    taken = [min(usable, key=lambda i: best[i])]
    for before in reversed(came_from):
        taken.append(before[taken[-1]])
    return taken[::-1]
