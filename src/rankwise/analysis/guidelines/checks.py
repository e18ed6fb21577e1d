"""Measured curves held to the guidelines: each check is one guideline at one size of one implementation.

Both sides of a check are measured by the same launches, and are compared within each of them.
"""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from rankwise.analysis.compare.cells import CellData, IntArray, gather
from rankwise.analysis.guidelines import rules
from rankwise.core.records import Benchmark, Cell, CellFailure, FloatArray, Launch, Options
from rankwise.core.units import format_size
from rankwise.stats.intervals import MIN_FOR_RATIO, ratio_intervals
from rankwise.stats.paired import MIN_FOR_DIFFERENCES, difference_interval, sign_flip_p_values
from rankwise.stats.summary import median

Word = Literal["holds", "violated", "undecided"]


@dataclass(frozen=True, slots=True, eq=False)
class Check:
    """An operation held to another way to the same end, at one size."""

    guideline: str
    """The mock-up's name, `split`, or `monotony`."""
    implementation: str
    variant: str
    """The implementation with what it loads, as people read it."""
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
    """The operation's time over the other's, median over launches; a guideline asks for 1 at most."""
    ratio_low: float
    ratio_high: float
    """95 % interval."""
    p_value: float
    """Of the operation's being more than the tolerance slower, adjusted for all checks."""
    word: Word
    launches: int
    """That measured both."""


@dataclass(frozen=True, slots=True, eq=False)
class _Claim:
    """`operation` takes no longer than `factor` times `other`."""

    guideline: str
    operation: CellData
    other: CellData
    words: str
    factor: float = 1.0


@dataclass(frozen=True, slots=True, eq=False)
class _Sides:
    """A claim with the launches that measured both of its sides; arrays have shape (launches,)."""

    claim: _Claim
    rounds: IntArray
    operation_seconds: FloatArray
    other_seconds: FloatArray
    """What the operation may take."""

    @property
    def log_ratios(self) -> FloatArray:
        """Of the operation to the other, launch by launch."""
        return np.log(self.operation_seconds) - np.log(self.other_seconds)


def check(
    launches: Iterable[Launch],
    benchmarks: Mapping[str, Benchmark],
    *,
    delta: float = 0.05,
    alpha: float = 0.05,
    failures: Iterable[CellFailure] = (),
) -> tuple[Check, ...]:
    """Return every guideline that the cells of `launches` can be held to, by implementation, guideline and size.

    A guideline is `violated` at a size if the operation is more than `delta` (0.05: 5 %) slower than it may be:
    the 95 % interval of the ratio lies wholly beyond 1 + delta, and the ratios of the launches are beyond that
    bound by more than chance at `alpha`, over all checks together (`sign_flip_p_values`); so the chance that
    even one violation of the whole run is false is `alpha` at most. It `holds` if the interval ends at
    1 + delta or below. All else is `undecided`, as is every check with fewer than MIN_FOR_RATIO launches. Cells
    that delivered wrong data (`failures`, and those of the launches) are left out: their speed is worth nothing.
    """
    stored = list(launches)
    everything = [*failures, *(failure for launch in stored for failure in launch.failures)]
    wrong = {failure.cell for failure in everything if failure.kind == "wrong data"}
    cells = {
        data.cell: data
        for data in gather(stored, benchmarks)
        if data.quantity == "time" and data.cell not in wrong and bool(np.all(data.medians > 0))
    }
    claims = [*_patterns(cells), *_sizes(cells)]
    sides = [both for claim in claims if (both := _sides(claim)) is not None]
    p_values = _p_values(sides, delta)
    return tuple(
        _check(claim_sides, float(p), delta, alpha) for claim_sides, p in zip(sides, p_values, strict=True)
    )


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


def _sides(claim: _Claim) -> _Sides | None:
    """The launches that measured both; None without any."""
    rounds, here, there = np.intersect1d(
        claim.operation.rounds, claim.other.rounds, assume_unique=True, return_indices=True
    )
    if not rounds.size:
        return None
    return _Sides(claim, rounds, claim.operation.medians[here], claim.other.medians[there] * claim.factor)


def _p_values(sides: Sequence[_Sides], delta: float) -> FloatArray:
    """Of more than chance beyond the bound, for all checks together; 1 for those with too few launches."""
    p_values = np.ones(len(sides))
    rows = [i for i, each in enumerate(sides) if each.rounds.size >= MIN_FOR_DIFFERENCES]
    if rows:
        beyond = np.full((len(rows), 1 + max(int(sides[i].rounds[-1]) for i in rows)), np.nan)
        for row, i in zip(beyond, rows, strict=True):
            row[sides[i].rounds] = sides[i].log_ratios - np.log1p(delta)
        p_values[rows] = sign_flip_p_values(beyond[:, ~np.all(np.isnan(beyond), axis=0)])
    return p_values


def _interval(sides: _Sides) -> tuple[float, float]:
    """95 % interval of the ratio; of few launches it takes the two sides each for itself."""
    if sides.rounds.size >= MIN_FOR_DIFFERENCES:
        low, high = difference_interval(sides.log_ratios)
        return float(np.exp(low)), float(np.exp(high))
    bounds = ratio_intervals(sides.other_seconds[None, :], sides.operation_seconds[None, :])
    return float(bounds[0][0]), float(bounds[1][0])


def _check(sides: _Sides, p_value: float, delta: float, alpha: float) -> Check:
    launches, allowed = sides.rounds.size, 1 + delta
    ratio, (low, high) = float(np.exp(median(sides.log_ratios))), _interval(sides)
    low, high = min(low, ratio), max(high, ratio)
    word: Word = "undecided"
    if p_value < alpha and low > allowed:
        word = "violated"
    elif launches >= MIN_FOR_RATIO and high <= allowed:
        word = "holds"
    cell = sides.claim.operation.cell
    return Check(
        guideline=sides.claim.guideline, implementation=cell.implementation, variant=cell.variant,
        operation=cell.benchmark,
        other=sides.claim.words, size_bytes=cell.size_bytes, ranks=cell.ranks, options=cell.options,
        placement=cell.placement, operation_seconds=median(sides.operation_seconds),
        other_seconds=median(sides.other_seconds), ratio=ratio, ratio_low=low, ratio_high=high,
        p_value=p_value, word=word, launches=launches,
    )  # fmt: skip
