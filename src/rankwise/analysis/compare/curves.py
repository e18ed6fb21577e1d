"""Times against sizes, the spread of the samples, and the overlap of nonblocking operations."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from rankwise.analysis.compare.cells import CellData
from rankwise.core.records import Options, Quantity
from rankwise.core.results import Curve, CurvePoint, Distribution
from rankwise.stats.intervals import median_interval, relative_half_width
from rankwise.stats.summary import median


def curves(cells: Iterable[CellData], precision: float) -> tuple[Curve, ...]:
    """Return one curve an implementation, benchmark, ranks, options, placement and quantity, ordered as the cells.

    Cells of several profiles or testbeds would share a curve; a run has one of each.
    """
    groups: defaultdict[tuple[str, str, int, Options, str, Quantity], list[CellData]] = defaultdict(list)
    for data in cells:
        c = data.cell
        groups[c.variant, c.benchmark, c.ranks, c.options, c.placement, data.quantity].append(data)
    return tuple(
        Curve(
            implementation=implementation,
            benchmark=benchmark,
            category=group[0].category,
            ranks=ranks,
            points=tuple(_point(d, precision) for d in sorted(group, key=lambda d: d.cell.size_bytes)),
            quantity=quantity,
            options=options,
            placement=placement,
        )
        for (implementation, benchmark, ranks, options, placement, quantity), group in groups.items()
    )


def _point(data: CellData, precision: float) -> CurvePoint:
    low, high = median_interval(data.medians)
    return CurvePoint(
        size_bytes=data.cell.size_bytes,
        median_seconds=median(data.medians),
        low_seconds=low,
        high_seconds=high,
        p10_seconds=float(data.quantiles[10]),
        p90_seconds=float(data.quantiles[90]),
        p99_seconds=float(data.quantiles[99]),
        min_seconds=float(data.quantiles[0]),
        launches=data.medians.size,
        samples=data.samples,
        bytes_per_sample=data.bytes_per_sample,
        precise=relative_half_width(data.medians) <= precision,
    )


def distributions(cells: Iterable[CellData]) -> tuple[Distribution, ...]:
    """Return the quantiles of all samples of each cell's own time."""
    return tuple(Distribution(data.cell, data.quantiles) for data in cells if data.quantity == "time")


def overlap(time_seconds: float, total_seconds: float, compute_seconds: float) -> float:
    """Return the share of a nonblocking operation hidden by computation: 1 - (total - compute) / time, in [0, 1].

    `time_seconds` is the operation alone, `compute_seconds` the computation alone, `total_seconds` both at
    once (the definition of the Intel MPI Benchmarks and of the OSU micro-benchmarks). nan unless the operation
    takes time.
    """
    if not time_seconds > 0:
        return float("nan")
    return min(1.0, max(0.0, 1 - (total_seconds - compute_seconds) / time_seconds))
