"""`rankwise study`: measure again what a paper measured, and say which of its statements hold today."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from rankwise.cli import answering, measuring
from rankwise.cli.asking import words
from rankwise.cli.options import DURATION, Parsed, echo_json, json_option, store_option
from rankwise.cli.screen import Screen
from rankwise.core.errors import HostError, InputError, InterruptedRun
from rankwise.core.units import format_duration
from rankwise.report.writing import write_page
from rankwise.store.store import Store
from rankwise.studies import base, terminal
from rankwise.studies.base import Effort, Page, Results, Study, StudyRun
from rankwise.studies.page import render_page
from rankwise.testbed import description
from rankwise.testbed.base import make


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

    Each of its statements holds today, holds no longer, or cannot be decided by what was measured.
    """
    if name is None:
        _list(as_json)
        return
    study = base.find(name)
    screen = Screen(quiet=asked["quiet"])
    with Store(store) as opened:
        run_ids = _stored(study, asked["stored"], opened)
        _measure_missing(study, run_ids, opened, screen, asked)
        results = {label: _results(opened, run_id) for label, run_id in run_ids.items()}
    page = study.page(results)
    path = (asked["report"] or Path(f"rankwise-{study.name}.html")).absolute()
    write_page(path, render_page(study, page, results, answering.command_line()))
    if as_json:
        echo_json(_answer(study, run_ids, page, path))
    else:
        console = Console(highlight=False)
        notices = [notice for one in results.values() for notice in one.comparison.notices]
        for line in terminal.lines(study.title, page, notices):
            console.print(line)
        screen.say(f"\nruns: {_listed(run_ids)}   report: {path}")


def _list(as_json: bool) -> None:
    known = base.studies().values()
    if as_json:
        echo_json([{"name": one.name, "title": one.title, "summary": one.summary} for one in known])
        return
    for one in known:
        quick, full = (format_duration(_seconds(one, quick)) for quick in (True, False))
        click.echo(f"{one.name}\n  {one.title}\n  {one.summary}\n  at most {full}; --quick: {quick}")


def _seconds(study: Study, quick: bool) -> float:
    return sum(effort.time_budget_seconds for run in study.runs if (effort := _effort(run, quick)))


def _effort(run: StudyRun, quick: bool) -> Effort | None:
    return run.quick if quick else run.full


def _stored(study: Study, run_ids: tuple[int, ...], store: Store) -> dict[str, int]:
    """Label -> id of those stored runs that belong to the study; the later one of a label wins."""
    found: dict[str, int] = {}
    for run_id in run_ids:
        stored = store.run(run_id)
        run = study.run_of(stored.testbed)
        if run is None:
            raise InputError(
                f"run {run_id} was measured on {stored.testbed}: it is none of the study {study.name}",
                f"its runs are on {', '.join(study.testbed_name(one) for one in study.runs)}; see rankwise runs",
            )
        found[run.label] = run_id
    return found


def _measure_missing(
    study: Study, run_ids: dict[str, int], store: Store, screen: Screen, asked: dict[str, Any]
) -> None:
    """Adds to `run_ids` as it goes, so that an interruption can say how to go on."""
    wanted = [run for run in study.runs if _effort(run, asked["quick"])]
    for number, run in enumerate(wanted, start=1):
        known = run_ids.get(run.label)
        if known is not None and store.run(known).status != "interrupted":
            continue
        screen.say(f"[{number}/{len(wanted)}] {run.title}")
        before = {one.id for one in store.runs()}
        try:
            if known is None:
                run_ids[run.label] = measuring.measure(_request(study, run, asked), store, screen)
            else:
                measuring.resume(known, store, screen)
        except (InterruptedRun, HostError, KeyboardInterrupt) as error:
            begun = next((one.id for one in store.runs() if one.id not in before), known)
            if begun is not None:
                run_ids[run.label] = begun
            if begun is None or not isinstance(error, HostError):
                raise _with_way_on(error, study, run_ids, quick=asked["quick"]) from error
            screen.say(f"warning: {run.title}: {error}")  # this network failed; others may not


def _with_way_on(
    error: InterruptedRun | HostError | KeyboardInterrupt, study: Study, run_ids: dict[str, int], *, quick: bool
) -> InterruptedRun | HostError:
    """The same error, with the line that goes on from what is stored."""
    line = f"rankwise study {study.name}{' --quick' if quick else ''}"
    going_on = f"{line} --from {_listed(run_ids)}" if run_ids else line
    if isinstance(error, HostError):
        return HostError(str(error), f"{error.remedy}\nthen: {going_on}" if error.remedy else going_on)
    return InterruptedRun(str(error) or "interrupted: what was measured is kept", f"go on with: {going_on}")


def _listed(run_ids: dict[str, int]) -> str:
    return ",".join(map(str, run_ids.values()))


def _request(study: Study, run: StudyRun, asked: dict[str, Any]) -> measuring.Request:
    effort = _effort(run, asked["quick"])
    if effort is None:
        raise InputError(f"{run.label} is no part of a quick study", "leave --quick out")
    share = asked["budget"] / _seconds(study, asked["quick"]) if asked["budget"] else 1.0
    return measuring.Request(
        command_line=answering.command_line(), benchmarks=run.benchmarks, sizes_bytes=effort.sizes_bytes,
        time_budget_seconds=effort.time_budget_seconds * share, implementations=words(asked["mpi"]),
        prefixes=asked["prefixes"], ranks=(run.ranks,), options=(run.options,),
        min_launches=effort.launches, max_launches=effort.launches, seconds_per_cell=effort.seconds_per_cell,
        launch_limit_seconds=effort.launch_limit_seconds,
        testbed=make(study.topology(run, description.load(run.testbed))), placements=(run.placement,),
    )  # fmt: skip


def _results(store: Store, run_id: int) -> Results:
    return Results(
        run=store.run(run_id),
        comparison=answering.compare_run(store, run_id),
        launches=tuple(store.iter_launches(run_id)),
        topology=store.topology(run_id),
        paths=store.paths(run_id),
    )


def _answer(study: Study, run_ids: dict[str, int], page: Page, path: Path) -> dict[str, Any]:
    """For machines: the keys are a promise."""
    return {
        "study": study.name,
        "runs": run_ids,
        "statements": [
            {**asdict(one.claim), "measured": one.measured, "verdict": one.verdict} for one in page.statements
        ],
        "tables": [asdict(table) for table in page.tables],
        "report": str(path),
    }
