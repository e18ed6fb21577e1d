"""The study's tables, the paper's own figures among them."""

from __future__ import annotations

from rankwise.report.page import Section
from rankwise.studies.base import Page


def tables(page: Page) -> Section:
    """Return the tables of the study, one below the other."""
    return Section("tables", {"tables": page.tables}, link="Tables", package="rankwise.studies")
