"""Faster, slower, probably so, equivalent or undecided: each candidate against the baseline, cell by cell."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Literal

import numpy as np
import scipy

from rankwise.analysis.compare.cells import CellData, IntArray, Point
from rankwise.core.records import FloatArray
from rankwise.core.results import Verdict, VerdictWord
from rankwise.stats.intervals import LEVEL, MIN_FOR_RATIO, ratio_intervals
from rankwise.stats.summary import median
from rankwise.stats.tests import benjamini_hochberg, hierarchical, mann_whitney


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
    """Pair every two implementations at each point they share, the earlier of `implementations` as baseline."""
    pairs = [
        pair_up(point, cells[left], cells[right])
        for left, right in combinations(implementations, 2)
        for point, cells in points.items()
        if left in cells and right in cells
    ]
    return [pair for pair in pairs if pair is not None]


SizeClass = Literal["small", "medium", "large"]
MOST_LOG = 50.0
POWER = 0.8
"""Chance with which a difference of `Verdict.visible_ratio` would have been found."""


def size_class(size_bytes: int) -> SizeClass:
    """Name the class of a size: `small` up to 1 KiB, `medium` up to 64 KiB, else `large`."""
    if size_bytes <= 1 << 10:
        return "small"
    return "medium" if size_bytes <= 1 << 16 else "large"


def hypotheses_of(pair: Pair) -> tuple[object, ...]:
    """Return what is tested as a whole before its cells: two implementations in a benchmark and class of sizes."""
    cell = replace(pair.point, size_bytes=0)
    return pair.baseline, pair.candidate, cell, size_class(pair.point.size_bytes)


def p_values_of(pairs: Sequence[Pair]) -> FloatArray:
    """Mann-Whitney p-values of launch medians, shape (pairs,), each for itself."""
    p_values = np.ones(len(pairs))
    for rows in _alike(pairs):
        p_values[rows] = mann_whitney(*_stacked(pairs, rows))
    return p_values


def judge(pairs: Sequence[Pair], delta: float, alpha: float) -> tuple[Verdict, ...]:
    """Return a verdict for each pair; `pairs` together are the family over which errors are counted.

    `equivalent`: the 95 % interval of the ratio lies within [1 / (1 + delta), 1 + delta]. Otherwise `faster`
    or `slower`: the p-value adjusted by `stats.tests.hierarchical` is below `alpha` and the interval excludes 1.
    Otherwise `probably faster` or `probably slower`: the one adjusted by Benjamini and Hochberg is. Otherwise
    `undecided`, as is every pair with fewer than MIN_FOR_RATIO launches on a side, which cannot give a 95 %
    interval.

    The interval is the cell's own, not widened for the number of cells. The promise made for a whole
    comparison is that it does not invent differences: with probability 1 - alpha not one `faster` or `slower`
    is false, which the correction keeps by itself. A false `equivalent` needs a true ratio just outside
    the margin and an interval that misses it on that side (2.5 % in one cell: a test of two one-sided
    hypotheses, Schuirmann 1987, at half its usual level); widening for that would leave most cells undecided.
    Equivalence comes first: a difference within the margin may be real, yet it is not worth a verdict.
    """
    p_values = p_values_of(pairs)
    adjusted = hierarchical(p_values, [hypotheses_of(pair) for pair in pairs])
    probable = benjamini_hochberg(p_values)
    low, high = np.ones(len(pairs)), np.ones(len(pairs))
    for rows in _alike(pairs):
        low[rows], high[rows] = ratio_intervals(*_stacked(pairs, rows))
    open_tests = max(1, int(np.sum(adjusted >= alpha)))
    return tuple(
        _verdict(pair, _Evidence(*map(float, figures)), delta, alpha, open_tests)
        for pair, *figures in zip(pairs, low, high, adjusted, probable, strict=True)
    )


@dataclass(frozen=True, slots=True)
class _Evidence:
    """What the launches of a pair say: the ratio's interval, and the p-value adjusted in two ways."""

    low: float
    high: float
    p_value: float
    q_value: float

    def word(self, delta: float, alpha: float) -> VerdictWord:
        """Return the verdict, for a pair with launches enough."""
        if self.low >= 1 / (1 + delta) and self.high <= 1 + delta:
            return "equivalent"
        if self.high >= 1 >= self.low or min(self.p_value, self.q_value) >= alpha:
            return "undecided"
        if self.p_value < alpha:
            return "faster" if self.high < 1 else "slower"
        return "probably faster" if self.high < 1 else "probably slower"

    def visible_ratio(self, alpha: float, open_tests: int) -> float:
        """Return the ratio that would have been found: its distance from 1 in standard errors of the log ratio.

        One needs the normal quantile of alpha / 2 over the tests that are still open, and that of POWER (Cohen
        1988, "Statistical power analysis", section 2.4); the standard error is the interval's half over 1.96.
        """
        error = math.log(self.high / self.low) / 2 / -scipy.special.ndtri((1 - LEVEL) / 2)
        needed = -scipy.special.ndtri(alpha / 2 / open_tests) + scipy.special.ndtri(POWER)
        return math.exp(min(needed * error, MOST_LOG))


def _verdict(pair: Pair, evidence: _Evidence, delta: float, alpha: float, open_tests: int) -> Verdict:
    launches = (pair.baseline_medians.size, pair.candidate_medians.size)
    enough = min(launches) >= MIN_FOR_RATIO
    baseline, candidate = median(pair.baseline_medians), median(pair.candidate_medians)
    return Verdict(
        benchmark=pair.point.benchmark,
        size_bytes=pair.point.size_bytes,
        ranks=pair.point.ranks,
        baseline=pair.baseline,
        candidate=pair.candidate,
        ratio=candidate / baseline,
        ratio_low=evidence.low,
        ratio_high=evidence.high,
        p_value=evidence.p_value,
        verdict=evidence.word(delta, alpha) if enough else "undecided",
        baseline_seconds=baseline,
        candidate_seconds=candidate,
        launches=launches,
        options=pair.point.options,
        placement=pair.point.placement,
        q_value=evidence.q_value,
        visible_ratio=evidence.visible_ratio(alpha, open_tests) if enough else math.inf,
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
