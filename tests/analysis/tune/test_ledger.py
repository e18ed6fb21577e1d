"""A search keeps one value a round and counts every launch that it cost."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from rankwise.analysis.tune.ledger import Ledger
from rankwise.core.records import Cell, CellFailure, Launch, Segment, Series

CELL = Cell("mpi-1", "bcast", 64, 4, label="bcast@4=ring")


def launch(*samples: float, cell: Cell = CELL, **more: object) -> Launch:
    series = (Series(cell, "time", np.array(samples)),) if samples else ()
    return Launch((Segment("mpi-1", 4),), "finished", "", (), 0.0, 1.0, series, **more)  # type: ignore[arg-type]


def test_one_value_a_round() -> None:
    ledger = Ledger()
    ledger.add([CELL], [launch(1.0, 2.0, 9.0)])
    ledger.add([], [launch(5.0)])  # nobody asked
    ledger.add([CELL], [launch(cell=replace(CELL, label="default"))])
    ledger.add([CELL], [launch(4.0), launch(6.0)])  # twice: shared by two bundles
    assert np.exp(ledger.log_seconds(CELL)) == pytest.approx([2.0, np.nan, np.nan, 5.0], nan_ok=True)
    assert ledger.rounds == 4
    assert ledger.launches == {"bcast@4=ring": 3}


def test_launches_are_counted_by_what_one_launch_can_measure() -> None:
    ledger = Ledger()
    ledger.add([CELL, replace(CELL, size_bytes=8), replace(CELL, placement="cyclic")], [])
    ledger.add([replace(CELL, label="default")], [])
    assert ledger.launches == {"bcast@4=ring": 2, "default": 1}


def test_what_cannot_be_compared_is_not_measured() -> None:
    ledger = Ledger()
    ledger.add([CELL], [launch(0.0, 0.0, 1.0), launch(np.nan, np.inf)])
    ledger.add([CELL], [replace(launch(), series=(Series(CELL, "compute", np.array([1.0])),))])
    assert np.all(np.isnan(ledger.log_seconds(CELL)))


def test_troubles_add_up() -> None:
    ledger = Ledger()
    other = replace(CELL, size_bytes=128)
    ledger.add([CELL, other], [launch(failures=(CellFailure(CELL, "hung"), CellFailure(other, "crashed")))])
    assert (ledger.trouble([CELL, other]).times, ledger.trouble([CELL, other]).certain) == (2, False)
    ledger.add([CELL], [launch(failures=(CellFailure(CELL, "not here", "unsupported"), CellFailure(other, "x")))])
    assert (ledger.trouble([CELL]).times, ledger.trouble([CELL]).reason) == (2, "not here")
    assert ledger.trouble([CELL]).certain
    assert ledger.trouble([other]).times == 1
    assert ledger.trouble([]).times == 0
