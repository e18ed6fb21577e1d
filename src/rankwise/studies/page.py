"""A study's page: one HTML file like the report's, made of the same pieces."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup
from plotly.offline import get_plotlyjs

from rankwise.core.network import PathFigures
from rankwise.core.records import Notice
from rankwise.report import html
from rankwise.report.colours import dark_colours, styles_for
from rankwise.report.drawing import topology_svg
from rankwise.report.network import path_rows
from rankwise.studies.base import Page, Results, Statement, StatementVerdict, Study

MARKS: dict[StatementVerdict, str] = {"holds": "✓", "no longer": "✗", "undecided": "?"}

AIM_WORDS: dict[StatementVerdict, str] = {"holds": "reached", "no longer": "missed", "undecided": "undecided"}
"""What a verdict is called where the statement is an aim of ours."""


@dataclass(frozen=True, slots=True)
class NetworkShown:
    """The testbed of one or more runs, as it was described and measured when the first of them began."""

    name: str
    drawing: Markup
    paths: tuple[PathFigures, ...]


@dataclass(frozen=True, slots=True)
class StudyRunShown:
    """One run of the study as the page lists it; `results` None: not measured."""

    title: str
    testbed: str
    results: Results | None


def verdict_counts(statements: tuple[Statement, ...]) -> dict[StatementVerdict, int]:
    """How many statements hold, no longer do, and are undecided."""
    return {word: sum(one.verdict == word for one in statements) for word in MARKS}


def summary(statements: tuple[Statement, ...]) -> str:
    """The answer in one sentence."""
    counts = verdict_counts(statements)
    of_all = f"Of {len(statements)} statements of the paper"
    said = f"{of_all} {counts['holds']} hold today, {counts['no longer']} no longer"
    return said + (f"; {counts['undecided']} could not be decided." if counts["undecided"] else ".")


def render_page(study: Study, page: Page, results: Mapping[str, Results], command_line: str) -> str:
    """The whole page as text."""
    names = list(dict.fromkeys(name for one in results.values() for name in one.comparison.implementations))
    styles = styles_for(names)
    choice = {"label": "", "figures": {one.key: one.figure for one in page.charts}}
    data: dict[str, Any] = {
        "groups": [], "choices": {"study": [choice]}, "ecdf": {}, "dark": dark_colours(styles.values()),
    }  # fmt: skip
    return html.environment().get_template("study.html.j2").render(
        study=study,
        page=page,
        summary=summary(page.statements),
        counts=verdict_counts(page.statements),
        verdict_marks=MARKS,
        verdict_words={word: word for word in MARKS},
        aim_words=AIM_WORDS,
        runs=[StudyRunShown(run.title, run.testbed, results.get(run.label)) for run in study.runs],
        networks=_networks(study, results),
        path_rows=path_rows,
        implementations=names,
        styles=styles,
        notices=[(run.title, notice) for run in study.runs for notice in _notices(results.get(run.label))],
        command_line=command_line,
        generated_at=time.time(),
        data=html.embedded(data),
        plotly=Markup(get_plotlyjs()),
    )  # fmt: skip


def _notices(results: Results | None) -> tuple[Notice, ...]:
    return results.comparison.notices if results else ()


def _networks(study: Study, results: Mapping[str, Results]) -> list[NetworkShown]:
    """One for each preset that was measured on."""
    found: dict[str, NetworkShown] = {}
    for run in study.runs:
        one = results.get(run.label)
        if one is not None and one.topology is not None and run.testbed not in found:
            drawing = Markup(topology_svg(one.topology, one.paths))
            found[run.testbed] = NetworkShown(run.testbed, drawing, one.paths)
    return list(found.values())
