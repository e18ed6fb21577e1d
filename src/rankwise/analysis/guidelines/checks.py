"""Measured curves held to the guidelines: each check is one guideline at one size of one implementation."""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from rankwise.analysis.compare.cells import CellData, gather
from rankwise.analysis.compare.verdicts import Pair, judge, pair_up
from rankwise.analysis.guidelines import rules
from rankwise.core.records import Benchmark, Cell, CellFailure, Launch, Options
from rankwise.core.results import Verdict
from rankwise.core.units import format_size
from rankwise.stats.intervals import MIN_FOR_RATIO

Word = Literal["holds", "violated", "undecided"]


@dataclass(frozen=True, slots=True, eq=False)
class Check:
    """An operation held to another way to the same end, at one size."""

    guideline: str
    """The mock-up's name, `split`, or `monotony`."""
    implementation: str
    operation: str
    other: str
    """What the operation is held to: `reduce + bcast`, `2 × 32 KiB`, `64 KiB`."""
    size_bytes: int
    ranks: int
    options: Options
    placement: str
    operation_seconds: float
    other_seconds: float
    ratio: float
    """The operation's time over the other's; a guideline asks for 1 at most."""
    ratio_low: float
    ratio_high: float
    """95 % interval."""
    p_value: float
    """Of the operation's being more than the tolerance slower, adjusted for all checks (Holm)."""
    word: Word
    launches: int
    """On the side that has fewer."""


@dataclass(frozen=True, slots=True, eq=False)
class _Claim:
    """`operation` takes no longer than `factor` times `other`."""

    guideline: str
    operation: CellData
    other: CellData
    words: str
    factor: float = 1.0


def check(
    launches: Iterable[Launch],
    benchmarks: Mapping[str, Benchmark],
    *,
    delta: float = 0.05,
    alpha: float = 0.05,
    failures: Iterable[CellFailure] = (),
) -> tuple[Check, ...]:
    """Every guideline that the cells of `launches` can be held to, by implementation, guideline and size.

    A guideline is `violated` at a size if the operation is more than `delta` (0.05: 5 %) slower than it may be:
    the 95 % interval of the ratio lies wholly beyond 1 + delta, and a rank test of the launches' medians against
    that bound is significant at `alpha` after Holm's correction over all checks; so the chance that even one
    violation of the whole run is false is `alpha` at most. It `holds` if the interval ends at 1 + delta or
    below. All else is `undecided`, as is every check with fewer than MIN_FOR_RATIO launches. Cells that delivered
    wrong data (`failures`, and those of the launches) are left out: their speed is worth nothing.
    """
    stored = list(launches)
    everything = [*failures, *(one for launch in stored for one in launch.failures)]
    wrong = {one.cell for one in everything if one.kind == "wrong data"}
    cells = {
        data.cell: data
        for data in gather(stored, benchmarks)
        if data.quantity == "time" and data.cell not in wrong and bool(np.all(data.medians > 0))
    }
    claims = [*_patterns(cells), *_sizes(cells)]
    paired = [(claim, pair) for claim in claims if (pair := _pair(claim, delta)) is not None]
    verdicts = judge([pair for _, pair in paired], 0.0, alpha)
    return tuple(_check(claim, one, delta) for (claim, _), one in zip(paired, verdicts, strict=True))


def _patterns(cells: Mapping[Cell, CellData]) -> Iterator[_Claim]:
    for data in cells.values():
        for rule in rules.GUIDELINES:
            if data.cell.benchmark == rule.operation and data.cell.options.layout in rule.layouts:
                other = cells.get(replace(data.cell, benchmark=rule.mockup))
                if other is not None:
                    yield _Claim(rule.mockup, data, other, rule.other)


def _sizes(cells: Mapping[Cell, CellData]) -> Iterator[_Claim]:
    """Split against the largest part that was measured, monotony against the next larger size."""
    curves: defaultdict[Cell, list[CellData]] = defaultdict(list)
    for cell, data in cells.items():
        if cell.benchmark in rules.SIZED_OPERATIONS:
            curves[replace(cell, size_bytes=0)].append(data)
    for curve in curves.values():
        curve.sort(key=lambda data: data.cell.size_bytes)
        for place, data in enumerate(curve):
            yield from _split(data, curve[:place])
        for small, large in itertools.pairwise(curve):
            yield _Claim(rules.MONOTONY, small, large, format_size(large.cell.size_bytes))


def _split(whole: CellData, smaller: list[CellData]) -> Iterator[_Claim]:
    size = whole.cell.size_bytes
    for part in reversed(smaller):
        part_bytes = part.cell.size_bytes
        if part_bytes and size % part_bytes == 0 and size // part_bytes <= rules.MOST_PARTS:
            parts = size // part_bytes
            yield _Claim(rules.SPLIT, whole, part, f"{parts} × {format_size(part_bytes)}", float(parts))
            return


def _pair(claim: _Claim, delta: float) -> Pair | None:
    """The other side as slow as the operation may be, so that what is slower still is a violation."""
    pair = pair_up(claim.operation.point, claim.other, claim.operation)
    if pair is None:
        return None
    return replace(pair, baseline_medians=pair.baseline_medians * (claim.factor * (1 + delta)))


def _check(claim: _Claim, verdict: Verdict, delta: float) -> Check:
    allowed = 1 + delta
    launches = min(verdict.launches)
    word: Word = "undecided"
    if verdict.verdict == "slower":
        word = "violated"
    elif launches >= MIN_FOR_RATIO and verdict.ratio_high <= 1:
        word = "holds"
    cell = claim.operation.cell
    return Check(
        guideline=claim.guideline, implementation=cell.implementation, operation=cell.benchmark,
        other=claim.words, size_bytes=cell.size_bytes, ranks=cell.ranks, options=cell.options,
        placement=cell.placement, operation_seconds=verdict.candidate_seconds,
        other_seconds=verdict.baseline_seconds / allowed, ratio=verdict.ratio * allowed,
        ratio_low=verdict.ratio_low * allowed, ratio_high=verdict.ratio_high * allowed,
        p_value=verdict.p_value, word=word, launches=launches,
    )  # fmt: skip
