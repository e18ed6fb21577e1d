"""What each choice of an algorithm costs at each size, as a table: the default and the choices by the sizes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rankwise.analysis.tune.race import Race
from rankwise.core.records import DEFAULT, FloatArray


def costs_of(races: Sequence[Race], names: Sequence[str], margin: float, *, certain: bool = True) -> FloatArray:
    """Return logarithms of times over the default's, shape (1 + names, races); the default comes first.

    What seems slower than the default by more than half of `margin` must not be taken at all, or a fresh
    measurement may well find it slower: it costs infinity. What seems faster than the selected one is not so for
    certain: it may take its place, but gains nothing by it (`certain` False: as it seems).
    """
    costs = np.array([[one.log_ratio(name) for one in races] for name in (DEFAULT, *names)])
    if certain:
        costs = np.maximum(costs, [one.log_ratio(one.selected()) for one in races])
    return np.where(costs > margin / 2, np.inf, costs)


def have_different_winners(costs: FloatArray, margin: float) -> bool:
    """Return whether some choice is faster than the default somewhere, and none is good enough at all sizes."""
    beyond = np.max(costs - np.min(costs, axis=0), axis=1)
    return bool(np.min(costs) < -margin and not np.any(beyond <= margin))


def near_best(costs: FloatArray, margin: float) -> list[bool]:
    """Return for each row whether it is within `margin` of the best at some size."""
    within = np.isfinite(costs) & (costs <= np.min(costs, axis=0) + margin)
    return [bool(one) for one in np.any(within, axis=1)]
