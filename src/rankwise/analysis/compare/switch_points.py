"""Protocol and algorithm switches, seen in the curves."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from rankwise.analysis.compare.cells import JUDGED, CellData, by_round
from rankwise.core.records import Cell
from rankwise.core.results import SwitchPoint
from rankwise.stats.intervals import LEVEL, bootstrap_log_medians
from rankwise.stats.segments import find_breaks, jumps
from rankwise.stats.summary import median

RESAMPLES = 400
FEWEST_LAUNCHES = 3


def switch_points(cells: Iterable[CellData], *, seed: int = 0) -> tuple[SwitchPoint, ...]:
    """Return the jumps of every MPI benchmark's time against size that noise does not explain.

    The interval of a jump is a bootstrap over launches; one that holds 1 is no switch, and neither is anything in
    curves with fewer than FEWEST_LAUNCHES launches.
    """
    curves: defaultdict[Cell, list[CellData]] = defaultdict(list)
    for data in cells:
        if data.quantity == "time" and data.category in JUDGED and bool(np.all(data.medians > 0)):
            curves[replace(data.cell, size_bytes=0)].append(data)
    generator = np.random.default_rng(seed)
    return tuple(point for curve in curves.values() for point in _of_curve(curve, generator))


def _of_curve(curve: Sequence[CellData], generator: np.random.Generator) -> Iterator[SwitchPoint]:
    sizes = np.array([float(data.cell.size_bytes) for data in curve])
    seconds = np.array([median(data.medians) for data in curve])
    breaks = [each for each in find_breaks(sizes, seconds) if each.jump != 1]
    if not breaks or min(data.medians.size for data in curve) < FEWEST_LAUNCHES:
        return
    table = by_round((data.rounds, data.medians) for data in curve)
    drawn = np.exp(bootstrap_log_medians(table, RESAMPLES, generator)).T
    tails = [(1 - LEVEL) / 2, (1 + LEVEL) / 2]
    cell = curve[0].cell
    for kink in breaks:
        low, high = np.nanquantile(jumps(sizes, drawn, kink), tails)
        if low > 1 or high < 1:
            yield SwitchPoint(
                cell.variant, cell.benchmark, cell.ranks, int(kink.below), int(kink.at), kink.jump, cell.options,
                cell.placement, min(float(low), kink.jump), max(float(high), kink.jump),
            )  # fmt: skip
