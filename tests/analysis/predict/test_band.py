"""A band is as wide as the model's error and the parameters' intervals say, and no narrower for either."""

import pytest

from rankwise.analysis.predict.band import band, moved_platforms
from rankwise.analysis.predict.parameters import value_of
from rankwise.core.platform import Interval
from support.two_sites import WAN_DELAY, two_sites


def test_shares_add_as_squares() -> None:
    found = band(2.0, 0.03, [2.08, 2.0])
    assert found.parameter_share == pytest.approx(0.04)
    assert (found.low_seconds, found.high_seconds) == (pytest.approx(1.9), pytest.approx(2.1))


def test_without_simulations_the_model_error_remains() -> None:
    found = band(2.0, 0.03, None)
    assert (found.parameter_share, found.high_seconds) == (None, pytest.approx(2.06))


def test_a_group_moves_by_half_its_interval_at_90_percent() -> None:
    (moved,) = moved_platforms(two_sites(), "alpha-fair")
    assert value_of(moved, "classes.wan.ranges.0.latency_seconds") == pytest.approx(
        WAN_DELAY + 1e-4 * 1.645 / 1.960
    )


def test_parameters_of_other_models_do_not_count() -> None:
    platform = two_sites(
        intervals={"models.max-min.kappa": Interval(1, 2), "models.alpha-fair.alpha": Interval(1, 2)}
    )
    assert len(moved_platforms(platform, "alpha-fair")) == 1
