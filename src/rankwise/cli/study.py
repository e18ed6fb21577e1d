"""`rankwise study`: measure again what a paper measured, and say which of its statements hold today."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from rankwise.cli.answer import code_of_check, print_answer, print_result
from rankwise.cli.measuring_options import command_line, verify_first_option
from rankwise.cli.options import DURATION, Parsed, json_option, names_of, prefix_option, quiet_option, store_option
from rankwise.cli.screen import Screen
from rankwise.core.errors import EXIT_OK
from rankwise.core.units import format_duration, parse_count
from rankwise.workflows import study
from rankwise.workflows.apps import CLASSES
from rankwise.workflows.study_options import StudyOptions, StudyRequest


def _run_ids(text: str) -> tuple[int, ...]:
    return tuple(parse_count(part, 1) for part in text.split(","))


SECTION = "Research"


@click.command(
    name="study",
    short_help="Repeat the measurements of a published paper.",
    epilog="\b\nExamples:\n"
    "  rankwise study                             which studies there are\n"
    "  rankwise study hablot2007 --quick          12 minutes instead of hours\n"
    "  rankwise study hablot2007 --quick --mpi openmpi,mpich --report grid.html\n"
    "  rankwise study hablot2007 --only npb-grid,npb-cluster --class A\n"
    "  rankwise study hablot2007 --from 3,4       stored runs, and what they lack",
)
@click.argument("name", required=False)
@click.option("--quick", is_flag=True, help="Fewer sizes, launches and MPIs; the list of studies has the times.")
@click.option(
    "--time", "budget", type=DURATION, help="Time budget, everything included.  [default: the study's own]"
)
@click.option(
    "--mpi",
    multiple=True,
    metavar="NAMES",
    help="Implementations, separated by commas.  [default: all that work; with --quick the newest of each family]",
)
@prefix_option
@click.option("--only", multiple=True, metavar="RUNS",
              help="Measure these runs alone, separated by commas; `rankwise study` lists them.")  # fmt: skip
@click.option("--class", "class_name", type=click.Choice(CLASSES, case_sensitive=False),
              metavar="|".join(CLASSES), help="Class of the NAS benchmarks.  [default: the paper's]")  # fmt: skip
@verify_first_option
@click.option("--from", "stored", type=Parsed("runs", _run_ids), default=(), metavar="RUNS",
              help="Use these stored runs: finish the interrupted ones, and measure what is missing.")  # fmt: skip
@click.option("--report", type=click.Path(dir_okay=False, path_type=Path),
              help="HTML file to write.  [default: rankwise-NAME.html]")  # fmt: skip
@quiet_option
@store_option
@json_option
def command(name: str | None, store: Path, as_json: bool, **parameters: Any) -> int:
    """Repeat the measurements of the paper NAME on an emulated testbed, and show its figures beside ours.

    Each of its statements holds today, no longer holds, or is undecided. Some runs tune the MPIs first; their
    profiles are written to `profiles` beside the page.
    """
    if name is None:
        _list(as_json)
        return EXIT_OK
    screen = Screen(quiet=parameters["quiet"])
    path = (parameters["report"] or Path(f"rankwise-{name}.html")).absolute()
    options = StudyOptions(
        name, parameters["quick"], str(path.parent / "profiles"), parameters["budget"],
        names_of(parameters["mpi"]), tuple(map(str, parameters["prefixes"])), parameters["stored"],
        names_of(parameters["only"]), parameters["class_name"] or "", parameters["verify_first"],
    )  # fmt: skip
    result = study.carry_out(StudyRequest(options, command_line()), store, screen)
    print_result(result, screen, path, as_json=as_json, runs=result.listed)
    return code_of_check(result.objections)


def _list(as_json: bool) -> None:
    known = study.studies()
    plain = [
        {
            "name": known_study.name,
            "title": known_study.title,
            "summary": known_study.summary,
            "runs": [run.label for run in known_study.runs],
        }
        for known_study in known
    ]
    lines = []
    for known_study in known:
        quick, full = (format_duration(known_study.seconds(quick=quick)) for quick in (True, False))
        runs = ", ".join(run.label for run in known_study.runs)
        lines += [
            known_study.name, f"  {known_study.title}", f"  {known_study.summary}",
            f"  at most {full}; --quick: {quick}", f"  runs: {runs}",
        ]  # fmt: skip
    print_answer(plain, lines, as_json=as_json)
