"""The study's figures, with what the paper states in grey."""

from __future__ import annotations

from rankwise.report.page import Choice, Section
from rankwise.studies.base import Page


def figures(page: Page) -> Section:
    """Return the charts of the study, one below the other."""
    return Section(
        "figures",
        {"charts": page.charts},
        link="Figures",
        choices={"study": [Choice("", {one.key: one.figure for one in page.charts})]},
        package="rankwise.studies",
    )
