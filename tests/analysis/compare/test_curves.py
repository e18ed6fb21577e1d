"""Curves have the medians, quantiles and overlap that follow from the samples by hand."""

from __future__ import annotations

import math

import pytest

from analysis.compare.simulated import benchmarks, launch
from rankwise.analysis.compare.cells import gather
from rankwise.analysis.compare.curves import curves, distributions

KNOWN = benchmarks(pingpong="point-to-point")


def test_a_curve_by_hand() -> None:
    launches = [
        launch("a", {("pingpong", 64): [9.0], ("pingpong", 8): [k - 0.5, k, k + 0.5]}, started_at=k)
        for k in range(1, 10)
    ]
    (curve,) = curves(gather(launches, KNOWN), precision=0.5)
    assert [point.size_bytes for point in curve.points] == [8, 64]
    point = curve.points[0]
    assert (point.median_seconds, point.low_seconds, point.high_seconds) == (5, 2, 8)
    assert (point.min_seconds, point.launches, point.samples) == (0.5, 9, 27)
    assert point.p10_seconds < point.p90_seconds < point.p99_seconds <= 9.5
    assert [point.precise for point in curve.points] == [False, True]


def test_quantiles_of_all_samples() -> None:
    (found,) = distributions(gather([launch("a", {("pingpong", 8): range(101)})], KNOWN))
    assert found.quantiles_seconds == pytest.approx(range(101))


def test_one_launch_is_never_precise() -> None:
    (curve,) = curves(gather([launch("a", {("pingpong", 8): [1.0, 1.0]})], KNOWN), precision=0.02)
    assert math.isnan(curve.points[0].low_seconds) and not curve.points[0].precise
