"""Times against sizes, and the spread of the samples."""

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
        starts=data.starts,
    )


def distributions(cells: Iterable[CellData]) -> tuple[Distribution, ...]:
    """Return the quantiles of all samples of each cell's own time."""
    return tuple(Distribution(data.cell, data.quantiles) for data in cells if data.quantity == "time")
