"""Tests and intervals of a search keep the error rate that they promise, with few launches too."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats

from rankwise.analysis.tune.contrasts import (
    MIN_FOR_PAIRS,
    REPEATABLE,
    Contrast,
    SearchCriteria,
    contrast,
    intervals,
    p_values,
    significant,
)

SEEDS = 600


def many(rounds: int, *, spread: float, drift: float, difference: float = 0.0) -> list[Contrast]:
    """Pairs measured side by side, on a machine that wanders from one round to the next."""
    generator = np.random.default_rng(rounds)
    machine = np.cumsum(drift * generator.standard_normal((SEEDS, rounds)), axis=1)
    sides = machine + spread * generator.standard_normal((2, SEEDS, rounds))
    return [Contrast(left + difference, right) for left, right in zip(*sides, strict=True)]


@pytest.mark.parametrize("rounds", [4, 5, 10])
@pytest.mark.parametrize("drift", [0.0, 0.01, 0.05])
def test_false_alarms_are_no_more_often_than_said(rounds: int, drift: float) -> None:
    p = p_values(many(rounds, spread=0.02, drift=drift))
    assert np.mean(p < 0.05) < 0.05 + 3 * np.sqrt(0.05 * 0.95 / SEEDS)
    assert np.mean(p < 0.01) < 0.01 + 3 * np.sqrt(0.01 * 0.99 / SEEDS)


@pytest.mark.parametrize("rounds", [6, 12])
@pytest.mark.parametrize("drift", [0.0, 0.05])
def test_intervals_cover_the_true_ratio(rounds: int, drift: float) -> None:
    low, high = intervals(many(rounds, spread=0.02, drift=drift, difference=0.1))
    assert np.mean((low <= 0.1) & (high >= 0.1)) > 0.93


def test_few_rounds_may_tell_a_large_difference_among_many() -> None:
    """What no rank test can: its least p-value of five against five is 0.8 %."""
    found = many(SearchCriteria().min_rounds, spread=0.05, drift=0.0, difference=-0.9)
    assert np.mean(p_values(found, SearchCriteria().margin) * 30 < SearchCriteria().alpha) > 0.95


@pytest.mark.parametrize("rounds", [SearchCriteria().min_rounds, SearchCriteria().min_rounds + 3])
def test_launches_of_two_kinds_pass_for_a_difference_among_many_no_more_often_than_said(rounds: int) -> None:
    """Means have no normal noise where each launch takes one of two times."""
    generator = np.random.default_rng(rounds)
    sides = 0.01 * generator.standard_normal((2, 20000, rounds)) + 0.2 * (
        generator.random((2, 20000, rounds)) < 0.5
    )
    alike = [Contrast(left, right) for left, right in zip(*sides, strict=True)]
    faster = np.array([one.log_ratio for one in alike]) < -SearchCriteria().margin
    assert np.mean(faster & (p_values(alike, SearchCriteria().margin) * 30 < 0.05)) < 0.05 / 30


def test_rounds_that_differ_are_taken_out() -> None:
    steady = many(12, spread=0.02, drift=0.0, difference=0.06)
    wandering = many(12, spread=0.02, drift=0.1, difference=0.06)
    assert np.mean(p_values(steady) < 0.05) > 0.95
    assert np.mean(p_values(wandering) < 0.05) > 0.8  # a test of the launches as they come hardly ever sees it
    low, high = intervals(wandering)
    assert np.median(high - low) < 0.06


def test_the_shift_tests_more_than_a_difference() -> None:
    ten_percent = [Contrast(np.linspace(0.09, 0.111, 8), np.linspace(0.01, -0.01, 8))]
    assert p_values(ten_percent)[0] < 0.001
    assert p_values(ten_percent, -0.1)[0] > 0.5


def test_rounds_that_lack_one_side_do_not_count() -> None:
    nan = np.nan
    found = contrast(np.array([1.0, nan, 3.0, 4.0]), np.array([1.5, 2.0, nan, 4.0]))
    assert (found.rounds, found.log_ratio) == (2, -0.25)


def test_what_was_not_measured_is_not_known() -> None:
    nothing = contrast(np.array([np.nan]), np.array([1.0]))
    few = Contrast(np.array([5.0, 5.1]), np.array([1.0, 1.1]))
    assert np.isnan(nothing.log_ratio)
    assert list(p_values([nothing])) == [1.0]
    low, high = intervals([nothing, few])
    assert np.all(np.isinf(low)) and np.all(np.isinf(high))
    assert p_values([]).size == 0


def test_identical_launches() -> None:
    same = [Contrast(np.full(10, 2.0), np.full(10, 2.0))]
    assert p_values(same)[0] == 1.0
    low, high = intervals(same)
    assert -0.005 < low[0] < 0.0 < high[0] < 0.005, "few times repeat exactly, and none can be relied on to"


rounds = st.lists(st.tuples(st.floats(-20, 5), st.floats(-20, 5)), min_size=4, max_size=12)


@given(rounds, st.floats(-5, 5))
def test_swapping_sides_inverts_and_units_do_not_matter(pairs: list[tuple[float, float]], unit: float) -> None:
    left, right = np.array(pairs).T
    low, high = intervals([Contrast(left, right)])
    back_low, back_high = intervals([Contrast(right, left)])
    assert (back_low[0], back_high[0]) == pytest.approx((-high[0], -low[0]), abs=1e-9)
    moved_low, moved_high = intervals([Contrast(left + unit, right + unit)])
    assert (moved_low[0], moved_high[0]) == pytest.approx((low[0], high[0]), abs=1e-9)
    assert p_values([Contrast(left, right)]) == pytest.approx(p_values([Contrast(right, left)]))


def test_slower_and_faster_beyond_the_margin() -> None:
    level = np.linspace(-0.01, 0.01, 8)
    moved = {"much slower": 0.2, "slower": 0.03, "same": 0.0, "faster": -0.03, "much faster": -0.2}
    found = {name: Contrast(level[::-1] + by, level) for name, by in moved.items()}
    assert significant(found, SearchCriteria()) == ({"much slower"}, {"much faster"})
    assert significant({}, SearchCriteria()) == (set(), set())


seeds = st.integers(0, 2**32 - 1)


def two_sides(seed: int, rounds: int, *, drift: float = 0.0) -> Contrast:
    """Two settings of unequal spread; with `drift` what slows a round slows both."""
    generator = np.random.default_rng(seed)
    common = drift * generator.standard_normal(rounds)
    left, right = generator.standard_normal((2, rounds))
    return Contrast(0.1 * left + common, 0.03 * right + generator.normal(0, 0.1) + common)


@given(seeds, st.integers(3, MIN_FOR_PAIRS - 1), st.floats(-0.3, 0.3))
def test_few_rounds_are_compared_by_welchs_test(seed: int, rounds: int, shift: float) -> None:
    one = two_sides(seed, rounds)
    assume(min(np.std(one.candidate, ddof=1), np.std(one.baseline, ddof=1)) > REPEATABLE)  # ours has that floor
    reference = stats.ttest_ind(one.candidate + shift, one.baseline, equal_var=False)
    assert p_values([one], shift)[0] == pytest.approx(float(reference.pvalue), rel=1e-9, abs=1e-300)
    low, high = intervals([one])
    interval = stats.ttest_ind(one.candidate, one.baseline, equal_var=False).confidence_interval(0.95)
    assert (low[0], high[0]) == pytest.approx((interval.low, interval.high))


@given(seeds, st.integers(MIN_FOR_PAIRS, 20), st.floats(-0.3, 0.3))
def test_rounds_that_go_up_and_down_together_are_compared_by_students_test_too(
    seed: int, rounds: int, shift: float
) -> None:
    """The smaller p-value of both tests counts, twice; the interval is of the differences."""
    one = two_sides(seed, rounds, drift=2.0)
    assume(np.std(one.candidate - one.baseline, ddof=1) > REPEATABLE)
    welch = stats.ttest_ind(one.candidate + shift, one.baseline, equal_var=False).pvalue
    paired = stats.ttest_rel(one.candidate + shift, one.baseline)
    expected = min(1.0, 2 * min(float(welch), float(paired.pvalue)))
    assert p_values([one], shift)[0] == pytest.approx(expected, rel=1e-9, abs=1e-300)
    low, high = intervals([one])
    interval = stats.ttest_rel(one.candidate, one.baseline).confidence_interval(0.95)
    assert (low[0], high[0]) == pytest.approx((interval.low, interval.high))
