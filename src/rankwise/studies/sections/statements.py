"""What the paper says, and what is measured of it here."""

from __future__ import annotations

from rankwise.report.page import Section
from rankwise.studies.base import Page, StatementVerdict

MARKS: dict[StatementVerdict, str] = {"holds": "✓", "no longer": "✗", "undecided": "?"}
"""The sign of each verdict."""

AIM_WORDS: dict[StatementVerdict, str] = {"holds": "reached", "no longer": "missed", "undecided": "undecided"}
"""The words for a verdict on what our own tuning is to reach."""


def statements(page: Page) -> Section:
    """Return every statement and aim with its verdict."""
    return Section(
        "statements",
        {
            "statements": page.statements,
            "aims": page.aims,
            "verdict_marks": MARKS,
            "verdict_words": {word: word for word in MARKS},
            "aim_words": AIM_WORDS,
        },
        link="Statements",
        package="rankwise.studies",
    )
