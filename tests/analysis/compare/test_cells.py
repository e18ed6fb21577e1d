"""What is compared of a cell is one median a launch, of launches and benchmarks that can be judged."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from analysis.compare.simulated import benchmarks, launch
from rankwise.analysis.compare.cells import gather, judged_points
from rankwise.core.records import Cell, CellFailure, Launch, Segment

KNOWN = benchmarks(pingpong="point-to-point", tcp="baseline", bcast="collective")


def test_a_launch_counts_once_as_its_median() -> None:
    launches = [
        launch("a", {("pingpong", 8): [5, 1, 3]}, started_at=2),
        launch("a", {("pingpong", 8): [1, 2]}, started_at=1),
    ]
    (cell,) = gather(launches, KNOWN)
    assert cell.medians.tolist() == [1.5, 3]
    assert cell.rounds.tolist() == [0, 1]
    assert cell.samples == 5
    assert (cell.quantiles[0], cell.quantiles[50], cell.quantiles[100]) == (1, 2, 5)


def test_rounds_count_launches_that_failed_or_left_the_cell_out() -> None:
    failure = CellFailure(Cell("a", "bcast", 8, 2), "died")
    failed = Launch((Segment("a", 2),), "failed", "", (), 1.0, 1.0, failures=(failure,))
    launches = [launch("a", {("pingpong", 8): [1]}), failed, launch("a", {("bcast", 8): [1]}, 2)]
    launches.append(launch("a", {("pingpong", 8): [1]}, 3))
    rounds = {cell.cell.benchmark: cell.rounds.tolist() for cell in gather(launches, KNOWN)}
    assert rounds == {"pingpong": [0, 3], "bcast": [2]}


def test_samples_that_are_no_numbers_are_left_out() -> None:
    launches = [
        launch("a", {("pingpong", 8): [math.nan, 2, math.inf]}),
        launch("a", {("pingpong", 8): [math.nan]}, 1),
    ]
    (cell,) = gather(launches, KNOWN)
    assert cell.medians.tolist() == [2]


def test_unknown_benchmarks_are_left_out() -> None:
    assert gather([launch("a", {("gone", 8): [1]})], KNOWN) == []


def test_what_is_judged() -> None:
    first = launch("a", {("pingpong", 8): [1], ("pingpong", 1): [0], ("tcp", 8): [1], ("bcast", 8): [1]})
    total = replace(first, series=tuple(replace(series, quantity="total") for series in first.series[-1:]))
    cells = gather([replace(first, series=first.series[:-1]), total], KNOWN)
    assert [(point.benchmark, point.size_bytes) for point in judged_points(cells)] == [("pingpong", 8)]
    assert judged_points(cells, wrong=[first.series[0].cell]) == {}


@pytest.mark.parametrize("launches", [[], [launch("a", {})]])
def test_nothing(launches: list[Launch]) -> None:
    assert gather(launches, KNOWN) == []


def test_placements_are_points_of_their_own_and_count_their_rounds_apart() -> None:
    one = launch("a", {("pingpong", 8): [1]})
    other = replace(one, series=tuple(replace(s, cell=replace(s.cell, placement="cyclic")) for s in one.series))
    launches = [replace(each, started_at=float(k)) for k, each in enumerate([one, other, other, one])]
    cells = gather(launches, KNOWN)
    assert [(cell.cell.placement, cell.rounds.tolist()) for cell in cells] == [
        ("block", [0, 1]),
        ("cyclic", [0, 1]),
    ]
    assert [point.placement for point in judged_points(cells)] == ["block", "cyclic"]


def test_two_visits_of_a_launch_count_as_one_launch() -> None:
    once = launch("a", {("pingpong", 8): [1.0, 1.0, 1.0]}, 0.0)
    again = replace(once.series[0], samples_seconds=np.array([4.0, 4.0, 4.0]))
    twice = replace(once, series=(*once.series, again))
    (data,) = gather([twice, launch("a", {("pingpong", 8): [3.0]}, 1.0)], KNOWN)
    assert data.medians.tolist() == pytest.approx([2.0, 3.0])  # the geometric mean of 1 and 4
    assert data.rounds.tolist() == [0, 1]
    assert data.samples == 7
