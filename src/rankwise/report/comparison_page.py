"""The page of a comparison: a list of sections."""

from __future__ import annotations

from collections import Counter

from rankwise.core.results import Comparison, VerdictWord
from rankwise.report.colours import styles_for
from rankwise.report.context import ReportContext, origin
from rankwise.report.groups import MARKS, GroupedComparison
from rankwise.report.page import Introduction, Outcome, Page, Tally, implementations_of, present
from rankwise.report.sections.beside_native import beside_native
from rankwise.report.sections.comparison import (
    curves,
    distributions,
    explanations,
    overhead,
    ratios,
    streams,
    verdicts,
    winners,
)
from rankwise.report.sections.shared import notices, provenance, testbed
from rankwise.report.views import verdict_counts

_STACKED: tuple[VerdictWord, ...] = (
    "faster", "probably faster", "equivalent", "undecided", "probably slower", "slower",
)  # fmt: skip
"""In the order in which bars are stacked."""
_OUTCOMES = tuple(Outcome(word, MARKS[word], word) for word in _STACKED)


def comparison_page(comparison: Comparison, context: ReportContext) -> Page:
    """Return the page that answers which implementation is faster at what."""
    grouped = GroupedComparison(comparison)
    names = implementations_of(
        [*comparison.implementations, *(curve.implementation for curve in comparison.curves)]
    )
    styles = styles_for(names)
    return Page(
        context.title,
        _introduction(grouped, context),
        present(
            winners(grouped),
            notices(comparison.notices),
            testbed(context.topology, context.paths, context.network, comparison.notices),
            curves(grouped, styles),
            explanations(comparison),
            beside_native(comparison, context.topology),
            overhead(grouped, styles),
            streams(comparison, styles),
            ratios(grouped),
            distributions(grouped, styles),
            verdicts(grouped),
            provenance(context, alpha=comparison.alpha, delta=comparison.delta, starts=_starts(comparison)),
        ),
        names,
        styles,
        context.generated_at,
        comparison.baseline,
    )


def _starts(comparison: Comparison) -> Counter[str]:
    return Counter(point.starts for curve in comparison.curves for point in curve.points if point.starts)


def _introduction(grouped: GroupedComparison, context: ReportContext) -> Introduction:
    comparison = grouped.comparison
    tally = Tally(f"Verdicts against {comparison.baseline}", _OUTCOMES, verdict_counts(grouped))
    return Introduction(
        origin(context.run),
        context.sentences or ("Nothing could be compared in this run.",),
        (
            ("Implementations", str(len(comparison.implementations))),
            ("Benchmarks", str(len(grouped.groups))),
            ("Launches", str(context.run.launches)),
            ("Comparisons", str(len(comparison.verdicts))),
            *_decided(comparison),
            *_failed(comparison),
        ),
        tally if comparison.verdicts else None,
    )


def _decided(comparison: Comparison) -> list[tuple[str, str]]:
    if not comparison.verdicts:
        return []
    probable = sum(verdict.verdict.startswith("probably") for verdict in comparison.verdicts)
    decided = sum(verdict.verdict != "undecided" for verdict in comparison.verdicts) - probable
    shares = [("Decided", decided), ("Probable", probable)]
    return [(name, f"{100 * count / len(comparison.verdicts):.0f} %") for name, count in shares]


def _failed(comparison: Comparison) -> list[tuple[str, str]]:
    kinds = sorted(failure.kind for failure in comparison.failures)
    return [(f"Cells {kind}", str(kinds.count(kind))) for kind in dict.fromkeys(kinds)]
