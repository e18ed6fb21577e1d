"""The comparison in few numbers: geometric means by class, who is fastest where, and the baseline."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Literal, get_args

import numpy as np

from rankwise.analysis.compare.cells import CellData, Point, by_round
from rankwise.analysis.compare.verdicts import Pair, size_class
from rankwise.core.records import Category, FloatArray
from rankwise.core.results import SummaryRow, Verdict, VerdictWord
from rankwise.stats.intervals import LEVEL, bootstrap_log_medians
from rankwise.stats.summary import median

SizeClass = Literal["small", "medium", "large", "all"]
RESAMPLES = 1000
_Class = tuple[Category, SizeClass]
REVERSED: dict[VerdictWord, VerdictWord] = {
    "faster": "slower", "slower": "faster", "probably faster": "probably slower",
    "probably slower": "probably faster", "equivalent": "equivalent", "undecided": "undecided",
}  # fmt: skip
"""What a verdict on the candidate says of the baseline."""


@dataclass(frozen=True, slots=True)
class Standing:
    """The points in which an implementation is the fastest, and those in which none is shown to be faster."""

    fastest: frozenset[Point]
    unbeaten: frozenset[Point]


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


def standings(everyone: Iterable[tuple[Point, Verdict]]) -> dict[str, Standing]:
    """Return where each implementation is the fastest, and where it is not shown to be beaten.

    `everyone` has each implementation judged against each other one, so that nothing hangs on the baseline. The
    fastest has every other one slower or equivalent, and one of them slower: what is undecided shows nothing.
    """
    others: defaultdict[tuple[str, Point], list[VerdictWord]] = defaultdict(list)
    for point, verdict in everyone:
        others[verdict.baseline, point].append(verdict.verdict)
        others[verdict.candidate, point].append(REVERSED[verdict.verdict])
    by_name: defaultdict[str, list[list[Point]]] = defaultdict(lambda: [[], []])
    for (name, point), verdict_words in others.items():
        if set(verdict_words) <= {"slower", "equivalent"} and "slower" in verdict_words:
            by_name[name][0].append(point)
        if "faster" not in verdict_words:
            by_name[name][1].append(point)
    return {name: Standing(*map(frozenset, points)) for name, points in by_name.items()}


def summary_rows(
    points: Mapping[Point, Mapping[str, CellData]],
    pairs: Sequence[Pair],
    baseline: str,
    implementations: Sequence[str],
    *,
    standing: Mapping[str, Standing],
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
        stands = standing.get(name, Standing(frozenset(), frozenset()))
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
                if any(min(own[i].baseline_medians.size, own[i].candidate_medians.size) == 1 for i in members):
                    low, high = math.nan, math.nan  # how much one launch varies is not known
            here = {shared[i] for i in members}
            fastest, unbeaten = len(stands.fastest & here), len(stands.unbeaten & here)
            rows.append(SummaryRow(name, category, size, ratio, low, high, fastest, unbeaten, len(members)))
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
        candidate = by_round((pairs[i].candidate_rounds, pairs[i].candidate_medians) for i in rows)
        baseline = by_round((pairs[i].baseline_rounds, pairs[i].baseline_medians) for i in rows)
        drawn[rows] = bootstrap_log_medians(candidate, RESAMPLES, generator)
        drawn[rows] -= bootstrap_log_medians(baseline, RESAMPLES, generator)
    return drawn
