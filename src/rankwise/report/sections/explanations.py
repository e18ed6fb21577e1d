"""What of a difference is an MPI's choice of algorithm, and what lies beneath."""

from __future__ import annotations

from rankwise.core.results import Comparison
from rankwise.report.explanations import COLUMNS, algorithm, explanation_tables, factors
from rankwise.report.page import Section


def explanations(comparison: Comparison) -> Section | None:
    """Return the tables of parted differences; None where no schedules were measured beside operations."""
    tables = explanation_tables(comparison)
    if not tables:
        return None
    content = {"explanations": tables, "factors": factors, "algorithm": algorithm, "columns": COLUMNS}
    return Section("explanations", content, link="Why")
