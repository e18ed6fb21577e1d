"""The answer in words, with numbers from the data, and nothing claimed that is not significant."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

import numpy as np
import scipy

from rankwise.analysis import labels
from rankwise.analysis.compare import beside_native
from rankwise.analysis.compare.explanations import sentence as explanation_sentence
from rankwise.analysis.compare.notices import wrong_data
from rankwise.analysis.compare.tcp_sentences import tcp_sentences
from rankwise.core.results import Comparison, SummaryRow, SwitchPoint, VerdictWord
from rankwise.core.units import format_size
from rankwise.stats.intervals import LEVEL, MIN_FOR_RATIO
from rankwise.stats.summary import median

_SIZES = {"small": "small (up to 1 KiB)", "medium": "medium (up to 64 KiB)", "large": "large"}
_SHOWN_SWITCHES = 3
_SHOWN_EXPLANATIONS = 3
_NOT_SHOWN: tuple[VerdictWord, ...] = ("probably faster", "probably slower", "equivalent", "undecided")


def sentences(comparison: Comparison) -> list[str]:
    """Return the comparison as plain sentences, the most important first."""
    return [*wrong_data_sentences(comparison), *_compared(comparison)]


def wrong_data_sentences(comparison: Comparison) -> list[str]:
    """Return what comes before all else: what delivers wrong data is not fast. Empty where all data are right."""
    notice = wrong_data(comparison.wrong_data)
    return [f"WRONG DATA: {notice.message}; {notice.remedy}."] if notice else []


def _compared(comparison: Comparison) -> list[str]:
    if not comparison.curves:
        return ["Nothing was measured."]
    beside = beside_native.sentences(comparison.beside_native)
    if not comparison.verdicts:
        alone = "Nothing was compared: no cell was measured with two implementations."
        return [*(beside or [alone]), *tcp_sentences(comparison)]
    said = _winners(comparison)
    if all(min(verdict.launches) < MIN_FOR_RATIO for verdict in comparison.verdicts):
        said.append(f"With fewer than {MIN_FOR_RATIO} launches of a cell no difference can be shown.")
    else:
        said += _classes(comparison)
    said += _verdicts(comparison)
    said += _explained(comparison)
    return said + beside + tcp_sentences(comparison) + _switches(comparison) + _failures(comparison)


def headline(comparison: Comparison) -> str:
    """Return the answer in one sentence: who is fastest in how many cells, and how much of it is shown."""
    if not comparison.verdicts:
        return _compared(comparison)[0]
    counts = Counter(verdict.verdict for verdict in comparison.verdicts)
    total = len(comparison.verdicts)
    rest = [f"{counts[word]} {word}" for word in _NOT_SHOWN if counts[word]]
    shown = f"a difference is shown in {counts['faster'] + counts['slower']} of {total} comparisons"
    shown += f" ({', '.join(rest)})" if rest else ""
    won = cells_won(comparison)
    ranking = sorted(won, key=lambda name: -won[name][0])
    fastest = [f"{name} in {won[name][0]} of {won[name][2]} cells" for name in ranking if won[name][0]]
    return f"Fastest: {_listed(fastest)}; {shown}." if fastest else f"{shown[0].upper()}{shown[1:]}."


def cells_won(comparison: Comparison) -> dict[str, tuple[int, int, int]]:
    """Return for each implementation the cells where it is fastest, where it is unbeaten, and all of them."""
    won: dict[str, tuple[int, int, int]] = {}
    for row in comparison.summary:
        if row.size_class == "all":
            fastest, unbeaten, cells = won.get(row.implementation, (0, 0, 0))
            won[row.implementation] = (fastest + row.fastest, unbeaten + row.unbeaten, cells + row.cells)
    return won


def _explained(comparison: Comparison) -> list[str]:
    """The largest differences that the same schedules on both MPIs part into algorithm and core."""
    differing = [explanation for explanation in comparison.explanations if explanation.total.differs]
    differing.sort(key=lambda explanation: -abs(math.log(explanation.total.ratio)))
    return [
        f"{explanation.operation} of {format_size(explanation.size_bytes)} on {explanation.ranks} ranks: "
        f"{explanation_sentence(explanation)} ({explanation.schedule} on both)."
        for explanation in differing[:_SHOWN_EXPLANATIONS]
    ]


def _winners(comparison: Comparison) -> list[str]:
    """Who is shown to be fastest in how many cells, and who is not shown to be beaten."""
    if not any(verdict.verdict in ("faster", "slower") for verdict in comparison.verdicts):
        return ["No implementation is shown to be faster than another in any cell."]
    won = cells_won(comparison)
    said = []
    for which, title in enumerate(("Significantly fastest", "Not significantly slower than any other")):
        ranking = sorted(won, key=lambda name: -won[name][which])
        cells = [f"{name} in {won[name][which]} of {won[name][2]} cells" for name in ranking if won[name][which]]
        if cells:
            said.append(f"{title}: {_listed(cells)}.")
    return said


def _classes(comparison: Comparison) -> list[str]:
    """One sentence a category and size class: who takes how much of the baseline's time."""
    rows = [row for row in comparison.summary if row.implementation != comparison.baseline]
    rows = [row for row in rows if row.size_class != "all"]
    # As many as if every two implementations were compared: the baseline may have been chosen by the data.
    tests = len(rows) * len(comparison.implementations) / 2
    said = []
    for category, size in dict.fromkeys((row.category, row.size_class) for row in rows):
        group = sorted((r for r in rows if (r.category, r.size_class) == (category, size)), key=lambda r: r.ratio)
        level = [row.implementation for row in group if _within(row, comparison.delta)]
        clear = [row for row in group if row.implementation not in level and _clear(row, tests)]
        open_ = [r.implementation for r in group if r.implementation not in level and r not in clear]
        parts = []
        if clear:
            ratios = [
                f"{row.implementation} {_ratio(row.ratio)} ({_ratio(row.ratio_low)}-{_ratio(row.ratio_high)})"
                for row in clear
            ]
            parts.append(f"{_listed(ratios)} times the time of {comparison.baseline}")
        if level:
            parts.append(f"within {comparison.delta:.0%} of {comparison.baseline}: {_listed(level)}")
        if open_:
            parts.append(f"no difference shown: {_listed(open_)}")
        said.append(f"{category.capitalize()}, {_SIZES[size]}: {'; '.join(parts)}.")
    return [*said, f"Ratios are geometric means over cells, with {LEVEL:.0%} intervals."] if said else []


