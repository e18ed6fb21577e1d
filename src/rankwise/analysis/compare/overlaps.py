"""What nonblocking operations hide behind computation, launch by launch."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from functools import reduce

import numpy as np

from rankwise.analysis.compare.cells import CellData
from rankwise.core.records import Cell, Quantity
from rankwise.core.results import Overlap
from rankwise.stats.intervals import median_interval
from rankwise.stats.summary import median


def overlap(time_seconds: float, total_seconds: float, compute_seconds: float) -> float:
    """Share of a nonblocking operation that hides behind computation: 1 - (total - compute) / time.

    `time_seconds` is the operation alone, `compute_seconds` the computation alone, `total_seconds` both at once:
    the definition of the Intel MPI Benchmarks and of the OSU micro-benchmarks, which clip it. Below 0 both at once
    take longer than one after the other, above 1 less than the computation alone, which is noise. nan unless the
    operation takes time.
    """
    if not time_seconds > 0:
        return float("nan")
    return 1 - (total_seconds - compute_seconds) / time_seconds


def overlaps(cells: Iterable[CellData]) -> tuple[Overlap, ...]:
    """Return one for each cell with all three quantities, in the order of `cells`.

    The three are of one launch, which sizes the computation by its own time; the interval is over launches.
    """
    by_cell: defaultdict[Cell, dict[Quantity, CellData]] = defaultdict(dict)
    for data in cells:
        by_cell[data.cell][data.quantity] = data
    every = (
        _overlap(cell, parts) for cell, parts in by_cell.items() if {"time", "total", "compute"} <= set(parts)
    )
    return tuple(complete for complete in every if complete is not None)


def _overlap(cell: Cell, parts: dict[Quantity, CellData]) -> Overlap | None:
    rounds = reduce(np.intersect1d, (data.rounds for data in parts.values()))
    time, total, compute = (
        parts[quantity].medians[np.isin(parts[quantity].rounds, rounds)]
        for quantity in ("time", "total", "compute")
    )
    shares = np.array([overlap(*launch) for launch in zip(time, total, compute, strict=True)])
    shares = shares[np.isfinite(shares)]
    if not shares.size:
        return None
    low, high = median_interval(shares)
    return Overlap(
        implementation=cell.variant, benchmark=cell.benchmark, size_bytes=cell.size_bytes, ranks=cell.ranks,
        share=median(shares), share_low=low, share_high=high, launches=shares.size, options=cell.options,
        placement=cell.placement,
    )  # fmt: skip
