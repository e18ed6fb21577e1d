"""The comparison in few numbers: geometric means by class of operation and size, wins, and the baseline."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import product
from typing import Literal, get_args

import numpy as np

from rankwise.analysis.compare.cells import CellData, Point
from rankwise.analysis.compare.verdicts import Pair
from rankwise.core.records import Category, FloatArray
from rankwise.core.results import SummaryRow, Verdict
from rankwise.stats.intervals import LEVEL, bootstrap_log_medians
from rankwise.stats.summary import median

SizeClass = Literal["small", "medium", "large", "all"]
RESAMPLES = 1000
_Class = tuple[Category, SizeClass]


def size_class(size_bytes: int) -> SizeClass:
    """`small` up to 1 KiB, `medium` up to 64 KiB, else `large`."""
    if size_bytes <= 1 << 10:
        return "small"
    return "medium" if size_bytes <= 1 << 16 else "large"


def choose_baseline(points: Mapping[Point, Mapping[str, CellData]], implementations: Sequence[str]) -> str:
    """Return the implementation with the lowest geometric mean of times over the points that all of them measured.

    Those that measured nothing are left out of `all`. Without a common point it is the one that measured most.
    The earlier of `implementations` wins a tie; '' when nothing was measured.
    """
    measured = Counter(name for cells in points.values() for name in cells)
    present = [name for name in implementations if measured[name]]
    common = [cells for cells in points.values() if all(name in cells for name in present)]
    if not common:
        return max(present, key=lambda name: measured[name], default="")
    return min(present, key=lambda name: float(np.mean([np.log(median(c[name].medians)) for c in common])))


def wins(everyone: Iterable[tuple[Point, Verdict]]) -> dict[str, set[Point]]:
    """Return where each implementation is beaten by none and beats at least one.

    `everyone` has each implementation judged against each other one, so that no win hangs on the baseline.
    """
    beats: defaultdict[str, set[Point]] = defaultdict(set)
    beaten: defaultdict[str, set[Point]] = defaultdict(set)
    for point, verdict in everyone:
        if verdict.verdict in ("faster", "slower"):
            names = (verdict.candidate, verdict.baseline)
            winner, loser = names if verdict.verdict == "faster" else names[::-1]
            beats[winner].add(point)
            beaten[loser].add(point)
    return {name: points - beaten[name] for name, points in beats.items()}


def summary_rows(
    points: Mapping[Point, Mapping[str, CellData]],
    pairs: Sequence[Pair],
    baseline: str,
    implementations: Sequence[str],
    *,
    won: Mapping[str, set[Point]],
    seed: int,
) -> tuple[SummaryRow, ...]:
    """Return a row for each implementation, category and size class that has cells, the baseline's ratio being 1.

    The ratio is the geometric mean of the verdicts' ratios. Its interval is a bootstrap over launches, because
    the cells are the ones asked for and not a sample of others, while one launch disturbs all of its cells
    together: a formula that takes the cells as independent would give too narrow an interval.
    """
    rows: list[SummaryRow] = []
    for name in implementations:
        own = [pair for pair in pairs if pair.candidate == name]
        drawn = resampled_log_ratios(own, seed)
        shared = (
            [p for p, cells in points.items() if name in cells] if name == baseline else [p.point for p in own]
        )
        logs = np.array([np.log(median(p.candidate_medians) / median(p.baseline_medians)) for p in own])
        for (category, size), members in _classes(shared, points).items():
            ratio, low, high = 1.0, 1.0, 1.0
            if name != baseline:
                ratio = float(np.exp(np.mean(logs[members])))
                tails = [(1 - LEVEL) / 2, (1 + LEVEL) / 2]
                ends = np.exp(np.quantile(np.mean(drawn[members], axis=0), tails))
                low, high = min(float(ends[0]), ratio), max(float(ends[1]), ratio)
            count = sum(shared[i] in won.get(name, ()) for i in members)
            rows.append(SummaryRow(name, category, size, ratio, low, high, count, len(members)))
    return tuple(rows)


def _classes(shared: Sequence[Point], points: Mapping[Point, Mapping[str, CellData]]) -> dict[_Class, list[int]]:
    """Indices into `shared` by category and size class; each point is in its size's class and in `all`."""
    classes: defaultdict[_Class, list[int]] = defaultdict(list)
    for i, point in enumerate(shared):
        category = next(iter(points[point].values())).category
        classes[category, size_class(point.size_bytes)].append(i)
        classes[category, "all"].append(i)
    return {key: classes[key] for key in product(get_args(Category), get_args(SizeClass)) if key in classes}


def resampled_log_ratios(pairs: Sequence[Pair], seed: int) -> FloatArray:
    """Log ratios of one candidate's pairs under the bootstrap, shape (pairs, RESAMPLES)."""
    drawn = np.zeros((len(pairs), RESAMPLES))
    generator = np.random.default_rng(seed)
    # Cells share their launches with those of the same ranks, options and placement only.
    kinds = [(pair.point.ranks, pair.point.options, pair.point.placement) for pair in pairs]
    for kind in sorted(set(kinds)):
        rows = [i for i, of_pair in enumerate(kinds) if of_pair == kind]
        candidate = _by_round((pairs[i].candidate_rounds, pairs[i].candidate_medians) for i in rows)
        baseline = _by_round((pairs[i].baseline_rounds, pairs[i].baseline_medians) for i in rows)
        drawn[rows] = bootstrap_log_medians(candidate, RESAMPLES, generator)
        drawn[rows] -= bootstrap_log_medians(baseline, RESAMPLES, generator)
    return drawn


def _by_round(cells: Iterable[tuple[np.ndarray, FloatArray]]) -> FloatArray:
    """Launch medians as an array of shape (cells, rounds), nan where a cell has none."""
    found = list(cells)
    rounds = np.unique(np.concatenate([of_cell for of_cell, _ in found]))
    table = np.full((len(found), rounds.size), np.nan)
    for row, (of_cell, medians) in zip(table, found, strict=True):
        row[np.searchsorted(rounds, of_cell)] = medians
    return table
