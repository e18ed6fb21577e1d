"""Time, bandwidth and overlap against size, a benchmark at a time, and where protocols switch."""

from __future__ import annotations

from collections.abc import Mapping

from rankwise.report.colours import Style
from rankwise.report.figures import group_figures
from rankwise.report.groups import CATEGORIES, GroupedComparison
from rankwise.report.page import Section


def curves(grouped: GroupedComparison, styles: Mapping[str, Style]) -> Section:
    """Return the figures of every benchmark, and a table of protocol switches to fold out."""
    found = grouped.comparison
    groups = [{"label": group.label, "figures": group_figures(grouped, group, styles)} for group in grouped.groups]
    return Section(
        "curves",
        {
            "groups": grouped.groups,
            "categories": CATEGORIES,
            "with_baselines": any(curve.category == "baseline" for curve in found.curves),
            "switch_points": [(point, grouped.group_of(point).setting) for point in found.switch_points],
        },
        link="Curves",
        data={"groups": groups},
    )
