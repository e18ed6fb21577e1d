"""The records laid out as rows and cells, for the terminal's tables and the page's alike."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, get_args

from rankwise.analysis.compare.sentences import difference_words
from rankwise.analysis.compare.tcp_sentences import ratio_words
from rankwise.core.records import Category
from rankwise.core.results import Overhead, Reached, SummaryRow, Verdict, VerdictWord
from rankwise.core.units import format_size
from rankwise.report.canvas import time_words
from rankwise.report.groups import CATEGORIES, MARKS, Group, GroupedComparison

SIZE_CLASSES = {"small": "up to 1 KiB", "medium": "up to 64 KiB", "large": "above 64 KiB", "all": "all sizes"}
VERDICT_WORDS: tuple[VerdictWord, ...] = get_args(VerdictWord)
_STRONGEST_RATIO = 4.0
"""From here on a heat map's colour grows no deeper."""


@dataclass(frozen=True, slots=True)
class ClassRow:
    """One class of operations and sizes: the summary of each implementation, and who is best."""

    category: Category
    size_class: str
    cells: dict[str, SummaryRow]
    best: str
    """The implementation with the lowest mean, '' where its interval meets another's: no winner."""


def class_rows(grouped: GroupedComparison) -> list[ClassRow]:
    """Return the summary by category and size class, in the order in which it is read."""
    by_class: dict[tuple[Category, str], dict[str, SummaryRow]] = defaultdict(dict)
    for row in grouped.comparison.summary:
        by_class[row.category, row.size_class][row.implementation] = row
    keys = [(category, size_class) for category in CATEGORIES for size_class in SIZE_CLASSES]
    return [ClassRow(*key, by_class[key], _best(by_class[key])) for key in keys if key in by_class]


def _best(cells: dict[str, SummaryRow]) -> str:
    ranked = sorted((row for row in cells.values() if not math.isnan(row.ratio)), key=lambda row: row.ratio)
    if len(ranked) < 2 or not all(ranked[0].ratio_high < row.ratio_low for row in ranked[1:]):
        return ""
    return ranked[0].implementation


def verdict_counts(grouped: GroupedComparison) -> dict[str, Counter[VerdictWord]]:
    """Return how often each candidate was faster, slower, equivalent, undecided."""
    counts: dict[str, Counter[VerdictWord]] = {name: Counter() for name in grouped.candidates}
    for verdict in grouped.comparison.verdicts:
        counts.setdefault(verdict.candidate, Counter())[verdict.verdict] += 1
    return counts


def verdict_figure(verdict: Verdict) -> str:
    """Return the ratio, or where that is undecided the difference that would have been found: `±22 %`."""
    if verdict.verdict != "undecided":
        return format_ratio(verdict.ratio)
    if not math.isfinite(verdict.visible_ratio):
        return ""
    visible = verdict.visible_ratio
    return f"±{difference_words(visible)}" if visible < 2 else f"±{visible:.2g}×"


@dataclass(frozen=True, slots=True)
class HeatCell:
    """One cell of a heat map. `kind` is a verdict, `failed`, or '' where nothing was measured."""

    kind: str
    text: str = ""
    strength: float = 0.0
    """Depth of the colour, 0 ... 1."""
    tip: str = ""


@dataclass(frozen=True, slots=True)
class HeatMap:
    """A heat map sets one candidate against the baseline; it is a row of cells a group, one cell a size."""

    candidate: str
    sizes_bytes: tuple[int, ...]
    rows: tuple[tuple[Group, tuple[HeatCell, ...]], ...]


def heat_maps(grouped: GroupedComparison) -> list[HeatMap]:
    """Return a heat map per candidate, all of the same shape."""
    sizes = grouped.sizes(grouped.groups)
    return [
        HeatMap(
            candidate,
            sizes,
            tuple(
                (group, tuple(_heat_cell(grouped, group, size, candidate) for size in sizes)) for group in shown
            ),
        )
        for candidate in grouped.candidates
        if (shown := _touched(grouped, candidate))
    ]


def _touched(grouped: GroupedComparison, candidate: str) -> list[Group]:
    groups = {
        group
        for records in (grouped.verdicts, grouped.failures)
        for group, _, name in records
        if name == candidate
    }
    return [group for group in grouped.groups if group in groups]


def _heat_cell(grouped: GroupedComparison, group: Group, size: int, candidate: str) -> HeatCell:
    key = (group, size, candidate)
    verdict, failure = grouped.verdicts.get(key), grouped.failures.get(key)
    if verdict is not None:
        text, tip = verdict_figure(verdict), describe(verdict, group)
        return HeatCell(verdict.verdict, text, colour_depth(verdict.ratio), tip)
    if failure is not None:
        place = f"{group.label}, {format_size(size)}"
        return HeatCell("failed", "–", 0.0, f"{candidate}\n{place}\n{failure.kind}: {failure.reason}")
    return HeatCell("")


