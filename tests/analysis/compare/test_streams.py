"""A stream's curve, and when it comes to speed, follow from the timelines of its launches."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.compare.simulated import benchmarks
from rankwise.analysis.compare import compare
from rankwise.analysis.compare.streams import MOMENTS, streams, timelines
from rankwise.core.records import Cell, FloatArray, Launch, Segment, Series, Timeline

KNOWN = benchmarks(stream="point-to-point", tcp_stream="baseline", pingpong="point-to-point")
SIZE = 1 << 20
CELL = Cell("a", "stream", SIZE, 2)


def launch(cell: Cell, seconds: Sequence[float] | FloatArray, *times: Timeline) -> Launch:
    series = (Series(cell, "time", np.array(seconds, dtype=np.float64), float(cell.size_bytes)),)
    return Launch((Segment("a", 2),), "finished", "", (), 0.0, 1.0, series, timelines=times)


def at_rates(*bits_per_second: float) -> FloatArray:
    return 8 * SIZE / np.array(bits_per_second)


def test_message_by_message_over_launches() -> None:
    (curve,) = streams([launch(CELL, [4.0, 2.0, 1.0]), launch(CELL, [2.0, 2.0, 1.0])], KNOWN)
    assert curve.times_seconds.tolist() == [3, 5, 6]
    assert curve.bytes_per_second == pytest.approx([SIZE * 0.375, SIZE / 2, SIZE])
    assert curve.low_bytes_per_second[0] == SIZE / 4
    assert curve.high_bytes_per_second[0] == SIZE / 2
    assert (curve.launches, curve.category) == (2, "point-to-point")


def test_messages_that_half_of_the_launches_sent() -> None:
    (curve,) = streams([launch(CELL, [1.0] * length) for length in (2, 3, 4, 9)], KNOWN)
    assert curve.times_seconds.tolist() == [1, 2, 3]


def test_when_a_stream_comes_to_speed() -> None:
    rates = [10e6] * 10 + [600e6] * 10 + [900e6] * 20
    (curve,) = streams([launch(CELL, at_rates(*rates)) for _ in range(6)], KNOWN)
    asked, share = curve.reached
    assert (asked.bits_per_second, asked.share, asked.launches) == (500e6, 0.0, 6)
    # The first message of which the median of five, itself in the middle, is fast.
    assert asked.seconds == asked.low_seconds == pytest.approx(float(np.sum(at_rates(*rates[:11]))))
    assert share.bits_per_second == pytest.approx(0.9 * 900e6)
    assert share.seconds == pytest.approx(float(np.sum(at_rates(*rates[:21]))))


def test_a_burst_is_not_speed() -> None:
    rates = [100e6] * 30
    rates[3] = rates[12] = 5e9
    (curve,) = streams([launch(CELL, at_rates(*rates))], KNOWN)
    asked, share = curve.reached
    assert (asked.seconds, asked.launches) == (math.inf, 0)
    assert share.bits_per_second == pytest.approx(90e6)


def test_half_of_the_launches_is_not_enough() -> None:
    slow, fast = launch(CELL, at_rates(*[100e6] * 9)), launch(CELL, at_rates(*[900e6] * 9))
    (curve,) = streams([slow, fast], KNOWN)
    assert (curve.reached[0].seconds, curve.reached[0].launches) == (math.inf, 1)
    (curve,) = streams([slow, fast, fast], KNOWN)
    assert curve.reached[0].seconds < 1


def test_what_is_no_stream_and_what_is_no_time_is_left_out() -> None:
    pingpong = Cell("a", "pingpong", SIZE, 2)
    broken = [launch(CELL, values) for values in ([], [1.0, math.nan], [1.0, 0.0])]
    assert streams([launch(pingpong, [1.0]), launch(Cell("a", "stream", 0, 2), [1.0]), *broken], KNOWN) == ()
    assert streams([launch(CELL, [1.0])], {}) == ()


@given(st.lists(st.lists(st.floats(1e-6, 10), min_size=1, max_size=30), min_size=1, max_size=8))
def test_time_goes_on_and_intervals_hold_their_median(rows: list[list[float]]) -> None:
    (curve,) = streams([launch(CELL, row) for row in rows], KNOWN)
    assert np.all(np.diff(curve.times_seconds) > 0)
    # One launch, or one that reached so far, has no interval.
    assert not np.any(curve.low_bytes_per_second > curve.bytes_per_second)
    assert not np.any(curve.bytes_per_second > curve.high_bytes_per_second)
    if len(rows) > 1:
        assert all(reached.low_seconds <= reached.seconds <= reached.high_seconds for reached in curve.reached)


def window(times: Sequence[float], values: Sequence[float]) -> Timeline:
    cell = Cell("a", "tcp_stream", SIZE, 2)
    return Timeline(cell, "congestion window", np.array(times, dtype=float), np.array(values, dtype=float))


def test_timelines_are_put_together_at_common_moments() -> None:
    cell = Cell("a", "tcp_stream", SIZE, 2)
    first, second = window([0.0, 1.0, 2.0], [10, 20, 30]), window([0.5, 1.0, 2.0], [14, 40, 30])
    (curve,) = timelines([launch(cell, [1.0], first), launch(cell, [1.0], second)])
    assert (curve.quantity, curve.launches, curve.times_seconds.size) == ("congestion window", 2, MOMENTS)
    assert (curve.values[0], curve.low_values[0], curve.high_values[0]) == (12, 10, 14)
    at_one_and_a_half = int(np.searchsorted(curve.times_seconds, 1.5))
    assert curve.values[at_one_and_a_half] == 30  # 20 and 40 hold until they are told otherwise
    assert curve.times_seconds[-1] == 2.0


def test_quantities_are_apart_and_an_empty_timeline_is_none() -> None:
    trip = Timeline(CELL, "round trip", np.array([0.0, 1.0]), np.array([0.01, 0.02]))
    empty = Timeline(CELL, "retransmits", np.array([]), np.array([]))
    own = Timeline(CELL, "congestion window", np.array([0.0]), np.array([1.0]))
    found = timelines([launch(CELL, [1.0], empty, trip, own)])
    assert [one.quantity for one in found] == ["congestion window", "round trip"]
    assert found[0].values.tolist() == [1.0] * MOMENTS


def test_a_comparison_has_them() -> None:
    timeline = window([0.0, 1.0], [1, 2])
    found = compare([launch(CELL, [1.0, 1.0]), launch(timeline.cell, [1.0], timeline)], KNOWN)
    assert [one.cell.benchmark for one in found.streams] == ["stream", "tcp_stream"]
    assert [one.quantity for one in found.timelines] == ["congestion window"]
