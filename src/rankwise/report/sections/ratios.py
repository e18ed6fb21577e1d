"""A heat map for each candidate: its time over the baseline's, benchmark by size."""

from __future__ import annotations

from rankwise.report.groups import MARKS, GroupedComparison
from rankwise.report.page import Section
from rankwise.report.views import heat_maps


def ratios(grouped: GroupedComparison) -> Section:
    """Return the heat maps, or a sentence where nothing could be compared."""
    found = grouped.comparison
    values = {"maps": heat_maps(grouped), "marks": MARKS, "alpha": found.alpha, "delta": found.delta}
    return Section("ratios", values, link="Ratios")
