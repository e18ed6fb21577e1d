"""Protocol and algorithm switches, seen in the curves."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from rankwise.analysis.compare.cells import JUDGED
from rankwise.core.results import Curve, SwitchPoint
from rankwise.stats.segments import find_breaks


def switch_points(curves: Iterable[Curve]) -> tuple[SwitchPoint, ...]:
    """Return the breaks of every MPI benchmark's time against size."""
    found = []
    for curve in curves:
        if curve.quantity != "time" or curve.category not in JUDGED:
            continue
        sizes = np.array([float(point.size_bytes) for point in curve.points])
        seconds = np.array([point.median_seconds for point in curve.points])
        found += [
            SwitchPoint(
                curve.implementation,
                curve.benchmark,
                curve.ranks,
                int(b.below),
                int(b.at),
                b.jump,
                curve.options,
                curve.placement,
            )
            for b in find_breaks(sizes, seconds)
        ]
    return tuple(found)
