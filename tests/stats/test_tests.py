"""The rank test and Holm's correction err as seldom as they promise."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from rankwise.core.records import FloatArray
from rankwise.stats.tests import holm, launches_needed, mann_whitney, smallest_p


def test_p_values_by_hand() -> None:
    # 3 against 3: of the 20 orders one has no overlap and one has it the other way round.
    left = np.array([[1.0, 2, 3], [1, 2, 4]])
    right = np.array([[4.0, 5, 6], [3, 5, 6]])
    assert mann_whitney(left, right) == pytest.approx([2 / 20, 4 / 20])


def test_identical_values_tell_nothing() -> None:
    same = np.full((1, 8), 3.0)
    assert mann_whitney(same, same).tolist() == [1.0]


def test_ties_are_never_more_certain_than_the_numbers_allow() -> None:
    left, right = np.full((1, 3), 1.0), np.full((1, 3), 2.0)
    assert mann_whitney(left, right)[0] >= smallest_p(3, 3) == pytest.approx(0.1)


def test_one_launch_each() -> None:
    assert mann_whitney(np.array([[1.0]]), np.array([[2.0]])).tolist() == [1.0]


def test_chance_finds_a_difference_as_often_as_it_says() -> None:
    generator = np.random.default_rng(5)
    p_values = mann_whitney(generator.standard_normal((4000, 8)), generator.standard_normal((4000, 8)))
    assert 0.03 < np.mean(p_values < 0.05) <= 0.055


values = arrays.arrays(
    np.float64, st.tuples(st.just(3), st.integers(1, 9)), elements=st.integers(1, 30).map(float)
)


@given(values, values)
def test_p_values_have_no_side_and_no_unit(left: FloatArray, right: FloatArray) -> None:
    p_values = mann_whitney(left, right)
    assert np.all((p_values > 0) & (p_values <= 1))
    assert mann_whitney(right, left) == pytest.approx(p_values)
    assert mann_whitney(1e-6 * left, 1e-6 * right) == pytest.approx(p_values)
    assert mann_whitney(left[:, ::-1], right) == pytest.approx(p_values)


def test_launches_needed() -> None:
    # 2 / C(8, 4) = 0.029, 2 / C(6, 3) = 0.1; for 480 tests 2 / C(18, 9) x 480 = 0.0197, with 8 it is 0.075.
    assert launches_needed(1, 0.05) == 4
    assert launches_needed(480, 0.05) == 9


def test_holm_by_hand() -> None:
    assert holm(np.array([0.04, 0.01, 0.03])) == pytest.approx([0.06, 0.03, 0.06])
    assert holm(np.array([0.9, 0.8])).tolist() == [1.0, 1.0]
    assert holm(np.zeros(0)).size == 0


@given(st.lists(st.floats(0, 1), min_size=1, max_size=30))
def test_holm_lies_between_none_and_bonferroni_and_keeps_the_order(p_values: list[float]) -> None:
    raw = np.array(p_values)
    adjusted = holm(raw)
    assert np.all(adjusted >= raw)
    assert np.all(adjusted <= np.minimum(raw * raw.size, 1))
    assert np.all(np.diff(adjusted[np.argsort(raw, kind="stable")]) >= 0)
