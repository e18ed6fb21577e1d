"""A row of a listing is one cell over all of its launches."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from rankwise.analysis.listing import list_cells
from rankwise.core.records import Benchmark, Cell, Launch, Segment, Series

KNOWN = {"pingpong": Benchmark("pingpong", "point-to-point", "there and back")}
CELL = Cell("a", "pingpong", 8, 2)


def launch(cell: Cell, *seconds: float) -> Launch:
    return Launch(
        (Segment("a", 2),), "finished", "", (), 0.0, 1.0, (Series(cell, "time", np.array(seconds), 8.0),)
    )


def test_a_row_is_a_cell_over_its_launches() -> None:
    (row,) = list_cells([launch(CELL, 1.0, 2.0), launch(CELL, 3.0)], KNOWN)
    assert (row.median_seconds, row.min_seconds, row.max_seconds, row.launches, row.repetitions) == (2, 1, 3, 2, 3)
    assert row.bytes_per_second == 4.0


def test_placements_are_rows_of_their_own() -> None:
    rows = list_cells([launch(CELL, 1.0), launch(replace(CELL, placement="cyclic"), 5.0)], KNOWN)
    assert [(row.placement, row.median_seconds) for row in rows] == [("block", 1.0), ("cyclic", 5.0)]
