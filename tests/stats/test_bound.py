"""A bound contains the truth in all rounds at once as often as it says, and few rounds tell differences."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankwise.core.records import FloatArray
from rankwise.stats.bound import REPEATABLE, bounded, critical_t

LEVEL = 0.05
ROUNDS = 16
SEARCHES = 1500


def noise(kind: str, generator: np.random.Generator, shape: tuple[int, int]) -> FloatArray:
    """Of candidates and the default, shape (1 + candidates, rounds)."""
    found = 0.02 * generator.standard_normal(shape)
    if kind == "heavy-tailed":
        found = 0.02 * generator.standard_t(3, shape)
    if kind == "modes of launches":  # each round holds them all, or each launch goes its own way
        found = found + np.log(4) * generator.integers(2, size=shape[1])
    if kind == "modes of trials":
        found = found + np.log(4) * generator.integers(2, size=shape)
    if kind == "a wandering machine":
        found = found + np.cumsum(0.05 * generator.standard_normal(shape[1]))
    return found


@pytest.mark.parametrize("candidates", [1, 4, 20])
@pytest.mark.parametrize(
    "kind", ["normal", "heavy-tailed", "modes of launches", "modes of trials", "a wandering machine"]
)
def test_looking_after_every_round_misses_the_truth_no_more_often_than_said(kind: str, candidates: int) -> None:
    generator = np.random.default_rng(candidates)
    missed = 0
    for _ in range(SEARCHES // candidates):
        logs = noise(kind, generator, (1 + candidates, ROUNDS))
        out = np.zeros(candidates, dtype=bool)
        for rounds in range(2, ROUNDS + 1):
            found = bounded(logs[1:, :rounds], logs[0, :rounds], LEVEL)
            out |= (found.low > 0) | (found.high < 0)
        missed += int(np.sum(out))
    total = SEARCHES // candidates * candidates
    assert missed / total < LEVEL + 3 * np.sqrt(LEVEL * (1 - LEVEL) / total)


def test_a_difference_of_a_fifth_among_thirty_is_seen_in_a_handful_of_rounds() -> None:
    generator = np.random.default_rng(1)
    logs = noise("modes of launches", generator, (31, 5))
    logs[1] -= 0.2
    found = bounded(logs[1:], logs[0], LEVEL / 30)
    assert found.high[0] < -0.05


def test_what_no_later_round_could_show_is_known_early_and_a_gain_is_seldom_given_up() -> None:
    generator = np.random.default_rng(4)
    given_up = {0.0: 0, -0.2: 0}
    for _ in range(200):
        for truth in given_up:
            logs = noise("modes of launches", generator, (5, 4))
            logs[1] += truth
            given_up[truth] += bounded(logs[1:], logs[0], LEVEL / 4, 12).least_high[0] > -0.05
    assert given_up[0.0] > 150 and given_up[-0.2] < 10
    assert bounded(logs[1:, :2], logs[0, :2], LEVEL, 12).least_high[0] == -np.inf, "two rounds say nothing"


def test_one_that_varies_more_than_the_others_is_judged_by_its_own_spread() -> None:
    generator = np.random.default_rng(2)
    logs = noise("normal", generator, (20, 8))
    logs[1] *= 20
    radius = bounded(logs[1:], logs[0], LEVEL).radius
    assert radius[0] > 2 * np.median(radius)


def test_what_was_measured_in_few_rounds_or_none_is_known_badly_or_not_at_all() -> None:
    logs = noise("normal", np.random.default_rng(3), (4, 8))
    logs[1, :5] = np.nan
    logs[2] = np.nan
    found = bounded(logs[1:], logs[0], LEVEL)
    assert list(found.rounds) == [3, 0, 8]
    assert found.radius[0] > found.radius[2]
    assert np.isnan(found.log_ratio[1]) and np.isinf(found.radius[1])


def test_times_that_repeat_exactly_are_believed_to_the_thousandth_only() -> None:
    found = bounded(np.zeros((1, 4)), np.zeros(4), LEVEL)
    assert found.radius[0] == pytest.approx(critical_t(4, 3, LEVEL) * REPEATABLE / 2)


@given(st.integers(2, 40), st.integers(1, 600), st.floats(1e-6, 0.5))
def test_more_rounds_freedom_or_risk_never_widen_the_bound(rounds: int, freedom: int, level: float) -> None:
    now = critical_t(rounds, freedom, level)
    assert critical_t(rounds, freedom + 1, level) <= now * (1 + 1e-12)
    assert critical_t(rounds, freedom, min(2 * level, 0.9)) <= now * (1 + 1e-12)
    assert now > 0


def test_the_bayes_factor_is_one_over_the_level_at_the_bound() -> None:
    """The formula of the source, put in."""
    rounds, freedom, level, prior = 6, 5, 0.01, 16.0
    t = critical_t(rounds, freedom, level)
    growth = 1 + rounds * prior
    factor = growth**-0.5 * ((1 + t**2 / freedom) / (1 + t**2 / (freedom * growth))) ** ((freedom + 1) / 2)
    assert factor == pytest.approx(1 / level)
