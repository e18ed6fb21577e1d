"""Rules cover the best choices with the fewest ranges of sizes, and leave what was not measured to the default."""

from __future__ import annotations

from itertools import groupby, pairwise, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankwise.analysis.tune.rules import (
    complete_rules,
    cover,
    range_words,
    rules_from_costs,
    rules_of,
    sizes_between,
)
from rankwise.core.records import FloatArray
from rankwise.core.tuning import Choice, Rule

A, B, DEFAULT = Choice("a"), Choice("b"), Choice()
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


def test_rules_leave_what_was_not_measured_to_the_default() -> None:
    assert rules_of([64, 1024, 4096, 65536], [A, A, DEFAULT, B]) == (
        Rule(1024, A), Rule(65535, DEFAULT), Rule(131072, B), Rule(None, DEFAULT),
    )  # fmt: skip
    assert rules_of([64, 1024], [A, B]) == (
        Rule(64, A), Rule(1023, DEFAULT), Rule(2048, B), Rule(None, DEFAULT),
    )  # fmt: skip
    assert rules_of([64, 65], [A, B]) == (Rule(64, A), Rule(130, B), Rule(None, DEFAULT)), "nothing lies between"
    assert rules_of([0], [A]) == (Rule(0, A), Rule(None, DEFAULT))
    assert rules_of([64, 1024], [A, DEFAULT]) == (Rule(64, A), Rule(None, DEFAULT))


def test_rules_without_the_default_leave_no_size_out() -> None:
    assert complete_rules([64, 1024, 4096], [A, A, B]) == (Rule(1024, A), Rule(None, B))
    assert complete_rules([64], [A]) == (Rule(None, A),)


def test_a_complete_decision_needs_a_choice_at_every_size() -> None:
    costs = np.log([[1.0, 1.0], [0.7, np.inf], [1.2, 1.0]])
    found = rules_from_costs([64, 1024], costs, [DEFAULT, A, B], BOUND, 20, complete=True)
    assert found == (Rule(64, A), Rule(None, B))
    costs[2, 1] = np.inf
    assert rules_from_costs([64, 1024], costs, [DEFAULT, A, B], BOUND, 20, complete=True) == ()
    assert rules_from_costs([64, 1024], costs, [DEFAULT, A, B], BOUND, 20, complete=False) == (
        Rule(64, A), Rule(None, DEFAULT),
    )  # fmt: skip


@given(st.integers(0, 1 << 20), st.integers(1, 1 << 30), st.sampled_from([2.0, 4.0, 16.0]))
def test_sizes_in_between_part_two_evenly(low: int, high: int, grid: float) -> None:
    if low >= high:
        return
    found = [low, *sizes_between(low, high, grid), high]
    assert found == sorted(set(found))
    assert all(b / max(a, 1) <= 2 * grid for a, b in pairwise(found))
    assert (len(found) > 2) <= (high / max(low, 1) > grid)


def test_all_default_is_no_rule() -> None:
    assert rules_of([64, 1024], [DEFAULT, DEFAULT]) == ()


@given(
    st.lists(
        st.tuples(st.integers(0, 1 << 30), st.sampled_from([A, B, DEFAULT])), min_size=1, unique_by=lambda x: x[0]
    )
)
def test_rules_ascend_and_say_what_was_decided(decided: list[tuple[int, Choice]]) -> None:
    decided.sort()
    found = rules_of([size for size, _ in decided], [choice for _, choice in decided])
    ends = [rule.up_to_bytes for rule in found[:-1]]
    assert all(end is not None for end in ends) and ends == sorted(set(ends), key=lambda end: end or 0)
    for size, choice in decided:
        matching = (rule.choice for rule in found if rule.up_to_bytes is None or size <= rule.up_to_bytes)
        assert next(matching, DEFAULT) == choice
    assert all(left.choice != right.choice for left, right in pairwise(found))


def test_reach_in_words() -> None:
    assert [range_words(Rule(end, A)) for end in (4096, (1 << 20) - 1, 1, None)] == [
        "up to 4 KiB", "below 1 MiB", "up to 1 B", "above",
    ]  # fmt: skip
