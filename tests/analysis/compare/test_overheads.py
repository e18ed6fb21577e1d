"""The overhead over raw TCP is taken within rounds, and its interval covers the truth as often as it says."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from analysis.compare.simulated import benchmarks, launch
from rankwise.analysis.compare import compare
from rankwise.analysis.compare.cells import gather
from rankwise.analysis.compare.overheads import overheads
from rankwise.core.records import CellFailure, Launch, Options

KNOWN = benchmarks(pingpong="point-to-point", bcast="collective", tcp_pingpong="baseline")
PLAIN = Options()


def on(
    launches: list[Launch], testbed: str = "grid", placement: str = "block", options: Options = PLAIN
) -> list[Launch]:
    return [
        replace(
            one,
            series=tuple(
                replace(s, cell=replace(s.cell, testbed=testbed, placement=placement, options=options))
                for s in one.series
            ),
        )
        for one in launches
    ]


def drifting(rounds: int, mpi: float = 1.2, tcp: bool = True) -> list[Launch]:
    """Rounds in which everything is slower by another factor; `b` takes `mpi` times the time of raw TCP."""
    found = []
    for k in range(rounds):
        slow = 1e-5 * (1 + (7 * k) % 5)
        own = {("pingpong", 8): [1.1 * slow], ("bcast", 8): [slow]}
        found.append(launch("a", own | ({("tcp_pingpong", 8): [slow]} if tcp else {}), started_at=2 * k))
        found.append(launch("b", {("pingpong", 8): [mpi * slow]}, started_at=2 * k + 1))
    return on(found)


def test_rounds_are_compared_within_themselves() -> None:
    found = {one.implementation: one for one in overheads(gather(drifting(8), KNOWN))}
    assert set(found) == {"a", "b"}
    one = found["b"]
    assert (one.paired, one.launches, one.size_bytes, one.ranks) == (True, 8, 8, 2)
    # The machine drifts fivefold, the ratio within a round does not.
    assert (one.ratio_low, one.ratio, one.ratio_high) == pytest.approx((1.2, 1.2, 1.2))
    assert one.difference_seconds == pytest.approx(0.2 * one.tcp_seconds)
    assert one.difference_low_seconds < one.difference_seconds < one.difference_high_seconds


def test_few_common_rounds_set_the_medians_intervals_against_each_other() -> None:
    (_, one) = overheads(gather(drifting(5), KNOWN))
    assert (one.paired, one.launches) == (False, 5)
    assert one.ratio == pytest.approx(1.2)
    assert (one.ratio_low, one.ratio_high) == pytest.approx((1.2 / 5, 1.2 * 5))
    assert (one.difference_low_seconds, one.difference_high_seconds) == pytest.approx((-3.8e-5, 5e-5))


def test_an_interval_covers_the_truth_as_often_as_it_says() -> None:
    generator = np.random.default_rng(11)
    covered = 0
    for _ in range(200):
        noise = np.exp(0.05 * generator.standard_normal((3, 12)))
        launches = []
        for k in range(12):
            launches.append(launch("a", {("tcp_pingpong", 8): [noise[0, k] * noise[1, k]]}, started_at=2 * k))
            launches.append(
                launch("b", {("pingpong", 8): [1.1 * noise[0, k] * noise[2, k]]}, started_at=2 * k + 1)
            )
        (one,) = overheads(gather(on(launches), KNOWN))
        covered += one.ratio_low <= 1.1 <= one.ratio_high
    assert covered >= 185  # 95 % of 200 is 190; three standard deviations are 9


def test_only_the_same_way_counts() -> None:
    tcp = [launch("a", {("tcp_pingpong", 8): [1.0]}, k) for k in range(8)]
    mpi = [launch("b", {("pingpong", 8): [2.0]}, k) for k in range(8)]
    cubic = Options(congestion_control="cubic")
    assert overheads(gather(on(tcp) + on(mpi, placement="cyclic"), KNOWN)) == ()
    assert overheads(gather(on(tcp) + on(mpi, options=cubic), KNOWN)) == ()
    assert overheads(gather(on(mpi), KNOWN)) == ()
    (one,) = overheads(gather(on(tcp, options=cubic) + on(tcp) + on(mpi, options=cubic), KNOWN))
    assert (one.ratio, one.options, one.placement) == (2.0, cubic, "block")


def test_through_shared_memory_there_is_no_overhead_over_tcp() -> None:
    assert overheads(gather(on(drifting(8), testbed="local"), KNOWN)) == ()


def test_wrong_data_and_times_below_the_timer_are_left_out() -> None:
    launches = drifting(8)
    cell = launches[1].series[0].cell
    launches[1] = replace(launches[1], failures=(CellFailure(cell, "byte 3 is 7", "wrong data"),))
    assert [one.implementation for one in compare(launches, KNOWN).overheads] == ["a"]
    assert [one.implementation for one in overheads(gather(drifting(8, mpi=0.0), KNOWN))] == ["a"]
