"""Schedules against the operation itself, as each MPI does it: is a user's algorithm, or one of ours, faster?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace

from rankwise.analysis.compare.cells import CellData, Point
from rankwise.analysis.compare.verdicts import judge, pair_up
from rankwise.core.results import BesideNative
from rankwise.core.schedule_names import is_file, is_schedule, operation_of

Points = Mapping[Point, Mapping[str, CellData]]


def beside_native(points: Points, delta: float, alpha: float) -> tuple[BesideNative, ...]:
    """Return a verdict on each schedule in each cell that measured the operation too, by implementation.

    They are a family of their own: `alpha` bounds the chance that any *faster* or *slower* among them is false.
    """
    variants, pairs = [], []
    for point, cells in points.items():
        native = replace(point, benchmark=operation_of(point.benchmark))
        if not is_schedule(point.benchmark) or native not in points:
            continue
        for variant, schedule in cells.items():
            own = points[native].get(variant)
            pair = pair_up(native, own, schedule) if own else None
            if pair:
                names = (f"{variant}: {native.benchmark}", f"{variant}: {point.benchmark}")
                pairs.append(replace(pair, baseline=names[0], candidate=names[1]))
                variants.append((variant, point.benchmark))
    judged = judge(pairs, delta, alpha)
    return tuple(
        BesideNative(variant, schedule, verdict)
        for (variant, schedule), verdict in zip(variants, judged, strict=True)
    )


def worth_showing(comparisons: Iterable[BesideNative]) -> list[BesideNative]:
    """Return those of a user's files, and all others that are faster than the operation itself."""
    return [beside for beside in comparisons if is_file(beside.schedule) or beside.verdict.verdict == "faster"]


def sentences(comparisons: Iterable[BesideNative]) -> list[str]:
    """Say how each schedule of a user's does: `mpich: bcast.file:mine beside its own bcast: faster at 2 sizes`."""
    counted: dict[tuple[str, str], Counter[str]] = {}
    for beside in comparisons:
        if is_file(beside.schedule):
            counted.setdefault((beside.implementation, beside.schedule), Counter())[beside.verdict.verdict] += 1
    return [
        f"{implementation}: {schedule} beside its own {operation_of(schedule)}: "
        + ", ".join(
            f"{word} at {count} of {verdict_counts.total()} sizes" for word, count in verdict_counts.most_common()
        )
        + "."
        for (implementation, schedule), verdict_counts in counted.items()
    ]
