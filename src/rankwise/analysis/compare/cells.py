"""From launches to cells: every launch counts once, as the median of its repetitions."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import get_args

import numpy as np
import numpy.typing as npt

from rankwise.core.records import (
    Benchmark,
    Category,
    Cell,
    FloatArray,
    Launch,
    Options,
    Quantity,
    Series,
    Start,
    Starts,
    launch_value,
)

NOT_JUDGED: frozenset[Category] = frozenset({"baseline", "harness"})
JUDGED: frozenset[Category] = frozenset(get_args(Category)) - NOT_JUDGED
"""Categories that compare implementations; `baseline` and `harness` do not measure MPI."""

_SHARES = np.linspace(0, 1, 101)
IntArray = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Point:
    """What variants are compared in: a cell without its implementation and what that loads."""

    benchmark: str
    ranks: int
    options: Options
    testbed: str
    placement: str
    size_bytes: int


@dataclass(frozen=True, slots=True, eq=False)
class CellData:
    """All that was measured of one quantity of one cell."""

    cell: Cell
    category: Category
    quantity: Quantity
    medians: FloatArray
    """One value a launch (`core.records.launch_value`), seconds, shape (launches,), in order of time."""
    rounds: IntArray
    """Which launch of this implementation, ranks, options and placement gave each median, shape (launches,)."""
    quantiles: FloatArray
    """Of all repetitions of all launches, at 0, 1, ..., 100 %, seconds, shape (101,)."""
    samples: int
    """How many these repetitions are."""
    bytes_per_sample: float
    batch: int
    discarded: int
    timed_together: int = 1
    """The fewest samples that one reading of the timer spans: operations, and their messages."""
    starts: Starts = ""
    """How repetitions began, over all launches."""
    one_clock: bool = False

    @property
    def point(self) -> Point:
        """The cell without its implementation."""
        c = self.cell
        return Point(c.benchmark, c.ranks, c.options, c.testbed, c.placement, c.size_bytes)


def gather(
    launches: Iterable[Launch], benchmarks: Mapping[str, Benchmark], quantile: float = 0.5
) -> list[CellData]:
    """Return the cells of all `launches`, sorted by cell and quantity.

    A launch counts as its median, or another `quantile` of its repetitions. Benchmarks that `benchmarks` does not
    know are left out.
    """
    parts: defaultdict[tuple[Cell, Quantity], list[_Part]] = defaultdict(list)
    launched: Counter[tuple[str, int, tuple[Options, str, str] | None]] = Counter()
    for launch in sorted(launches, key=lambda recorded: recorded.started_at):
        if launch.verifying:
            continue
        key = (launch.implementation, launch.ranks, _settings(launch))
        for measured, visits in launch.visits().items():
            if measured[0].benchmark in benchmarks:
                parts[measured].append(_Part(launched[key], visits))
        # A failed launch counts as well: the rounds of the implementations stay side by side.
        launched[key] += 1
    return [
        _cell_data(cell, quantity, visits_of_cell, benchmarks[cell.benchmark], quantile)
        for (cell, quantity), visits_of_cell in sorted(parts.items(), key=lambda item: item[0])
    ]


@dataclass(frozen=True, slots=True, eq=False)
class _Part:
    """What one launch measured of a cell."""

    round: int
    visits: list[Series]


def _cell_data(
    cell: Cell, quantity: Quantity, parts: Sequence[_Part], benchmark: Benchmark, quantile: float
) -> CellData:
    visits = [visit for part in parts for visit in part.visits]
    return CellData(
        cell=cell,
        category=benchmark.category,
        quantity=quantity,
        medians=np.array([launch_value(part.visits, quantile) for part in parts]),
        rounds=np.array([part.round for part in parts]),
        quantiles=np.quantile(np.concatenate([visit.samples_seconds for visit in visits]), _SHARES),
        samples=sum(visit.samples_seconds.size for visit in visits),
        bytes_per_sample=visits[-1].bytes_per_sample,
        batch=min(visit.batch for visit in visits),
        discarded=sum(visit.discarded for visit in visits),
        timed_together=min(visit.batch * visit.messages_per_operation for visit in visits),
        starts=starts_of(visit.start for visit in visits),
        one_clock=benchmark.one_clock,
    )


def starts_of(several: Iterable[Start]) -> Starts:
    """Return how the repetitions of several series began; those of which it is not known are left out."""
    kinds = set(several) - {""}
    return "mixed" if len(kinds) > 1 else next(iter(kinds), "")


def _settings(launch: Launch) -> tuple[Options, str, str] | None:
    """The options, placement and label that all cells of a launch share; None when it came to no cell."""
    cells = [series.cell for series in launch.series] + [failure.cell for failure in launch.failures]
    return (cells[0].options, cells[0].placement, cells[0].label) if cells else None


def judged_points(cells: Iterable[CellData], wrong: Iterable[Cell] = ()) -> dict[Point, dict[str, CellData]]:
    """Return the cells that can be compared, by point and variant, in ascending order.

    Only the operation's own time, only MPI, only positive times (below the timer's resolution there is nothing
    to compare), and no cell that delivered wrong data: its speed is worth nothing.
    """
    excluded = set(wrong)
    points: defaultdict[Point, dict[str, CellData]] = defaultdict(dict)
    for data in cells:
        comparable = data.quantity == "time" and data.category in JUDGED and bool(np.all(data.medians > 0))
        if comparable and data.cell not in excluded:
            points[data.point][data.cell.variant] = data
    order = sorted(points, key=lambda p: (p.benchmark, p.options, p.ranks, p.testbed, p.placement, p.size_bytes))
    return {point: points[point] for point in order}


def by_round(cells: Iterable[tuple[IntArray, FloatArray]]) -> FloatArray:
    """Return launch medians as an array of shape (cells, rounds), nan where a cell has none."""
    all_cells = list(cells)
    rounds = np.unique(np.concatenate([of_cell for of_cell, _ in all_cells]))
    table = np.full((len(all_cells), rounds.size), np.nan)
    for row, (of_cell, medians) in zip(table, all_cells, strict=True):
        row[np.searchsorted(rounds, of_cell)] = medians
    return table