def _ratio(value: float) -> str:
    return f"{value:.2f}" if value < 10 else f"{value:.3g}"


def _within(row: SummaryRow, delta: float) -> bool:
    return row.ratio_low >= 1 / (1 + delta) and row.ratio_high <= 1 + delta


def _clear(row: SummaryRow, tests: float) -> bool:
    """Whether the ratio differs from 1 with the interval widened (Bonferroni) for the number of tests."""
    widen = scipy.special.ndtri((1 - LEVEL) / 2 / tests) / scipy.special.ndtri((1 - LEVEL) / 2)
    distance = math.log(row.ratio)
    reach = math.log(row.ratio / row.ratio_low) if distance > 0 else math.log(row.ratio_high / row.ratio)
    return bool(abs(distance) > widen * reach)


def _verdicts(comparison: Comparison) -> list[str]:
    counts = Counter(verdict.verdict for verdict in comparison.verdicts)
    plural: dict[VerdictWord, str] = {
        "faster": "faster",
        "slower": "slower",
        "probably faster": "probably faster",
        "probably slower": "probably slower",
        "equivalent": f"equivalent (within {comparison.delta:.0%})",
        "undecided": "undecided",
    }
    parts = [f"{counts[verdict]} {word}" for verdict, word in plural.items() if counts[verdict]]
    total = len(comparison.verdicts)
    noun = "comparison" if total == 1 else "comparisons"
    said = [f"Cell by cell against {comparison.baseline}, of {total} {noun}: {_listed(parts)}."]
    if counts["probably faster"] or counts["probably slower"]:
        said.append(
            f"Faster and slower: the chance that even one of them is false is {comparison.alpha:.0%} at most. "
            f"Probably: with these, at most {comparison.alpha:.0%} of all are expected to be false "
            "(Benjamini-Hochberg)."
        )
    visible = [verdict.visible_ratio for verdict in comparison.verdicts if verdict.verdict == "undecided"]
    if visible and math.isfinite(middle := median(np.array(visible))):
        said.append(
            f"Undecided cells: minimum detectable difference {difference_words(middle)} (median over these cells)."
        )
    return said


def difference_words(ratio: float) -> str:
    """Return a ratio above 1 as a difference: `22 %`; from 2 on as `3.1 times`."""
    return f"{ratio - 1:.0%}".replace("%", " %") if ratio < 2 else f"{_ratio(ratio)} times"


def _switches(comparison: Comparison) -> list[str]:
    """The largest jumps up; the rest is for tables."""
    jumps = [point for point in comparison.switch_points if point.jump_ratio > 1]
    jumps.sort(key=lambda point: -point.jump_ratio)
    several = labels.varied((curve.options, curve.placement) for curve in comparison.curves)
    return [
        f"{p.implementation} switches protocol or algorithm in {p.benchmark} on {_place(p, several)} between "
        f"{format_size(p.below_bytes)} and {format_size(p.at_bytes)}: {_ratio(p.jump_ratio)} "
        f"({_ratio(p.jump_low)}-{_ratio(p.jump_high)}) times the time extrapolated from smaller sizes."
        for p in jumps[:_SHOWN_SWITCHES]
    ]


def _place(point: SwitchPoint, several: frozenset[str]) -> str:
    settings = labels.words(point.options, point.placement, several)
    return f"{point.ranks} ranks" + (f" ({', '.join(settings)})" if settings else "")


def _failures(comparison: Comparison) -> list[str]:
    failed = Counter(failure.cell.variant for failure in comparison.failures if failure.kind != "unsupported")
    if not failed:
        return []
    return [f"Failed cells: {_listed([f'{count} of {name}' for name, count in failed.most_common()])}."]


def _listed(parts: Sequence[str]) -> str:
    """`a`, `a and b`, `a, b and c`."""
    return " and ".join([", ".join(parts[:-1]), parts[-1]] if len(parts) > 1 else parts)
