"""Schedules that were measured beside the operation that they do."""

from __future__ import annotations

from rankwise.core.results import Comparison
from rankwise.report.beside_native import TITLE, ratio, shown, where
from rankwise.report.page import Section


def beside_native(comparison: Comparison) -> Section | None:
    """Return the table of schedules of users, and of others that are faster; None without any."""
    rows = shown(comparison)
    if not rows:
        return None
    return Section(
        "beside_native", {"rows": rows, "title": TITLE, "ratio": ratio, "where": where}, link="Schedules"
    )
