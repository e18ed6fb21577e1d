"""Faster, slower, equivalent or undecided: each candidate against the baseline, cell by cell."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from rankwise.analysis.compare.cells import CellData, IntArray, Point
from rankwise.core.records import FloatArray
from rankwise.core.results import Verdict, VerdictWord
from rankwise.stats.intervals import MIN_FOR_RATIO, ratio_intervals
from rankwise.stats.summary import median
from rankwise.stats.tests import holm, mann_whitney


@dataclass(frozen=True, slots=True, eq=False)
class Pair:
    """Two implementations in one point, with the launches of the rounds in which both were measured."""

    point: Point
    baseline: str
    candidate: str
    baseline_medians: FloatArray
    candidate_medians: FloatArray
    baseline_rounds: IntArray
    candidate_rounds: IntArray


def pair_up(point: Point, baseline: CellData, candidate: CellData) -> Pair | None:
    """Return the two cells over the rounds that both span; None when they were never measured at the same time.

    A cell that is precise early is launched no more while others go on. Were all launches compared, a machine
    that drifts (warms up, gets a noisy neighbour) would make such a cell differ even from itself.
    """
    first = max(baseline.rounds[0], candidate.rounds[0])
    last = min(baseline.rounds[-1], candidate.rounds[-1])
    of_baseline = (baseline.rounds >= first) & (baseline.rounds <= last)
    of_candidate = (candidate.rounds >= first) & (candidate.rounds <= last)
    if not np.any(of_baseline) or not np.any(of_candidate):
        return None
    return Pair(
        point,
        baseline.cell.variant,
        candidate.cell.variant,
        baseline.medians[of_baseline],
        candidate.medians[of_candidate],
        baseline.rounds[of_baseline],
        candidate.rounds[of_candidate],
    )


def all_pairs(points: Mapping[Point, Mapping[str, CellData]], implementations: Sequence[str]) -> list[Pair]:
    """Every two implementations in every point they share; the earlier of `implementations` is the baseline."""
    found = [
        pair_up(point, cells[left], cells[right])
        for left, right in combinations(implementations, 2)
        for point, cells in points.items()
        if left in cells and right in cells
    ]
    return [pair for pair in found if pair is not None]


def adjusted_p_values(pairs: Sequence[Pair]) -> FloatArray:
    """Mann-Whitney p-values of launch medians, Holm-adjusted over all `pairs`; shape (pairs,)."""
    p_values = np.ones(len(pairs))
    for rows in _alike(pairs):
        p_values[rows] = mann_whitney(*_stacked(pairs, rows))
    return holm(p_values)


def judge(pairs: Sequence[Pair], delta: float, alpha: float) -> tuple[Verdict, ...]:
    """Return a verdict for each pair; `pairs` together are the family over which errors are counted.

    `equivalent`: the 95 % interval of the ratio lies within [1 / (1 + delta), 1 + delta]. Otherwise `faster`
    or `slower`: the Holm-adjusted p-value is below `alpha` and the interval excludes 1. Otherwise `undecided`,
    as is every pair with fewer than MIN_FOR_RATIO launches on a side, which cannot give a 95 % interval.

    The interval is the cell's own, not widened for the number of cells. The promise made for a whole
    comparison is that it does not invent differences: with probability 1 - alpha not one `faster` or `slower`
    is false, which Holm's correction keeps by itself. A false `equivalent` needs a true ratio just outside
    the margin and an interval that misses it on that side (2.5 % in one cell: a test of two one-sided
    hypotheses, Schuirmann 1987, at half its usual level); widening for that would leave most cells undecided.
    Equivalence comes first: a difference within the margin may be real, yet it is not worth a verdict.
    """
    adjusted = adjusted_p_values(pairs)
    low, high = np.ones(len(pairs)), np.ones(len(pairs))
    for rows in _alike(pairs):
        low[rows], high[rows] = ratio_intervals(*_stacked(pairs, rows))
    return tuple(
        _verdict(pair, (float(low[i]), float(high[i])), float(adjusted[i]), delta, alpha)
        for i, pair in enumerate(pairs)
    )


def _verdict(pair: Pair, interval: tuple[float, float], p_value: float, delta: float, alpha: float) -> Verdict:
    low, high = interval
    launches = (pair.baseline_medians.size, pair.candidate_medians.size)
    word: VerdictWord = "undecided"
    if min(launches) >= MIN_FOR_RATIO:
        if low >= 1 / (1 + delta) and high <= 1 + delta:
            word = "equivalent"
        elif p_value < alpha and high < 1:
            word = "faster"
        elif p_value < alpha and low > 1:
            word = "slower"
    baseline, candidate = median(pair.baseline_medians), median(pair.candidate_medians)
    return Verdict(
        benchmark=pair.point.benchmark,
        size_bytes=pair.point.size_bytes,
        ranks=pair.point.ranks,
        baseline=pair.baseline,
        candidate=pair.candidate,
        ratio=candidate / baseline,
        ratio_low=low,
        ratio_high=high,
        p_value=p_value,
        verdict=word,
        baseline_seconds=baseline,
        candidate_seconds=candidate,
        launches=launches,
        options=pair.point.options,
        placement=pair.point.placement,
    )


def _alike(pairs: Sequence[Pair]) -> list[list[int]]:
    """The indices of the pairs, grouped by numbers of launches, so that each group is computed at once."""
    groups: defaultdict[tuple[int, int], list[int]] = defaultdict(list)
    for i, pair in enumerate(pairs):
        groups[pair.baseline_medians.size, pair.candidate_medians.size].append(i)
    return list(groups.values())


def _stacked(pairs: Sequence[Pair], rows: Sequence[int]) -> tuple[FloatArray, FloatArray]:
    return np.stack([pairs[i].baseline_medians for i in rows]), np.stack(
        [pairs[i].candidate_medians for i in rows]
    )
