"""A cell has one time a round, the median of its repetitions, and only if it was asked for."""

from __future__ import annotations

from dataclasses import replace

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


def test_troubles_add_up() -> None:
    observed = Observations()
    other = replace(CELL, size_bytes=128)
    observed.add([CELL, other], [launch(failures=(CellFailure(CELL, "hung"), CellFailure(other, "crashed")))])
    assert (observed.failures([CELL, other]).times, observed.failures([CELL, other]).certain) == (2, False)
    observed.add(
        [CELL], [launch(failures=(CellFailure(CELL, "not here", "unsupported"), CellFailure(other, "x")))]
    )
    assert (observed.failures([CELL]).times, observed.failures([CELL]).reason) == (2, "not here")
    assert observed.failures([CELL]).certain
    assert observed.failures([other]).times == 1
    assert observed.failures([]).times == 0
