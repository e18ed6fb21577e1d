"""A study's page: a list of sections."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import replace

from rankwise.core.records import Notice
from rankwise.report import page as report
from rankwise.report.colours import styles_for
from rankwise.report.sections.shared import notices
from rankwise.studies import wording
from rankwise.studies.base import Page, Results, Statement, StatementVerdict, Study
from rankwise.studies.page_sections import MARKS, figures, runs, statements, tables


def verdict_counts(judged: tuple[Statement, ...]) -> dict[StatementVerdict, int]:
    """Return how many statements hold, no longer do, and are undecided."""
    return {word: sum(statement.verdict == word for statement in judged) for word in MARKS}


def summary(judged: tuple[Statement, ...]) -> str:
    """Return the answer in one sentence."""
    counts = verdict_counts(judged)
    hold = "holds" if counts["holds"] == 1 else "hold"
    today = f"{counts['holds']} {hold} today, {counts['no longer']} no longer"
    said = f"Of {len(judged)} statements of the paper {today}"
    if not counts["undecided"]:
        return f"{said}."
    missing = sum(not is_measured(statement) for statement in judged)
    more = f", {missing} of them not measured" if missing else ""
    return f"{said}; {counts['undecided']} could not be decided{more}."


def is_measured(statement: Statement) -> bool:
    """Return whether anything was measured that tells about it."""
    return statement.measured != wording.NOT_MEASURED


def study_page(study: Study, page: Page, results: Mapping[str, Results], command_line: str) -> report.Page:
    """Return the page that sets what a paper measured beside what is measured here."""
    names = report.implementations_of(
        name for run_results in results.values() for name in run_results.implementations
    )
    warnings = _warnings(study, results)
    counts = verdict_counts(page.statements)
    introduction = report.Introduction(
        study.citation,
        (summary(page.statements),),
        tuple((f"{mark} {word}", str(counts[word])) for word, mark in MARKS.items()),
        warnings=len(warnings),
    )
    return report.Page(
        study.title,
        introduction,
        report.present(
            statements(page), figures(page), tables(page), notices(warnings),
            runs(study, page, results, command_line),
        ),
        names,
        styles_for(names),
        time.time(),
    )  # fmt: skip


def _warnings(study: Study, results: Mapping[str, Results]) -> list[Notice]:
    """The warnings of all runs, each with the run's title."""
    measured = [(run.title, results[run.label]) for run in study.runs if run.label in results]
    return [
        replace(notice, kind=f"{notice.kind} · {title}")
        for title, run_results in measured
        for notice in run_results.comparison.notices
    ]
