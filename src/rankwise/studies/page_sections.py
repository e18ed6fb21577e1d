"""Sections of a study's page: statements, figures, tables, and how it was measured."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from markupsafe import Markup

from rankwise.report.network import PathRow, path_rows
from rankwise.report.page import Choice, Section
from rankwise.report.sections.shared import drawing
from rankwise.studies.base import Page, Results, StatementVerdict, Study

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


def figures(page: Page) -> Section:
    """Return the charts of the study, one below the other."""
    return Section(
        "figures",
        {"charts": page.charts},
        link="Figures",
        choices={"study": [Choice("", {chart.key: chart.figure for chart in page.charts})]},
        package="rankwise.studies",
    )


def tables(page: Page) -> Section:
    """Return the tables of the study, one below the other."""
    return Section("tables", {"tables": page.tables}, link="Tables", package="rankwise.studies")


@dataclass(frozen=True, slots=True)
class NetworkShown:
    """A testbed as it was described and measured when the first run on it began."""

    name: str
    drawing: Markup
    paths: list[PathRow]


@dataclass(frozen=True, slots=True)
class StudyRunShown:
    """One run of the study as the page lists it; `results` None: not measured."""

    title: str
    testbed: str
    results: Results | None


def runs(study: Study, page: Page, results: Mapping[str, Results], command_line: str) -> Section:
    """Return what was measured where, and what of the paper was not."""
    return Section(
        "runs",
        {
            "caveats": page.caveats,
            "runs": [StudyRunShown(run.title, run.testbed, results.get(run.label)) for run in study.runs],
            "networks": _networks(study, results),
            "command_line": command_line,
            "addresses": study.addresses,
        },
        link="Runs",
        package="rankwise.studies",
    )


def _networks(study: Study, results: Mapping[str, Results]) -> list[NetworkShown]:
    """One for each preset that was measured on."""
    by_testbed: dict[str, NetworkShown] = {}
    for run in study.runs:
        run_results = results.get(run.label)
        if run_results is not None and run_results.topology is not None and run.testbed not in by_testbed:
            by_testbed[run.testbed] = NetworkShown(
                run.testbed, drawing(run_results.topology, run_results.paths), path_rows(run_results.paths)
            )
    return list(by_testbed.values())
