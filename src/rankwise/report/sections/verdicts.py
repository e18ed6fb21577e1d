"""Every verdict in a table to filter and sort, and what gave no result."""

from __future__ import annotations

from rankwise.report.groups import MARKS, GroupedComparison
from rankwise.report.page import Section
from rankwise.report.views import VERDICT_WORDS, failure_rows


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
