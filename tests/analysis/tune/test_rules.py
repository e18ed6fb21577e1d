"""Rules hold the best choice at each measured size, and leave what was not measured to the default."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from rankwise.analysis.tune.rules import (
    complete_rules,
    rules_from_costs,
    rules_of,
    sizes_between,
)
from rankwise.core.tuning import Choice, Rule

A, B, DEFAULT = Choice("a"), Choice("b"), Choice()
BOUND = 0.05


def test_rules_leave_what_was_not_measured_to_the_default_or_share_it() -> None:
    assert rules_of([64, 1024, 4096, 65536], [A, A, DEFAULT, B]) == (
        Rule(1024, A), Rule(65535, DEFAULT), Rule(131072, B), Rule(None, DEFAULT),
    )  # fmt: skip
    assert rules_of([64, 1024], [A, B]) == (
        Rule(256, A), Rule(2048, B), Rule(None, DEFAULT),
    )  # fmt: skip
    assert rules_of([64, 65], [A, B]) == (Rule(64, A), Rule(130, B), Rule(None, DEFAULT)), "nothing lies between"
    assert rules_of([0], [A]) == (Rule(0, A), Rule(None, DEFAULT))
    assert rules_of([64, 1024], [A, DEFAULT]) == (Rule(64, A), Rule(None, DEFAULT))


def test_rules_without_the_default_leave_no_size_out() -> None:
    assert complete_rules([64, 1024, 4096], [A, A, B]) == (Rule(1024, A), Rule(None, B))
    assert complete_rules([64], [A]) == (Rule(None, A),)


def test_a_complete_decision_needs_a_choice_at_every_size() -> None:
    costs = np.log([[1.0, 1.0], [0.7, np.inf], [1.2, 1.0]])
    found = rules_from_costs([64, 1024], costs, [DEFAULT, A, B], BOUND, complete=True)
    assert found == (Rule(64, A), Rule(None, B))
    costs[2, 1] = np.inf
    assert rules_from_costs([64, 1024], costs, [DEFAULT, A, B], BOUND, complete=True) == ()
    assert rules_from_costs([64, 1024], costs, [DEFAULT, A, B], BOUND, complete=False) == (
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


def test_a_trial_parts_its_sizes_in_the_middle() -> None:
    found = complete_rules([64, 4096, 16384], [A, A, B], in_the_middle=True)
    assert found == (Rule(8192, A), Rule(None, B))


def test_where_a_decision_cannot_be_complete_schedules_can_still_be_chosen() -> None:
    """They are not in the table that leaves no size to the default."""
    costs, ours = np.log([[1.0, 1.0], [np.inf, 0.4], [np.inf, 0.5]]), Choice("schedule:lanes")
    found = rules_from_costs([64, 1024], costs, [DEFAULT, A, ours], BOUND, complete=True)
    assert found == (Rule(1023, DEFAULT), Rule(2048, ours), Rule(None, DEFAULT))
    costs[1, 0] = 0.0
    found = rules_from_costs([64, 1024], costs, [DEFAULT, A, ours], BOUND, complete=True)
    assert found == (Rule(None, A),)
