"""A study: its runs are measured, and set beside the paper's figures."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import msgspec
from rich.console import RenderableType

from rankwise.analysis.without_results import NO_RESULT
from rankwise.core.plain import plain
from rankwise.core.records import Notice
from rankwise.report import page as page_builder
from rankwise.store.store import Store
from rankwise.studies import base, terminal
from rankwise.studies.base import Page, Results, Statement, Study
from rankwise.studies.page import study_page
from rankwise.workflows.events import Events
from rankwise.workflows.study_options import StudyOptions, StudyRequest
from rankwise.workflows.study_runs import StudyRuns


@dataclass(frozen=True, slots=True)
class StudyResult:
    """A study's page, and what it is made of."""

    study: Study
    page: Page
    results: Mapping[str, Results]
    run_ids: Mapping[str, int]
    """The measurements by label."""
    listed: str
    """All stored runs, as `--from` takes them."""
    command_line: str

    @property
    def notices(self) -> list[Notice]:
        """What stands against any of the measurements."""
        return [notice for result in self.results.values() for notice in result.comparison.notices]

    @property
    def objections(self) -> tuple[str, ...]:
        """Why a check of the study fails: wrong data, or an implementation without any result in a run."""
        said = [notice.message for notice in self.notices if notice.kind in NO_RESULT]
        if any(result.comparison.has_wrong_data for result in self.results.values()):
            said.append("operations delivered wrong data")
        return tuple(dict.fromkeys(said))

    def parts(self) -> Iterator[RenderableType]:
        """Yield the answer for the terminal."""
        yield from terminal.lines(self.study.title, self.page, self.notices)

    def to_dict(self) -> dict[str, Any]:
        """Return the answer for programs, as `--json` prints it: the keys are a promise."""
        values: dict[str, Any] = plain({
            "study": self.study.name,
            "runs": dict(self.run_ids),
            "statements": [_said(statement) for statement in self.page.statements],
            "aims": [_said(statement) for statement in self.page.aims],
            "tables": self.page.tables,
        })  # fmt: skip
        return values

    def report(self, path: str | Path = "") -> Path:
        """Write the page, by default `rankwise-NAME.html` in the current folder, and return its absolute path.

        Raises HostError if it cannot be written.
        """
        target = Path(path or f"rankwise-{self.study.name}.html").absolute()
        page_builder.write(target, study_page(self.study, self.page, self.results, self.command_line))
        return target


def _said(statement: Statement) -> dict[str, Any]:
    return {**asdict(statement.claim), "measured": statement.measured, "verdict": statement.verdict}


def studies() -> list[Study]:
    """Return the studies that there are."""
    return list(base.studies().values())


def carry_out(request: StudyRequest, store: Path, events: Events) -> StudyResult:
    """Carry out a study with the runs stored in `store`, as `study` does."""
    with Store(store) as opened:
        return study(request, opened, events)


def study(request: StudyRequest, store: Store, events: Events) -> StudyResult:
    """Measure what is missing of a study, and set it beside the paper's figures.

    Raises InputError for runs that are none of the study's, InterruptedRun with the way to go on.
    """
    chosen = base.find(request.options.name)
    if request.options.class_name:
        chosen = chosen.with_class(request.options.class_name)
    runs = StudyRuns(chosen, request, store, events)
    runs.take(request.options.stored)
    runs.measure_missing()
    results = runs.results()
    return StudyResult(
        chosen, chosen.page(results), results, runs.run_ids, runs.listed, request.command_line
    )  # fmt: skip


def resume(run_id: int, store: Store, events: Events) -> StudyResult:
    """Go on with a study: with what its runs have measured already."""
    options = msgspec.json.decode(store.request(run_id), type=StudyOptions)
    children = tuple(run.id for run in store.runs() if run.parent == run_id and run.kind != "validation")
    options = replace(options, stored=(*options.stored, *children))
    return study(StudyRequest(options, store.run(run_id).command_line, run_id), store, events)
