"""Medians, means and outlier scores are those worked out by hand, in any unit."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankwise.stats.summary import geometric_mean, median, modified_z_scores, outliers


def test_geometric_mean_of_a_double_and_a_half_is_one() -> None:
    assert geometric_mean(np.array([2.0, 0.5])) == pytest.approx(1.0)


def test_geometric_mean_of_nothing_is_unknown() -> None:
    assert math.isnan(geometric_mean(np.zeros(0)))


def test_z_scores_by_hand() -> None:
    # median 3, absolute deviations 2 1 0 1 97, their median 1
    assert modified_z_scores(np.array([1.0, 2.0, 3.0, 4.0, 100.0])) == pytest.approx(
        np.array([2, 1, 0, 1, 97]) * 0.6745
    )


def test_one_far_launch_is_an_outlier_even_among_equal_ones() -> None:
    values = np.array([1.0] * 30 + [2.0])
    assert outliers(values).tolist() == [False] * 30 + [True]


@pytest.mark.parametrize("values", [[], [1.0], [3.0, 3.0, 3.0], [0.0, 0.0]])
def test_nothing_stands_out_of_nothing(values: list[float]) -> None:
    assert not np.any(outliers(np.array(values)))


@given(st.lists(st.integers(1, 1000), min_size=1, max_size=40), st.floats(0.1, 10))
def test_scores_do_not_depend_on_the_unit(values: list[int], factor: float) -> None:
    scores = modified_z_scores(np.array(values))
    assert modified_z_scores(factor * np.array(values)) == pytest.approx(scores, abs=1e-9)


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=30))
def test_median_is_numpys(values: list[float]) -> None:
    assert median(np.array(values)) == pytest.approx(float(np.median(values)))
