"""The band of a gain: what both times have in common cancels, what the model misses does not."""

import math

import pytest

from rankwise.analysis.map.gain import gain


def test_what_moves_both_times_alike_cancels_in_the_ratio() -> None:
    found = gain(8.0, 2.0, 0.03, [(8.8, 2.2)], "")
    assert found.ratio == 0.25
    assert found.now_band and found.mapped_band and found.ratio_low and found.ratio_high
    assert found.now_band.high_seconds == pytest.approx(8 * (1 + math.hypot(0.03, 0.1)))
    assert found.mapped_band.low_seconds == pytest.approx(2 * (1 - math.hypot(0.03, 0.1)))
    assert found.ratio_high == pytest.approx(0.25 * (1 + 0.03 * math.sqrt(2)))
    assert found.ratio_low == pytest.approx(0.25 * (1 - 0.03 * math.sqrt(2)))


def test_what_moves_one_of_them_is_in_the_ratio() -> None:
    found = gain(8.0, 2.0, 0.0, [(8.8, 2.0)], "")
    assert found.ratio_high == pytest.approx(0.25 * (1 + (1 - 1 / 1.1)))


def test_without_the_models_error_there_is_no_band_and_the_reason_is_told() -> None:
    found = gain(8.0, 2.0, None, [], "not known")
    assert (found.ratio, found.now_band, found.ratio_low, found.no_band) == (0.25, None, None, "not known")


def test_without_the_parameters_the_band_is_the_models_alone() -> None:
    found = gain(8.0, 2.0, 0.1, [], "a simulation takes 9 s")
    assert found.now_band is not None and found.now_band.parameter_share is None
    assert found.ratio_high == pytest.approx(0.25 * (1 + 0.1 * math.sqrt(2)))
