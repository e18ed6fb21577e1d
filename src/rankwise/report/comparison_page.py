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


def _starts(found: Comparison) -> Counter[str]:
    return Counter(point.starts for curve in found.curves for point in curve.points if point.starts)


def _introduction(grouped: GroupedComparison, context: ReportContext) -> Introduction:
    found = grouped.comparison
    tally = Tally(f"Verdicts against {found.baseline}", _OUTCOMES, verdict_counts(grouped))
    return Introduction(
        origin(context.run),
        context.sentences or ("Nothing could be compared in this run.",),
        (
            ("Implementations", str(len(found.implementations))),
            ("Benchmarks", str(len(grouped.groups))),
            ("Launches", str(context.run.launches)),
            ("Comparisons", str(len(found.verdicts))),
            *_decided(found),
            *_failed(found),
        ),
        tally if found.verdicts else None,
    )


def _decided(found: Comparison) -> list[tuple[str, str]]:
    if not found.verdicts:
        return []
    probable = sum(one.verdict.startswith("probably") for one in found.verdicts)
    decided = sum(one.verdict != "undecided" for one in found.verdicts) - probable
    shares = [("Decided", decided), ("Probable", probable)]
    return [(name, f"{100 * count / len(found.verdicts):.0f} %") for name, count in shares]


def _failed(found: Comparison) -> list[tuple[str, str]]:
    kinds = sorted(one.kind for one in found.failures)
    return [(f"Cells {kind}", str(kinds.count(kind))) for kind in dict.fromkeys(kinds)]
