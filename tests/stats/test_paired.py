"""Differences within launches, by hand and in simulations whose truth is known."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from rankwise.core.records import FloatArray
from rankwise.stats.paired import MIN_FOR_DIFFERENCES, difference_interval, sign_flip_p_values

NAN = float("nan")


def test_p_values_by_hand() -> None:
    # Of 2^3 ways to swap, only the one as it was measured comes so far.
    assert sign_flip_p_values(np.array([[1.0, 1.1, 0.9]])) == pytest.approx([1 / 8])
    assert sign_flip_p_values(np.array([[-1.0, -1.1, -0.9]])) == pytest.approx([1.0])
    assert sign_flip_p_values(np.zeros((2, 4))) == pytest.approx([1.0, 1.0])
    assert sign_flip_p_values(np.zeros((0, 4))).shape == (0,)


def test_a_launch_without_both_sides_cannot_be_swapped() -> None:
    assert sign_flip_p_values(np.array([[1.0, NAN, 1.1, 0.9]])) == pytest.approx([1 / 8])
    assert sign_flip_p_values(np.array([[NAN, NAN, NAN]])) == pytest.approx([1.0])


def noise(kind: str, generator: np.random.Generator, shape: tuple[int, int]) -> FloatArray:
    if kind == "normal":
        return 0.03 * generator.standard_normal(shape)
    if kind == "skewed":
        return 0.03 * generator.lognormal(0, 1, shape)
    return 0.01 * generator.standard_normal(shape) + 0.5 * (generator.random(shape) < 0.15)


@pytest.mark.parametrize("kind", ["normal", "skewed", "bursts"])
def test_even_one_false_alarm_among_many_tests_is_rare(kind: str) -> None:
    """Sides of the same noise, each used in two tests; and tests whose difference is far below zero."""
    generator = np.random.default_rng(3)
    runs, alarms = 100, 0
    for _ in range(runs):
        sides = noise(kind, generator, (8, 61)) + 0.05 * generator.standard_normal((8, 1))
        chain = sides[:, :-1] - sides[:, 1:]
        below = noise(kind, generator, (8, 30)) - 0.7
        alarms += bool(sign_flip_p_values(np.concatenate([chain, below], axis=1).T).min() < 0.05)
    assert alarms <= runs * 0.05 + 2.5 * np.sqrt(runs * 0.05 * 0.95)


def test_thousands_of_tests_need_no_more_launches_than_one() -> None:
    generator = np.random.default_rng(4)
    rows = 0.03 * generator.standard_normal((2000, MIN_FOR_DIFFERENCES)) - 0.5
    rows[:3] += 1.0
    p_values = sign_flip_p_values(rows)
    assert np.all(p_values[:3] < 0.05)
    assert np.all(p_values[3:] > 0.05)


def test_many_launches_are_swapped_at_random_and_always_alike() -> None:
    rows = 0.05 + 0.1 * np.random.default_rng(5).standard_normal((3, 30))
    first = sign_flip_p_values(rows)
    assert np.array_equal(first, sign_flip_p_values(rows))
    alone = np.array([sign_flip_p_values(row[None])[0] for row in rows])
    student = np.array([stats.ttest_1samp(row, 0, alternative="greater").pvalue for row in rows])
    assert np.allclose(alone, student, atol=0.03), "one test by itself is about Student's"
    assert np.all(first >= alone - 0.01), "among others none is more certain ..."
    assert np.all(first <= 3 * alone + 0.01), "... nor less than Bonferroni has it"


@given(st.integers(0, 10**6), st.integers(1, 12), st.integers(1, 9), st.floats(1e-3, 1e3))
def test_p_values_are_chances_whatever_the_unit_and_the_order(
    seed: int, tests: int, launches: int, unit: float
) -> None:
    generator = np.random.default_rng(seed)
    rows = generator.standard_normal((tests, launches)) + generator.choice((-1, 0, 1), (tests, 1))
    p_values = sign_flip_p_values(rows)
    assert np.all((p_values >= 0.5**launches) & (p_values <= 1))
    order = generator.permutation(tests)
    assert sign_flip_p_values(unit * rows[order]) == pytest.approx(p_values[order])


@pytest.mark.parametrize("launches", [6, 9, 15])
def test_intervals_cover_the_centre(launches: int) -> None:
    generator = np.random.default_rng(launches)
    ends = np.array([difference_interval(0.3 + row) for row in generator.standard_t(3, (800, launches))])
    assert np.mean((ends[:, 0] <= 0.3) & (ends[:, 1] >= 0.3)) > 0.95 - 2.5 * np.sqrt(0.95 * 0.05 / 800)


def test_the_interval_by_hand() -> None:
    assert difference_interval(np.array([3.0, 1, 2, 6, 4, 5])) == (1.0, 6.0)
    with pytest.raises(ValueError, match="5 differences"):
        difference_interval(np.arange(5.0))
    # Hollander, Wolfe & Chicken give 8 as the 2.5 % point of 10 launches: the ends are the 9th averages.
    values = np.arange(1.0, 11.0) ** 2
    averages = sorted((a + b) / 2 for i, a in enumerate(values) for b in values[i:])
    assert difference_interval(values) == (averages[8], averages[-9])
