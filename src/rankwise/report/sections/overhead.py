"""What each MPI adds to raw TCP, as a ratio of times and as a difference."""

from __future__ import annotations

from collections.abc import Mapping

from rankwise.report.colours import Style
from rankwise.report.groups import GroupedComparison
from rankwise.report.overheads import overhead_figures, overhead_tables
from rankwise.report.page import Choice, Section
from rankwise.report.views import differs


def overhead(grouped: GroupedComparison, styles: Mapping[str, Style]) -> Section | None:
    """Return figures and tables of MPI over raw TCP; None where TCP was not measured beside MPI."""
    tables = overhead_tables(grouped)
    if not tables:
        return None
    return Section(
        "overhead",
        {"overheads": tables, "differs": differs},
        link="TCP",
        choices={"overhead": [Choice(one.group.label, overhead_figures(one, styles)) for one in tables]},
    )
