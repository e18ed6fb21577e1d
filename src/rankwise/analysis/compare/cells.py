"""From launches to cells: every launch counts once, as the median of its repetitions."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
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
)
from rankwise.stats.summary import geometric_mean

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
    """One value a launch, seconds, shape (launches,), in order of time: where it visited the cell more than once,
    the geometric mean of the visits' medians. Visits are never counted as launches."""
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

    A launch counts as its median, or another `quantile` of its repetitions. Samples that are not finite are left
    out, and so are series without any other and benchmarks that `benchmarks` does not know.
    """
    parts: defaultdict[tuple[Cell, Quantity], list[_Part]] = defaultdict(list)
    launched: Counter[tuple[str, int, tuple[Options, str, str] | None]] = Counter()
    for launch in sorted(launches, key=lambda one: one.started_at):
        if launch.verifying:
            continue
        key = (launch.implementation, launch.ranks, _settings(launch))
        for series in launch.series:
            samples = series.samples_seconds[np.isfinite(series.samples_seconds)]
            if samples.size and series.cell.benchmark in benchmarks:
                parts[series.cell, series.quantity].append(_Part(launched[key], samples, series))
        # A failed launch counts as well: the rounds of the implementations stay side by side.
        launched[key] += 1
    return [
        CellData(
            cell=cell,
            category=benchmarks[cell.benchmark].category,
            quantity=quantity,
            medians=np.array([_of_launch(visits, quantile) for visits in _visits_of_launches(found)]),
            rounds=np.array(list(dict.fromkeys(part.round for part in found))),
            quantiles=np.quantile(np.concatenate([part.samples for part in found]), _SHARES),
            samples=sum(part.samples.size for part in found),
            bytes_per_sample=found[-1].series.bytes_per_sample,
            batch=min(part.series.batch for part in found),
            discarded=sum(part.series.discarded for part in found),
            timed_together=min(part.series.batch * part.series.messages_per_operation for part in found),
            starts=starts_of(part.series.start for part in found),
            one_clock=benchmarks[cell.benchmark].one_clock,
        )
        for (cell, quantity), found in sorted(parts.items(), key=lambda item: item[0])
    ]


def starts_of(several: Iterable[Start]) -> Starts:
    """Return how the repetitions of several series began; those of which it is not known are left out."""
    kinds = set(several) - {""}
    return "mixed" if len(kinds) > 1 else next(iter(kinds), "")


def _settings(launch: Launch) -> tuple[Options, str, str] | None:
    """The options, placement and label that all cells of a launch share; None when it came to no cell."""
    cells = [series.cell for series in launch.series] + [failure.cell for failure in launch.failures]
    return (cells[0].options, cells[0].placement, cells[0].label) if cells else None


@dataclass(frozen=True, slots=True, eq=False)
class _Part:
    """One series of a cell."""

    round: int
    samples: FloatArray
    """Those that are finite."""
    series: Series


def _visits_of_launches(found: Sequence[_Part]) -> list[list[_Part]]:
    """The visits of each launch, in order of time."""
    return [list(visits) for _, visits in groupby(found, key=lambda part: part.round)]


def _of_launch(visits: Sequence[_Part], quantile: float) -> float:
    found = np.array([float(np.quantile(part.samples, quantile)) for part in visits])
    return geometric_mean(found) if len(visits) > 1 and np.all(found > 0) else float(np.mean(found))


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
    found = list(cells)
    rounds = np.unique(np.concatenate([of_cell for of_cell, _ in found]))
    table = np.full((len(found), rounds.size), np.nan)
    for row, (of_cell, medians) in zip(table, found, strict=True):
        row[np.searchsorted(rounds, of_cell)] = medians
    return table
