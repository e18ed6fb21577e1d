"""Bests, maxima and halves of ping-pong curves follow from the samples by hand."""

from __future__ import annotations

import math

import pytest

from rankwise.studies import base
from rankwise.studies.pingpong import Best, best_curves, half_sizes, latencies, maxima, overheads, times_over_tcp
from rankwise.studies.ranges import Range
from studies import simulated
from studies.simulated import Speed

STUDY = base.find("hablot2007")


def curve(rates: dict[int, float], width: float = 0.0) -> tuple[Best, ...]:
    """Of bits per second at sizes in bytes, all times known within this share."""
    found = []
    for size, rate in rates.items():
        seconds = size * 8 / rate
        found.append(Best(size, Range(seconds, seconds * (1 - width), seconds * (1 + width), 6)))
    return tuple(found)


def test_the_best_of_each_launch_and_not_of_all() -> None:
    def truth(_: str) -> simulated.Speeds:
        return {"TCP": Speed(40e-6, 1e9), "mpich-5.0.2": Speed(50e-6, 1e9)}

    results = simulated.results(STUDY, truth, count=6, spread=0.1, labels=["cluster"])["cluster"]
    curves = best_curves(results)
    assert list(curves) == ["TCP", "mpich-5.0.2"]
    smallest = curves["TCP"][0]
    assert smallest.size_bytes == 1
    assert 40e-6 < smallest.seconds.low < smallest.seconds.value < smallest.seconds.high < 45e-6
    assert smallest.seconds.launches == 6
    added = overheads(latencies(curves))["mpich-5.0.2"]
    assert added.low < 10e-6 < added.high
    assert best_curves(None) == {}


def test_times_over_tcp_at_the_sizes_of_both() -> None:
    found = times_over_tcp({"TCP": curve({1024: 100e6, 4096: 200e6}), "a": curve({4096: 100e6, 8192: 100e6})})
    assert list(found) == ["a"]
    assert list(found["a"]) == [4096]
    assert found["a"][4096].value == pytest.approx(2.0)
    assert times_over_tcp({"a": curve({1024: 100e6})}) == {}


def test_half_of_the_maximum_is_interpolated() -> None:
    rates = {1024: 100e6, 4096: 200e6, 16384: 800e6, 65536: 900e6}
    found = half_sizes({"a": curve(rates)})["a"]
    # 450 Mbit/s: between 4 KiB and 16 KiB, linear on logarithmic axes
    share = math.log(450 / 200) / math.log(800 / 200)
    assert found.value == pytest.approx(4096 * 4**share)
    wide = half_sizes({"a": curve(rates, 0.05)})["a"]
    assert wide.low < found.value < wide.high


def test_half_at_the_smallest_size_and_of_too_few_sizes() -> None:
    assert half_sizes({"a": curve({1024: 900e6, 4096: 1000e6})})["a"].value == 1024
    assert half_sizes({"a": curve({1024: 900e6})}) == {}


def test_the_maximum_need_not_be_at_the_largest_size() -> None:
    found = maxima({"a": curve({1024: 100e6, 4096: 900e6, 16384: 700e6}), "b": ()})
    assert found["a"].value == pytest.approx(900e6)
    assert "b" not in found
