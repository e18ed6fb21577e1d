"""Bounds are those of the rank tests, wrong no more often than they say, and launches are counted as published."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from rankwise.stats.noninferiority import (
    launches_needed,
    narrower_in_pairs,
    paired_bounds,
    rounds_needed,
    shift_bounds,
    student_bounds,
)

ALPHA = 0.05


@pytest.mark.parametrize(("n", "m"), [(3, 3), (4, 6), (6, 6), (12, 12), (20, 15), (24, 24)])
@pytest.mark.parametrize("alpha", [ALPHA, 1 / 60])
def test_a_shift_is_left_over_where_the_rank_test_keeps_it(n: int, m: int, alpha: float) -> None:
    generator = np.random.default_rng(n)
    method = "exact" if max(n, m) <= 20 else "asymptotic"
    for _ in range(10):
        left, right = generator.standard_normal(n), 0.5 + generator.standard_normal(m)
        low, high = shift_bounds(left, right, alpha)
        for bound, way in ((high, "less"), (low, "greater")):
            if math.isinf(bound):
                test = stats.mannwhitneyu(right - 100 * np.sign(bound), left, alternative=way, method=method)
                assert test.pvalue > alpha
                continue
            outwards = 1e-9 if way == "less" else -1e-9
            beyond = stats.mannwhitneyu(right - bound - outwards, left, alternative=way, method=method)
            within = stats.mannwhitneyu(right - bound + outwards, left, alternative=way, method=method)
            assert beyond.pvalue <= alpha < within.pvalue


def test_bounds_within_rounds_are_those_of_the_signed_rank_test() -> None:
    differences = np.random.default_rng(3).standard_normal(9)
    _, high = paired_bounds(differences, ALPHA)
    assert stats.wilcoxon(differences - high - 1e-9, alternative="less", method="exact").pvalue <= ALPHA
    assert stats.wilcoxon(differences - high + 1e-9, alternative="less", method="exact").pvalue > ALPHA
    assert paired_bounds(differences[:4], ALPHA) == (-math.inf, math.inf), "1 of 16 is the least there is"


def test_rounds_are_compared_within_only_where_they_are_alike() -> None:
    generator = np.random.default_rng(1)
    rounds = generator.standard_normal((2000, 8))
    noise = generator.standard_normal((2000, 2, 8))
    unlike = [narrower_in_pairs(of[0], of[1]) for of in noise]
    assert np.mean(unlike) < 0.02
    alike = [narrower_in_pairs(r + 0.1 * of[0], 1 + r + 0.1 * of[1]) for r, of in zip(rounds, noise, strict=True)]
    assert np.mean(alike) > 0.99
    assert not narrower_in_pairs(np.zeros(8), np.zeros(8))
    assert not narrower_in_pairs(-rounds[0], rounds[0]), "opposite to one another: differences are wider"


def test_launches_are_those_of_noether() -> None:
    left, right = np.array([0.0, 1.0]), np.array([0.5, 2.0])
    assert launches_needed(left, right, 1.6, ALPHA) == pytest.approx((1.6449 + 0.8416) ** 2 / (6 * 0.25**2), 1e-3)
    assert launches_needed(left, right, 0.2, ALPHA) == math.inf
    assert rounds_needed(np.zeros(5), 0.05, ALPHA) == pytest.approx((1.6449 + 0.8416) ** 2 / (3 * 0.25), 1e-3)


def test_the_launches_that_are_said_to_be_needed_suffice() -> None:
    """For normal noise; the share that is shown is to be near POWER."""
    generator, spread, margin = np.random.default_rng(2), 0.1, math.log(1.05)
    known = spread * stats.norm.ppf((np.arange(400) + 0.5) / 400)
    n = math.ceil(launches_needed(known, known, margin, ALPHA))
    shown = [shift_bounds(*(spread * generator.standard_normal((2, n))), ALPHA)[1] < margin for _ in range(300)]
    assert 0.7 < np.mean(shown) < 0.9


def test_students_bounds_hold_as_often_as_promised_with_three_launches() -> None:
    generator = np.random.default_rng(8)
    missed = 0
    for _ in range(2000):
        left, right = 0.1 * generator.standard_normal((2, 3))
        low, high = student_bounds(left, right, 0.05)
        missed += (high < 0) + (low > 0)
    assert 0.07 <= missed / 2000 <= 0.13, "each side one time in twenty"
    assert student_bounds(np.zeros(1), np.zeros(3), 0.05) == (-math.inf, math.inf)
    low, high = student_bounds(np.zeros(3), np.zeros(3), 0.05)
    assert low < 0 < high, "what looks the same is not known to be"
