"""All the time that was given is taken, and no more: the search leaves some for the validation."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankwise.core.records import Cell, Implementation, Launch, Plan, Segment, Series
from rankwise.measurement.launch import Launching
from rankwise.mpi.family import FamilyLauncher
from rankwise.testbeds.local import LocalTestbed
from rankwise.workflows.tune.budget import (
    CLOSING_SECONDS,
    CLOSING_SHARE,
    LEAST_VALIDATION_SHARE,
    MESSAGES_PER_CELL,
    MOST_VALIDATION_SHARE,
    SECONDS_PER_CELL,
    Budget,
    Pace,
    PunctualLaunching,
    TimeIsOverError,
    seconds_per_cell,
    share_of_first,
    validation_part,
)

CELL = Cell("ours-1.0", "bcast", 64, 4)
PROGRAM = Path("/bin/true")
LAUNCH = Launch(
    (Segment("ours-1.0", 4),), "finished", "mpiexec", (), 0.0, 3.0,
    (Series(CELL, "time", np.ones(3)), Series(replace(CELL, size_bytes=128), "time", np.ones(3))),
    cells_seconds=1.0,
)  # fmt: skip


def test_the_validation_has_what_it_needs_within_limits() -> None:
    assert validation_part(70.0, 200.0) == 70.0
    assert validation_part(0.0, 200.0) == LEAST_VALIDATION_SHARE * 200
    assert validation_part(1e6, 200.0) == MOST_VALIDATION_SHARE * 200
    assert Budget(1000.0, 10.0).validation_end(5.0) == 1010.0 - CLOSING_SECONDS - 5.0
    assert Budget(1000.0, 200.0).validation_end(5.0) == 1200.0 - CLOSING_SHARE * 200.0 - 5.0


def test_a_large_message_takes_what_its_bytes_take_on_the_slowest_path() -> None:
    pace = Pace(lambda _: 0.01, lambda _: 1e-6)
    small, large = (pace.launch_seconds([replace(CELL, size_bytes=size)]) for size in (1, 10**7))
    assert large - small == pytest.approx(MESSAGES_PER_CELL * 10.0, rel=1e-3)


def test_raw_tcp_teaches_nothing_of_what_an_mpi_takes() -> None:
    raw = tuple(Series(replace(CELL, benchmark="tcp_after_pause"), "time", np.ones(3)) for _ in range(2))
    pace = Pace(lambda _: 0.01)
    before = pace.launch_seconds([CELL])
    pace.add([replace(LAUNCH, series=raw, cells_seconds=100.0, seconds=102.0)])
    assert pace.launch_seconds([CELL]) == before
    assert pace.launch_seconds([raw[0].cell] * 2) == pytest.approx(102.0)


def test_cells_are_repeated_for_less_where_the_time_is_short() -> None:
    assert seconds_per_cell(0.5, 0.1) > seconds_per_cell(0.5, 0.1, 3.0) > seconds_per_cell(0.5, 0.1, 1.0)
    assert seconds_per_cell(0.5, 0.1, 1.0) == SECONDS_PER_CELL


def test_the_pace_is_that_of_launches_seen() -> None:
    pace = Pace(lambda placement: 0.01 if placement == "block" else 0.0)
    assert pace.launch_seconds([CELL]) > pace.launch_seconds([replace(CELL, placement="cyclic")]) > 1.0
    pace.add([LAUNCH, replace(LAUNCH, status="failed", seconds=60.0), replace(LAUNCH, cells_seconds=0.0)])
    assert pace.launch_seconds([CELL] * 4) == pytest.approx(2.0 + 4 * 0.5)


def test_no_launch_is_begun_that_would_end_too_late(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]

    def launch(*_: Any, **__: Any) -> Launch:
        now[0] += LAUNCH.seconds
        return LAUNCH

    monkeypatch.setattr(Launching, "launch", launch)
    punctual = PunctualLaunching(FamilyLauncher(), LocalTestbed(), Plan((), 0, 10.0), pace=Pace(lambda _: 0.0))
    punctual.clock = lambda: now[0]
    punctual.end = 10.0
    ours, others = (
        Implementation(name, "mpich", "5.0", "/usr", "mpicc", "mpirun", "debian") for name in ("ours", "others")
    )
    for _ in range(3):
        punctual.launch(ours, PROGRAM, [CELL])
    with pytest.raises(TimeIsOverError):
        punctual.launch(ours, PROGRAM, [CELL])
    assert now[0] == 9.0
    punctual.end = 11.5
    with pytest.raises(TimeIsOverError):
        punctual.launch(ours, PROGRAM, [CELL])
    punctual.launch(others, PROGRAM, [replace(CELL, implementation="others")])  # may be quicker


def test_a_short_launch_is_begun_after_long_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    def launch(_: Any, implementation: Implementation, __: Path, cells: list[Cell]) -> Launch:
        series = tuple(Series(cell, "time", np.array([1e-3])) for cell in cells)
        return replace(LAUNCH, seconds=1.0 + len(cells), cells_seconds=float(len(cells)), series=series)

    monkeypatch.setattr(Launching, "launch", launch)
    punctual = PunctualLaunching(FamilyLauncher(), LocalTestbed(), Plan((), 0, 10.0), pace=Pace(lambda _: 0.0))
    punctual.clock, punctual.end = lambda: 0.0, 10.0
    one = Implementation(CELL.implementation, "mpich", "5.0", "/usr", "mpicc", "mpirun", "debian")
    punctual.launch(one, PROGRAM, [CELL] * 15)
    punctual.launch(one, PROGRAM, [CELL] * 5)
    with pytest.raises(TimeIsOverError):
        punctual.launch(one, PROGRAM, [CELL] * 6)


def test_the_first_launch_of_an_mpi_takes_as_long_as_guessed() -> None:
    plan = Plan((), 0, 10.0)
    punctual = PunctualLaunching(FamilyLauncher(), LocalTestbed(), plan, pace=Pace(lambda _: 0.25))
    punctual.clock, punctual.end = lambda: 0.0, 10.0
    one = Implementation("ours", "mpich", "5.0", "/usr", "mpicc", "mpirun", "debian")
    with pytest.raises(TimeIsOverError):
        punctual.launch(one, PROGRAM, [CELL, CELL])


def test_stages_share_the_time_and_what_one_does_not_need_is_the_others() -> None:
    assert share_of_first([300.0, 300.0], 100.0) == share_of_first([300.0, 60.0], 100.0) == 50.0
    assert share_of_first([300.0, 20.0], 100.0) == 80.0
    assert share_of_first([20.0, 300.0], 100.0) == 20.0, "however much others need"
    assert share_of_first([10.0, 30.0], 100.0) == 25.0, "more than they need, by the same factor"
    assert share_of_first([0.0], 100.0) == share_of_first([500.0], 100.0) == 100.0


@given(st.lists(st.floats(0.1, 1e4), min_size=1, max_size=8), st.floats(1.0, 1e4))
def test_shares_are_no_more_than_the_time_and_nobody_has_more_than_who_needs_as_much(
    needed: list[float], seconds: float
) -> None:
    shares = [share_of_first([one, *needed[:at], *needed[at + 1 :]], seconds) for at, one in enumerate(needed)]
    assert sum(shares) == pytest.approx(seconds) or sum(shares) < seconds
    assert [share for _, share in sorted(zip(needed, shares, strict=True))] == pytest.approx(sorted(shares))
