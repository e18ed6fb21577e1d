"""A variant without any result is named, with its reason."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from rankwise.analysis.without_results import NOT_STARTED, no_result_notices, without_results
from rankwise.core.records import Cell, CellFailure, Launch, Segment, Series

CELLS = tuple(Cell(name, "bcast", size, 2) for name in ("good-1", "bad-1") for size in (8, 64))


def launch(name: str, *, fails: bool = False, **more: object) -> Launch:
    own = [cell for cell in CELLS if cell.implementation == name]
    empty = Launch((Segment(name, 2),), "failed" if fails else "finished", "", (), 0.0, 1.0)
    if fails:
        return replace(empty, failures=(CellFailure(own[0], "signal 11"),), **more)  # type: ignore[arg-type]
    return replace(empty, series=tuple(Series(cell, "time", np.ones(3)) for cell in own), **more)  # type: ignore[arg-type]


def test_all_have_results() -> None:
    assert without_results(CELLS, [launch("good-1"), launch("bad-1")]) == {}
    assert without_results(CELLS, [launch("good-1"), launch("bad-1"), launch("bad-1", fails=True)]) == {}


def test_one_that_failed_in_every_launch_is_named_with_its_first_reason() -> None:
    launches = [launch("good-1"), launch("bad-1", fails=True), launch("bad-1", fails=True)]
    assert without_results(CELLS, launches) == {"bad-1": "signal 11"}
    (notice,) = no_result_notices(CELLS, launches)
    assert notice.kind == "no-result" and "signal 11" in notice.message and notice.remedy


def test_launches_that_came_to_no_cell_have_a_reason_too() -> None:
    empty = replace(launch("bad-1", fails=True), failures=(), reason="cannot start")
    assert without_results(CELLS, [launch("good-1"), empty]) == {"bad-1": "cannot start"}


def test_one_that_was_never_started_is_named() -> None:
    assert without_results(CELLS, [launch("good-1")]) == {"bad-1": NOT_STARTED}


def test_checked_data_are_a_result_only_where_they_were_asked_for() -> None:
    checked = replace(launch("bad-1", fails=True), failures=(), verified=CELLS[2:], verifying=True)
    assert without_results(CELLS, [launch("good-1"), checked], verify=True) == {}
    assert set(without_results(CELLS, [launch("good-1"), checked])) == {"bad-1"}
