"""Settings that earlier runs measured to be faster where a guideline is violated."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from rankwise.analysis.guidelines.findings import Finding
from rankwise.core.records import DEFAULT, Cell, Launch
from rankwise.core.units import format_size
from rankwise.stats.intervals import MIN_FOR_RATIO, ratio_intervals
from rankwise.stats.summary import median

Medians = Mapping[tuple[int, str, str], Sequence[float]]
"""Seconds, one value a launch, by size in bytes, the stage of the search, and the setting."""


def faster_settings(finding: Finding, launches: Iterable[Launch]) -> list[str]:
    """Return for each violated size the fastest setting of these launches, if it beat the default there.

    `algorithms: bcast@4=binomial took 0.61 [0.58, 0.66] times the default's time at 64 KiB`. The best of many
    is told, so it may be less good when measured again: what can be relied on is a profile's validation.
    """
    medians = _medians(finding, launches)
    said = []
    for size in dict.fromkeys(check.size_bytes for check in finding.violations):
        ratios = [
            (_ratio(medians.get((size, stage, DEFAULT), ()), seconds), f"{stage}: {name}" if stage else name)
            for (at, stage, name), seconds in medians.items()
            if at == size and name != DEFAULT
        ]
        better = [(ratio, name) for ratio, name in ratios if ratio is not None and ratio[2] < 1]
        if better:
            (centre, low, high), name = min(better)
            times = f"{centre:.2f} [{low:.2f}, {high:.2f}]"
            said.append(f"{name} took {times} times the default's time at {format_size(size)}")
    return said


def _medians(finding: Finding, launches: Iterable[Launch]) -> Medians:
    by_place: defaultdict[tuple[int, str, str], list[float]] = defaultdict(list)
    for launch in launches:
        for (cell, quantity), seconds in launch.values().items():
            if quantity == "time" and _is_alike(cell, finding):
                by_place[cell.size_bytes, launch.stage, cell.label].append(seconds)
    return by_place


def _is_alike(cell: Cell, finding: Finding) -> bool:
    own = (cell.implementation, cell.benchmark, cell.ranks, cell.options, cell.placement)
    return own == (finding.implementation, finding.operation, finding.ranks, finding.options, finding.placement)


def _ratio(default: Sequence[float], seconds: Sequence[float]) -> tuple[float, float, float] | None:
    """Of the setting's time to the default's, and its 95 % interval; None with too few launches."""
    if min(len(default), len(seconds)) < MIN_FOR_RATIO or min(*default, *seconds) <= 0:
        return None
    baseline, candidate = np.array([default]), np.array([seconds])
    low, high = ratio_intervals(baseline, candidate)
    return median(candidate[0]) / median(baseline[0]), float(low[0]), float(high[0])
