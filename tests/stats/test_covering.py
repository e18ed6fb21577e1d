"""The best rows cover all columns with the fewest ranges, and no column pays more than the bound."""

from __future__ import annotations

from itertools import groupby, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankwise.core.records import FloatArray
from rankwise.stats.covering import cover

BOUND = 0.05


@st.composite
def tables(draw: st.DrawFn) -> FloatArray:
    choices, sizes = draw(st.integers(1, 3)), draw(st.integers(1, 5))
    cost = st.one_of(st.just(np.inf), st.floats(-1, 1), st.sampled_from([0.0, 0.03, 0.06]))
    table = np.array(draw(st.lists(cost, min_size=choices * sizes, max_size=choices * sizes)))
    table = table.reshape(choices, sizes)
    table[0, :] = np.where(np.isinf(table[0, :]), 0.0, table[0, :])  # the default can always be taken
    return table


def stretches(taken: list[int]) -> int:
    return len(list(groupby(taken)))


def allowed(costs: FloatArray, taken: tuple[int, ...] | list[int], bound: float = BOUND) -> bool:
    at = range(costs.shape[1])
    return all(costs[taken[i], i] <= np.min(costs[:, i]) + bound + 1e-9 for i in at)


@given(tables())
def test_no_size_pays_more_than_the_bound_and_no_covering_is_shorter(costs: FloatArray) -> None:
    taken = cover(costs, BOUND)
    assert allowed(costs, taken)
    others = [other for other in product(range(costs.shape[0]), repeat=costs.shape[1]) if allowed(costs, other)]
    fewest = min(stretches(list(other)) for other in others)
    assert stretches(taken) == fewest

    def price(one: tuple[int, ...] | list[int]) -> float:
        return float(sum(costs[one[i], i] for i in range(costs.shape[1])))

    assert price(taken) == pytest.approx(min(price(other) for other in others if stretches(list(other)) == fewest))


@given(tables(), st.integers(1, 3))
def test_too_many_leaves_widen_the_bound(costs: FloatArray, most: int) -> None:
    taken = cover(costs, BOUND, most)
    assert stretches(taken) <= most or not np.any(
        np.all(np.isfinite(costs), axis=1)
    )  # a choice that may be taken everywhere is the way out
    assert all(np.isfinite(costs[taken[i], i]) for i in range(costs.shape[1]))


def test_equivalent_neighbours_become_one() -> None:
    costs = np.log([[1.0, 1.0, 1.0, 1.0], [0.70, 0.72, 0.71, 2.0], [0.72, 0.70, 0.73, 2.0]])
    assert cover(costs, BOUND) == [1, 1, 1, 0]
