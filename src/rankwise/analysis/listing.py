"""Every measured cell in one row: what a user of IMB or OSU expects to see, and the percentiles they lack."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from rankwise.analysis.compare.cells import starts_of
from rankwise.core.records import Benchmark, Category, Cell, Launch, Options, Quantity, Series, Starts


@dataclass(frozen=True, slots=True)
class Row:
    """The samples of one cell over all its launches, in short."""

    implementation: str
    benchmark: str
    category: Category
    ranks: int
    size_bytes: int
    options: Options
    placement: str
    quantity: Quantity
    launches: int
    repetitions: int
    min_seconds: float
    median_seconds: float
    mean_seconds: float
    p90_seconds: float
    p99_seconds: float
    max_seconds: float
    bytes_per_second: float
    """From the median; 0 where a bandwidth has no meaning."""
    starts: Starts = ""
    """How repetitions began."""


def list_cells(launches: Sequence[Launch], benchmarks: Mapping[str, Benchmark]) -> list[Row]:
    """Return one row a cell and quantity, by implementation, benchmark and size."""
    by_cell: defaultdict[tuple[Cell, Quantity], list[list[Series]]] = defaultdict(list)
    for launch in launches:
        for measured, visits in launch.visits().items():
            by_cell[measured].append(visits)
    return [
        _row(cell, quantity, of_launches, benchmarks[cell.benchmark].category)
        for (cell, quantity), of_launches in sorted(by_cell.items(), key=lambda item: item[0])
    ]


def _row(cell: Cell, quantity: Quantity, of_launches: Sequence[list[Series]], category: Category) -> Row:
    series = [visit for visits in of_launches for visit in visits]
    samples = np.concatenate([visit.samples_seconds for visit in series])
    p50, p90, p99 = (float(value) for value in np.percentile(samples, [50, 90, 99]))
    return Row(
        implementation=cell.variant, benchmark=cell.benchmark, category=category, ranks=cell.ranks,
        size_bytes=cell.size_bytes, options=cell.options, placement=cell.placement, quantity=quantity,
        launches=len(of_launches), repetitions=samples.size, min_seconds=float(samples.min()), median_seconds=p50,
        mean_seconds=float(samples.mean()), p90_seconds=p90, p99_seconds=p99, max_seconds=float(samples.max()),
        bytes_per_second=series[0].bytes_per_sample / p50 if p50 > 0 else 0.0,
        starts=starts_of(visit.start for visit in series),
    )  # fmt: skip
