"""Overlap is what OSU and IMB define, launch by launch, never clipped, and with an interval."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.compare.simulated import benchmarks
from rankwise.analysis.compare.cells import gather
from rankwise.analysis.compare.overlaps import overlap, overlaps
from rankwise.core.records import Cell, Launch, Quantity, Segment, Series

KNOWN = benchmarks(iallreduce="nonblocking")
CELL = Cell("a", "iallreduce", 64, 2)


@pytest.mark.parametrize(("total", "expected"), [(10.0, 1.0), (14.0, 0.0), (12.0, 0.5), (9.0, 1.25), (20.0, -1.5)])
def test_overlap_by_hand(total: float, expected: float) -> None:
    assert overlap(4.0, total, 10.0) == expected


def test_overlap_of_an_operation_without_time() -> None:
    assert math.isnan(overlap(0.0, 1.0, 1.0))


@given(st.floats(1e-6, 1), st.floats(1e-6, 1), st.floats(-2, 2))
def test_what_is_hidden_is_what_comes_out(time: float, compute: float, share: float) -> None:
    assert overlap(time, compute + (1 - share) * time, compute) == pytest.approx(share, abs=1e-6)


def launch(number: int, **medians: float) -> Launch:
    quantities: tuple[Quantity, ...] = ("time", "compute", "total")
    series = tuple(Series(CELL, name, np.array([medians[name]])) for name in quantities if name in medians)
    return Launch((Segment("a", 2),), "finished", "", (), float(number), 1.0, series)


def test_launches_are_judged_one_by_one() -> None:
    """The second launch is ten times as slow, yet hides as much: pooled medians would say otherwise."""
    launches = [launch(1, time=1.0, compute=1.0, total=1.5), launch(2, time=10.0, compute=10.0, total=15.0)]
    (found,) = overlaps(gather(launches, KNOWN))
    assert (found.share, found.share_low, found.share_high, found.launches) == (0.5, 0.5, 0.5, 2)


def test_the_interval_is_over_launches_and_may_leave_0_to_1() -> None:
    launches = [launch(k, time=1.0, compute=1.0, total=1.0 + k / 4) for k in range(9)]
    (found,) = overlaps(gather(launches, KNOWN))
    assert found.share == 0.0
    assert (found.share_low, found.share_high) == (-0.75, 0.75)


def test_a_launch_without_all_three_is_left_out() -> None:
    launches = [launch(1, time=1.0, compute=1.0, total=1.5), launch(2, time=1.0, compute=1.0)]
    (found,) = overlaps(gather(launches, KNOWN))
    assert found.launches == 1
    assert overlaps(gather([launch(1, time=1.0)], KNOWN)) == ()
