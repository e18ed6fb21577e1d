"""The sections of a comparison, in the order of its page."""

from __future__ import annotations

from collections.abc import Mapping

from rankwise.core.results import Comparison
from rankwise.report.colours import Style
from rankwise.report.distributions import ecdf_frame, ecdf_nanoseconds
from rankwise.report.explanations import COLUMNS, algorithm, explanation_tables, factors
from rankwise.report.figures import group_figures
from rankwise.report.groups import CATEGORIES, MARKS, GroupedComparison
from rankwise.report.overheads import overhead_figures, overhead_tables
from rankwise.report.page import Choice, Section
from rankwise.report.streams import stream_figure, stream_groups
from rankwise.report.views import (
    SIZE_CLASSES,
    VERDICT_WORDS,
    class_rows,
    differs,
    failure_rows,
    heat_maps,
    summary_tint,
)


def winners(grouped: GroupedComparison) -> Section | None:
    """Return the table of geometric means; None where nothing could be summarised."""
    rows = class_rows(grouped)
    if not rows:
        return None
    return Section(
        "winners",
        {
            "rows": rows,
            "implementations": grouped.comparison.implementations,
            "categories": CATEGORIES,
            "size_classes": SIZE_CLASSES,
            "summary_tint": summary_tint,
        },
    )


def curves(grouped: GroupedComparison, styles: Mapping[str, Style]) -> Section:
    """Return the figures of every benchmark, and a table of protocol switches to fold out."""
    comparison = grouped.comparison
    groups = [{"label": group.label, "figures": group_figures(grouped, group, styles)} for group in grouped.groups]
    return Section(
        "curves",
        {
            "groups": grouped.groups,
            "categories": CATEGORIES,
            "with_baselines": any(curve.category == "baseline" for curve in comparison.curves),
            "switch_points": [(point, grouped.group_of(point).setting) for point in comparison.switch_points],
        },
        link="Curves",
        data={"groups": groups},
    )


def explanations(comparison: Comparison) -> Section | None:
    """Return the tables of parted differences; None where no schedules were measured beside operations."""
    tables = explanation_tables(comparison)
    if not tables:
        return None
    content = {"explanations": tables, "factors": factors, "algorithm": algorithm, "columns": COLUMNS}
    return Section("explanations", content, link="Why")


def overhead(grouped: GroupedComparison, styles: Mapping[str, Style]) -> Section | None:
    """Return figures and tables of MPI over raw TCP; None where TCP was not measured beside MPI."""
    tables = overhead_tables(grouped)
    if not tables:
        return None
    return Section(
        "overhead",
        {"overheads": tables, "differs": differs},
        link="TCP",
        choices={"overhead": [Choice(table.group.label, overhead_figures(table, styles)) for table in tables]},
    )


def streams(comparison: Comparison, styles: Mapping[str, Style]) -> Section | None:
    """Return a figure and a table for each set of streams; None where no stream was measured."""
    groups = stream_groups(comparison)
    if not groups:
        return None
    return Section(
        "streams",
        {"streams": groups, "timelines": comparison.timelines},
        link="Streams",
        choices={"stream": [Choice(group.label, {"bandwidth": stream_figure(group, styles)}) for group in groups]},
    )


def ratios(grouped: GroupedComparison) -> Section:
    """Return the heat maps, or a sentence where nothing could be compared."""
    comparison = grouped.comparison
    values = {"maps": heat_maps(grouped), "marks": MARKS, "alpha": comparison.alpha, "delta": comparison.delta}
    return Section("ratios", values, link="Ratios")


def distributions(grouped: GroupedComparison, styles: Mapping[str, Style]) -> Section | None:
    """Return the distribution functions of all cells; None where nothing was measured."""
    if not grouped.comparison.distributions:
        return None
    groups = [{"label": group.label, "quantiles": ecdf_nanoseconds(grouped, group)} for group in grouped.groups]
    return Section(
        "distributions",
        {"groups": grouped.groups, "categories": CATEGORIES},
        link="Distributions",
        data={"ecdf": {"frame": ecdf_frame(styles), "groups": groups}},
    )


def verdicts(grouped: GroupedComparison) -> Section:
    """Return the table of verdicts, or a sentence where there is none, and the table of failures."""
    return Section(
        "verdicts",
        {
            "verdicts": grouped.verdicts,
            "words": VERDICT_WORDS,
            "candidates": grouped.candidates,
            "failures": failure_rows(grouped),
            "marks": MARKS,
        },
        link="Verdicts",
    )
