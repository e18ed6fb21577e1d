"""The sample comparison made unlike itself: what a page and its tables must survive."""

from __future__ import annotations

import math
from dataclasses import replace

from rankwise.core.records import CellFailure
from rankwise.core.results import Comparison


def with_empty_message(sample: Comparison) -> Comparison:
    """The same with a point at 0 bytes before the first of every sized curve."""
    curves = tuple(
        curve
        if curve.points[0].size_bytes == 0
        else replace(curve, points=(replace(curve.points[0], size_bytes=0, bytes_per_sample=0.0), *curve.points))
        for curve in sample.curves
    )
    return replace(sample, curves=curves)


def only(sample: Comparison, names: tuple[str, ...]) -> Comparison:
    """The same with these implementations alone; the first is the baseline."""
    return replace(
        sample,
        baseline=names[0] if names else "",
        implementations=names,
        verdicts=tuple(v for v in sample.verdicts if v.candidate in names and v.baseline in names),
        summary=tuple(row for row in sample.summary if row.implementation in names),
        curves=tuple(curve for curve in sample.curves if curve.implementation in names),
        switch_points=tuple(point for point in sample.switch_points if point.implementation in names),
        distributions=tuple(d for d in sample.distributions if d.cell.implementation in names),
        failures=tuple(failure for failure in sample.failures if failure.cell.implementation in names),
        overlaps=tuple(one for one in sample.overlaps if one.implementation in names),
    )


def without_intervals(sample: Comparison) -> Comparison:
    """The same from too few launches to tell how sure a number is."""
    unknown = math.nan
    return replace(
        sample,
        verdicts=tuple(
            replace(v, ratio_low=0.0, ratio_high=math.inf, p_value=1.0, verdict="undecided")
            for v in sample.verdicts
        ),
        summary=tuple(replace(row, ratio_low=unknown, ratio_high=unknown) for row in sample.summary),
        curves=tuple(
            replace(
                curve,
                points=tuple(replace(p, low_seconds=unknown, high_seconds=unknown) for p in curve.points),
            )
            for curve in sample.curves
        ),
        overlaps=tuple(replace(one, share_low=unknown, share_high=unknown) for one in sample.overlaps),
    )


def at_size(sample: Comparison, size_bytes: int) -> Comparison:
    """The same measured at one size alone."""
    curves = []
    for curve in sample.curves:
        points = tuple(point for point in curve.points if point.size_bytes == size_bytes)
        curves += [replace(curve, points=points)] if points else []
    return replace(
        sample,
        verdicts=tuple(v for v in sample.verdicts if v.size_bytes == size_bytes),
        curves=tuple(curves),
        switch_points=(),
        distributions=tuple(d for d in sample.distributions if d.cell.size_bytes == size_bytes),
        failures=tuple(failure for failure in sample.failures if failure.cell.size_bytes == size_bytes),
        overlaps=tuple(one for one in sample.overlaps if one.size_bytes == size_bytes),
    )


def failed(sample: Comparison) -> Comparison:
    """The same with nothing measured: every cell failed."""
    failures = tuple(CellFailure(d.cell, "mpiexec: command not found") for d in sample.distributions)
    return replace(
        sample, verdicts=(), summary=(), curves=(), switch_points=(), distributions=(), failures=failures,
        overlaps=(),
    )  # fmt: skip


def renamed(sample: Comparison, old: str, new: str) -> Comparison:
    """The same with one implementation under another id."""

    def name(value: str) -> str:
        return new if value == old else value

    return replace(
        sample,
        baseline=name(sample.baseline),
        implementations=tuple(map(name, sample.implementations)),
        verdicts=tuple(
            replace(v, candidate=name(v.candidate), baseline=name(v.baseline)) for v in sample.verdicts
        ),
        summary=tuple(replace(row, implementation=name(row.implementation)) for row in sample.summary),
        curves=tuple(replace(curve, implementation=name(curve.implementation)) for curve in sample.curves),
        switch_points=tuple(replace(p, implementation=name(p.implementation)) for p in sample.switch_points),
        distributions=tuple(
            replace(d, cell=replace(d.cell, implementation=name(d.cell.implementation)))
            for d in sample.distributions
        ),
        failures=tuple(
            replace(f, cell=replace(f.cell, implementation=name(f.cell.implementation))) for f in sample.failures
        ),
        overlaps=tuple(replace(one, implementation=name(one.implementation)) for one in sample.overlaps),
    )