def describe(verdict: Verdict, group: Group) -> str:
    """Return a verdict in four lines or five, for a tooltip."""
    word, ratio = verdict.verdict, format_ratio(verdict.ratio)
    seen = f"minimum detectable difference: {difference_words(verdict.visible_ratio)}"
    return "\n".join(
        (
            f"{group.label}, {format_size(verdict.size_bytes)}",
            f"{MARKS[word]} {word}: {ratio} × the time {interval(verdict)}",
            f"{verdict.candidate} {time_words(verdict.candidate_seconds)}, "
            f"{verdict.baseline} {time_words(verdict.baseline_seconds)}",
            f"p = {verdict.p_value:.2g}, q = {verdict.q_value:.2g}, "
            f"{verdict.launches[1]} and {verdict.launches[0]} launches",
            *([seen] if word == "undecided" and math.isfinite(verdict.visible_ratio) else []),
        )
    )


@dataclass(frozen=True, slots=True)
class FailureRow:
    """A failure row has the cells that failed for one reason."""

    implementation: str
    benchmark: str
    """With the options and the placement, where they have to be told."""
    ranks: int
    sizes: str
    kind: str
    reason: str


def failure_rows(grouped: GroupedComparison) -> list[FailureRow]:
    """Return the failures, those of many sizes for one reason in one row."""
    sizes_of: dict[tuple[str, Group, str, str], set[int]] = defaultdict(set)
    for failure in grouped.comparison.failures:
        cell = failure.cell
        key = (cell.variant, grouped.group_of(cell), failure.kind, failure.reason)
        sizes_of[key].add(cell.size_bytes)
    return [
        FailureRow(name, group.setting, group.ranks, _span(sizes), kind, reason)
        for (name, group, kind, reason), sizes in sizes_of.items()
    ]


def _span(sizes: set[int]) -> str:
    if len(sizes) <= 3:
        return ", ".join(format_size(size) for size in sorted(sizes))
    return f"{len(sizes)} sizes, {format_size(min(sizes))} – {format_size(max(sizes))}"


def format_ratio(ratio: float) -> str:
    """Return a ratio with two decimals where they can be seen: `0.82`, `12.4`, `130`; `–` for no number."""
    if not math.isfinite(ratio):
        return "–"
    return f"{ratio:.2f}" if ratio < 9.995 else f"{ratio:.1f}" if ratio < 99.95 else f"{ratio:.0f}"


def summary_tint(row: SummaryRow) -> tuple[str, float]:
    """Return the colour of a class's mean: `faster`, `slower` or '' (its interval holds 1), and how deep."""
    kind = "faster" if row.ratio_high < 1 else "slower" if row.ratio_low > 1 else ""
    return kind, colour_depth(row.ratio)


def colour_depth(ratio: float) -> float:
    """Return 0 at a ratio of 1, 1 at four times faster or slower, on a logarithmic scale."""
    if not (math.isfinite(ratio) and ratio > 0):
        return 0.0
    return min(1.0, abs(math.log(ratio)) / math.log(_STRONGEST_RATIO))


class _Ratio(Protocol):
    @property
    def ratio_low(self) -> float: ...
    @property
    def ratio_high(self) -> float: ...


def interval(row: _Ratio) -> str:
    """Return words such as `[0.80, 0.84]`; '' where there is no interval."""
    return ends(row.ratio_low, row.ratio_high, format_ratio)


def ends(low: float, high: float, formatter: Callable[[float], str]) -> str:
    """Return an interval in brackets; '' where there is none."""
    return "" if math.isnan(low) or math.isnan(high) else f"[{formatter(low)}, {formatter(high)}]"


def overhead_interval(overhead: Overhead) -> str:
    """Return words such as `[1.004, 1.012]`."""
    return ends(overhead.ratio_low, overhead.ratio_high, ratio_words)


def differs(overhead: Overhead) -> bool:
    """Return its interval leaves out a ratio of 1."""
    return overhead.ratio_low > 1 or overhead.ratio_high < 1


def signed_time(seconds: float) -> str:
    """Return words such as `+5.1 µs`, `−3 ns`, in a page's signs."""
    return f"{'−' if seconds < 0 else '+'}{time_words(abs(seconds))}"


def difference_interval(overhead: Overhead) -> str:
    """Return words such as `[+4.9 µs, +5.3 µs]`."""
    return ends(overhead.difference_low_seconds, overhead.difference_high_seconds, signed_time)


def moment_reached(reached: Reached) -> str:
    """Return words such as `2.1 s [1.9 s, 2.4 s]`; `never` where half of the launches did not come so far."""
    if not math.isfinite(reached.seconds):
        return "never"
    interval = ends(
        reached.low_seconds, reached.high_seconds, lambda end: time_words(end) if math.isfinite(end) else "never"
    )
    return f"{time_words(reached.seconds)} {interval}".rstrip()
