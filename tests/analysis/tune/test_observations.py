"""A cell has one time a round, the median of its repetitions, and only if it was asked for."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

import numpy as np
import pytest

from rankwise.analysis.tune.observations import Observations
from rankwise.core.records import Cell, CellFailure, Launch, Segment, Series

CELL = Cell("mpi-1", "bcast", 64, 4, label="bcast@4=ring")


def launch(*samples: float, cell: Cell = CELL, **more: object) -> Launch:
    series = (Series(cell, "time", np.array(samples)),) if samples else ()
    return Launch((Segment("mpi-1", 4),), "finished", "", (), 0.0, 1.0, series, **more)  # type: ignore[arg-type]


def test_one_value_a_round() -> None:
    observed = Observations()
    observed.add([CELL], [launch(1.0, 2.0, 9.0)])
    observed.add([], [launch(5.0)])  # nobody asked
    observed.add([CELL], [launch(cell=replace(CELL, label="default"))])
    observed.add([CELL], [launch(4.0), launch(6.0)])  # twice: shared by two bundles
    assert np.exp(observed.log_seconds(CELL)) == pytest.approx([2.0, np.nan, np.nan, 5.0], nan_ok=True)
    assert observed.rounds == 4
    assert observed.launches == {"bcast@4=ring": 3}


def test_launches_are_counted_by_what_one_launch_can_measure() -> None:
    observed = Observations()
    observed.add([CELL, replace(CELL, size_bytes=8), replace(CELL, placement="cyclic")], [])
    observed.add([replace(CELL, label="default")], [])
    assert observed.launches == {"bcast@4=ring": 2, "default": 1}


def test_what_cannot_be_compared_is_not_measured() -> None:
    observed = Observations()
    observed.add([CELL], [launch(0.0, 0.0, 1.0), launch(np.nan, np.inf)])
    observed.add([CELL], [replace(launch(), series=(Series(CELL, "compute", np.array([1.0])),))])
    assert np.all(np.isnan(observed.log_seconds(CELL)))


OTHER, DEFAULT = replace(CELL, size_bytes=128), replace(CELL, label="default")


def failing(*cells: Cell, kind: Literal["failed", "unsupported"] = "failed") -> Launch:
    return launch(failures=tuple(CellFailure(cell, f"{kind} at {cell.size_bytes}", kind) for cell in cells))


def test_what_fails_more_often_than_the_default_is_of_no_use() -> None:
    observed = Observations()
    asked = (CELL, OTHER, DEFAULT)
    observed.add(asked, [failing(CELL, DEFAULT)])
    assert observed.why_unusable([CELL, OTHER], CELL.label) == ""
    observed.add(asked, [failing(OTHER)])
    assert observed.why_unusable([CELL, OTHER], CELL.label) == "failed at 128"
    assert observed.why_unusable([CELL], CELL.label) == "", "as often as the default there"
    assert observed.why_unusable([], CELL.label) == ""
    observed.add([], [failing(CELL)])
    assert observed.why_unusable([CELL], CELL.label) == "", "nobody asked"


def test_what_is_refused_once_is_of_no_use_unless_the_default_is_refused_too() -> None:
    observed = Observations()
    observed.add([CELL, DEFAULT], [failing(CELL, kind="unsupported"), failing(DEFAULT), failing(DEFAULT)])
    assert observed.why_unusable([CELL], CELL.label) == "unsupported at 64"
    assert observed.comparable([CELL, OTHER]) == (CELL, OTHER)
    observed.add([DEFAULT], [failing(DEFAULT, kind="unsupported")])
    assert observed.why_unusable([CELL], CELL.label) == ""
    assert observed.comparable([CELL, OTHER]) == (OTHER,)


def test_a_default_that_failed_three_times_is_nothing_to_compare_with() -> None:
    observed = Observations()
    for left in ((CELL,), (CELL,), ()):
        observed.add([DEFAULT], [failing(DEFAULT)])
        assert observed.comparable([CELL]) == left
