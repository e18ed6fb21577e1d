"""What each choice of an algorithm costs at each size, as a table: the default and the choices by the sizes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rankwise.analysis.tune.elimination import Elimination
from rankwise.core.records import DEFAULT, FloatArray


def costs_of(
    eliminations: Sequence[Elimination], names: Sequence[str], margin: float, *, estimated: bool = False,
    all_open: bool = False,
) -> FloatArray:  # fmt: skip
    """Return logarithms of times over the default's, shape (1 + names, eliminations); the default comes first.

    What seems slower than the default by more than half of `margin` must not be taken at all, or a fresh
    measurement may well find it slower: it costs infinity. What seems faster than the selected one is not so for
    certain: it may take its place, but gains nothing by it.

    `estimated`: of eliminations that go on, as far as one can guess, and without the last rule; `all_open`: of
    finished ones too, since any choice may be needed.
    """
    if estimated:
        how = [one.log_ratio if one.finished and not all_open else one.estimated_log_ratio for one in eliminations]
        costs = np.array([[log_ratio(name) for log_ratio in how] for name in (DEFAULT, *names)])
        return np.where(costs > margin / 2, np.inf, costs)
    costs = np.array([[one.log_ratio(name) for one in eliminations] for name in (DEFAULT, *names)])
    least = [one.log_ratio(one.selected()) for one in eliminations]
    return np.where(costs > margin / 2, np.inf, np.maximum(costs, least))


def have_different_winners(costs: FloatArray, margin: float) -> bool:
    """Return whether some choice is faster than the default somewhere, and none is good enough at all sizes."""
    beyond = np.max(costs - np.min(costs, axis=0), axis=1)
    return bool(np.min(costs) < -margin and not np.any(beyond <= margin))


def near_best(costs: FloatArray, margin: float) -> list[bool]:
    """Return for each row whether it is within `margin` of the best at some size."""
    within = np.isfinite(costs) & (costs <= np.min(costs, axis=0) + margin)
    return [bool(one) for one in np.any(within, axis=1)]
