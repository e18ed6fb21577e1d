"""`rankwise study`: measure again what a paper measured, and say which of its statements hold today."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from rankwise.cli.measuring_options import words
from rankwise.cli.options import DURATION, Parsed, echo_json, json_option, store_option
from rankwise.cli.screen import Screen
from rankwise.core.errors import InputError
from rankwise.core.units import format_duration
from rankwise.report.writing import write_page
from rankwise.store.store import Store
from rankwise.studies import base, terminal
from rankwise.studies.base import Page, Statement, Study
from rankwise.studies.page import render_page
from rankwise.workflows import answer
from rankwise.workflows.study import Studying, StudyRequest


def _run_ids(text: str) -> tuple[int, ...]:
    if not all(part.isdigit() for part in text.split(",")):
        raise InputError(f"'{text}' is no list of runs", "write 3,4,5; `rankwise runs` shows them")
    return tuple(int(part) for part in text.split(","))


@click.command(
    name="study",
    epilog="\b\nExamples:\n"
    "  rankwise study                             which studies there are\n"
    "  rankwise study hablot2007 --quick          some minutes instead of hours\n"
    "  rankwise study hablot2007 --quick --mpi openmpi,mpich --report grid.html\n"
    "  rankwise study hablot2007 --from 3,4       the page of stored runs; measures the missing ones",
)
@click.argument("name", required=False)
@click.option("--quick", is_flag=True, help="Fewer sizes and launches.")
@click.option("--time", "budget", type=DURATION, help="For all of it.  [default: the study's own]")
@click.option(
    "--mpi", multiple=True, metavar="NAMES", help="Implementations, with commas.  [default: all that work]"
)
@click.option("--prefix", "prefixes", multiple=True, metavar="DIR", type=click.Path(path_type=Path),
              help="Look for an MPI here too.")  # fmt: skip
@click.option("--from", "stored", type=Parsed("runs", _run_ids), default=(), metavar="RUNS",
              help="Take these stored runs, finish the interrupted ones, measure what is missing.")  # fmt: skip
@click.option("--report", type=click.Path(dir_okay=False, path_type=Path),
              help="Where the page goes.  [default: rankwise-NAME.html]")  # fmt: skip
@click.option("-q", "--quiet", is_flag=True, help="No progress, no messages.")
@store_option
@json_option
def command(name: str | None, store: Path, as_json: bool, **asked: Any) -> None:
    """Measure on an emulated testbed what the paper NAME measured, and set its figures beside ours.

    Each of its statements holds today, holds no longer, or cannot be decided by what was measured. Some runs tune
    the MPIs first: their profiles go to `profiles` beside the page.
    """
    if name is None:
        _list(as_json)
        return
    study = base.find(name)
    screen = Screen(quiet=asked["quiet"])
    path = (asked["report"] or Path(f"rankwise-{study.name}.html")).absolute()
    request = StudyRequest(
        command_line=answer.command_line(), quick=asked["quick"], profiles=path.parent / "profiles",
        time_budget_seconds=asked["budget"], implementations=words(asked["mpi"]), prefixes=asked["prefixes"],
    )  # fmt: skip
    with Store(store) as opened:
        studying = Studying(study, request, opened, screen)
        studying.take(asked["stored"])
        studying.measure_missing()
        results = studying.results()
    page = study.page(results)
    write_page(path, render_page(study, page, results, answer.command_line()))
    if as_json:
        echo_json(_answer(study, studying.run_ids, page, path))
    else:
        console = Console(highlight=False)
        notices = [notice for one in results.values() for notice in one.comparison.notices]
        for line in terminal.lines(study.title, page, notices):
            console.print(line)
        screen.say(f"\nruns: {studying.listed}   report: {path}")


def _list(as_json: bool) -> None:
    known = base.studies().values()
    if as_json:
        echo_json([{"name": one.name, "title": one.title, "summary": one.summary} for one in known])
        return
    for one in known:
        quick, full = (format_duration(one.seconds(quick=quick)) for quick in (True, False))
        click.echo(f"{one.name}\n  {one.title}\n  {one.summary}\n  at most {full}; --quick: {quick}")


def _answer(study: Study, run_ids: dict[str, int], page: Page, path: Path) -> dict[str, Any]:
    """For machines: the keys are a promise."""
    return {
        "study": study.name,
        "runs": run_ids,
        "statements": [_said(one) for one in page.statements],
        "aims": [_said(one) for one in page.aims],
        "tables": [asdict(table) for table in page.tables],
        "report": str(path),
    }


def _said(one: Statement) -> dict[str, Any]:
    return {**asdict(one.claim), "measured": one.measured, "verdict": one.verdict}
