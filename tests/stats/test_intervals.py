"""Intervals cover what they claim to, as often as they claim to."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from rankwise.core.records import FloatArray
from rankwise.stats.intervals import (
    MIN_FOR_MEDIAN,
    bootstrap_log_medians,
    median_interval,
    ratio_intervals,
    relative_half_width,
)

Draw = Callable[[np.random.Generator, tuple[int, int]], FloatArray]
DISTRIBUTIONS: dict[str, Draw] = {
    "quiet": lambda g, shape: np.exp(0.01 * g.standard_normal(shape)),
    "noisy": lambda g, shape: np.exp(0.05 * g.standard_normal(shape)),
    "skewed": lambda g, shape: 1 + 0.05 * (g.exponential(size=shape) - math.log(2)),
    "heavy": lambda g, shape: np.exp(0.02 * g.standard_t(3, shape)),
}
"""Launch medians whose true median is 1."""


@pytest.mark.parametrize(("n", "low", "high"), [(6, 1, 6), (8, 1, 8), (9, 2, 8), (12, 3, 10), (20, 6, 15)])
def test_order_statistics_of_the_tables(n: int, low: int, high: int) -> None:
    # The ranks of the sign test's interval, as printed in statistical tables.
    values = np.random.default_rng(n).permutation(np.arange(1.0, n + 1))
    assert median_interval(values) == (low, high)


@pytest.mark.parametrize("n", [6, 10, 15])
def test_median_interval_covers_what_the_binomial_says(n: int) -> None:
    values = DISTRIBUTIONS["skewed"](np.random.default_rng(3), (2000, n))
    covered = np.mean([low <= 1 <= high for low, high in map(median_interval, values)])
    assert 0.945 < covered < 0.995


def test_too_few_launches_give_their_extremes_and_no_precision() -> None:
    values = np.array([1.0, 1.001, 1.002, 1.003, 1.004])
    assert median_interval(values) == (1.0, 1.004)
    assert relative_half_width(values) == math.inf
    assert relative_half_width(np.append(values, 1.002)) < 0.003
    assert MIN_FOR_MEDIAN == 6


def test_no_values_no_interval() -> None:
    with pytest.raises(ValueError, match="no values"):
        median_interval(np.zeros(0))


def test_half_width_by_hand() -> None:
    assert relative_half_width(np.array([9.0, 10, 10, 10, 10, 13])) == pytest.approx(0.2)
    assert relative_half_width(np.zeros(10)) == math.inf
    assert relative_half_width(np.full(10, 3.0)) == 0


@pytest.mark.parametrize("shape", [(6, 6), (10, 10), (20, 20), (10, 20), (20, 10)])
@pytest.mark.parametrize(
    ("baseline", "candidate"), [("quiet", "quiet"), ("heavy", "skewed"), ("skewed", "skewed"), ("quiet", "noisy")]
)
def test_ratio_interval_covers_the_true_ratio(baseline: str, candidate: str, shape: tuple[int, int]) -> None:
    generator = np.random.default_rng(7)
    cases = 1500
    low, high = ratio_intervals(
        DISTRIBUTIONS[baseline](generator, (cases, shape[0])),
        1.3 * DISTRIBUTIONS[candidate](generator, (cases, shape[1])),
    )
    covered = np.mean((low <= 1.3) & (high >= 1.3))
    # One side five times as noisy as the other is the worst case: with few launches it depends on that side alone.
    assert (0.88 if (baseline, candidate) == ("quiet", "noisy") else 0.94) < covered < 0.985


def test_ratio_interval_of_three_launches_is_the_extremes() -> None:
    low, high = ratio_intervals(np.array([[1.0, 2, 4]]), np.array([[8.0, 2, 4]]))
    assert (low[0], high[0]) == pytest.approx((0.5, 8))


medians = arrays.arrays(np.float64, st.tuples(st.just(2), st.integers(2, 12)), elements=st.floats(1e-7, 1e-2))


@given(medians, medians, st.floats(1e-3, 1e3))
def test_ratio_interval_is_symmetric_and_has_no_unit(a: FloatArray, b: FloatArray, unit: float) -> None:
    low, high = ratio_intervals(a, b)
    ratio = np.median(b, axis=1) / np.median(a, axis=1)
    assert np.all(low <= ratio) and np.all(ratio <= high)
    swapped_low, swapped_high = ratio_intervals(b, a)
    assert swapped_low == pytest.approx(1 / high)
    assert swapped_high == pytest.approx(1 / low)
    scaled_low, scaled_high = ratio_intervals(a * unit, b * unit)
    assert scaled_low == pytest.approx(low)
    assert scaled_high == pytest.approx(high)


@given(medians, medians, st.randoms(use_true_random=False))
def test_ratio_interval_ignores_the_order_of_launches(a: FloatArray, b: FloatArray, random: object) -> None:
    shuffled = np.random.default_rng(getattr(random, "randrange")(1000)).permutation(a, axis=1)  # noqa: B009
    assert np.array_equal(ratio_intervals(a, b), ratio_intervals(shuffled, b))


def test_bootstrap_draws_whole_launches() -> None:
    # Two cells that differ by a factor in every launch differ by it in every resample.
    first = np.exp(np.random.default_rng(0).standard_normal(9))
    drawn = bootstrap_log_medians(np.stack([first, 2 * first]), 200, np.random.default_rng(1))
    assert drawn.shape == (2, 200)
    assert drawn[1] - drawn[0] == pytest.approx(np.full(200, math.log(2)))
    assert np.std(drawn[0]) > 0.1


def test_bootstrap_of_a_cell_that_most_launches_lack() -> None:
    launches = np.array([[1.0] * 8, [3.0] + [np.nan] * 7])
    drawn = bootstrap_log_medians(launches, 100, np.random.default_rng(1))
    assert drawn[1] == pytest.approx(np.full(100, math.log(3)))


def test_bootstrap_median_of_an_even_number_with_gaps() -> None:
    # Drawn rows hold 0 to 4 of the values 1 and e^2; where both are there equally often the middle is e.
    launches = np.array([[1.0, math.e**2, np.nan, np.nan]])
    drawn = bootstrap_log_medians(launches, 400, np.random.default_rng(2))
    assert set(np.round(drawn[0], 9)) == {0.0, 1.0, 2.0}


def test_one_launch_has_no_interval() -> None:
    """Its extremes are itself: an interval of width 0 would claim to know it exactly."""
    assert np.all(np.isnan(median_interval(np.array([3.0]))))
    for shape in ((1, 5), (5, 1), (1, 1)):
        low, high = ratio_intervals(np.ones((2, shape[0])), np.ones((2, shape[1])))
        assert low.shape == high.shape == (2,) and np.all(np.isnan([low, high]))
