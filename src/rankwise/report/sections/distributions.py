"""The distribution of the samples of one benchmark and size at a time."""

from __future__ import annotations

from collections.abc import Mapping

from rankwise.report.colours import Style
from rankwise.report.distributions import ecdf_frame, ecdf_nanoseconds
from rankwise.report.groups import CATEGORIES, GroupedComparison
from rankwise.report.page import Section


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
