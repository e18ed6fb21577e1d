"""All the time that was given is taken, and no more: the search leaves some for the validation."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from rankwise.core.records import Cell, Launch, Plan, Segment, Series
from rankwise.measurement.launch import Launching
from rankwise.mpi.family import FamilyLauncher
from rankwise.testbeds.local import LocalTestbed
from rankwise.workflows.tune.budget import (
    CLOSING_SECONDS,
    LEAST_VALIDATION_SHARE,
    MOST_VALIDATION_SHARE,
    Budget,
    Pace,
    PunctualLaunching,
    TimeIsOverError,
)

CELL = Cell("ours-1.0", "bcast", 64, 4)
LAUNCH = Launch(
    (Segment("ours-1.0", 4),), "finished", "mpiexec", (), 0.0, 3.0,
    (Series(CELL, "time", np.ones(3)), Series(replace(CELL, size_bytes=128), "time", np.ones(3))),
    cells_seconds=1.0,
)  # fmt: skip


def test_the_validation_has_what_it_needs_within_limits() -> None:
    budget = Budget(1000.0, 200.0)
    assert budget.validation_seconds(70.0) == 70.0
    assert budget.validation_seconds(0.0) == LEAST_VALIDATION_SHARE * 200
    assert budget.validation_seconds(1e6) == MOST_VALIDATION_SHARE * 200
    assert budget.validation_end(5.0) == 1200.0 - CLOSING_SECONDS - 5.0


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
    punctual = PunctualLaunching(FamilyLauncher(), LocalTestbed(), Plan((), 0, 10.0))
    punctual.clock = lambda: now[0]
    punctual.end = 10.0
    for _ in range(3):
        punctual.launch()
    with pytest.raises(TimeIsOverError):
        punctual.launch()
    assert now[0] == 9.0
