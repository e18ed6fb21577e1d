"""`rankwise compare`: which MPI is faster here, at what, by how much, and is it real?"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
from cloup import option_group

from rankwise.cli.answer import code_of_check, print_result
from rankwise.cli.benchmark_options import BENCHMARK_OPTIONS
from rankwise.cli.join_options import check_joined
from rankwise.cli.measuring_options import (
    PLACE_OPTIONS,
    PLAN_OPTIONS,
    WHAT_OPTIONS,
    request_of,
    verify_first_option,
)
from rankwise.cli.options import (
    DURATION,
    RUN_OR_NEWEST,
    Share,
    json_option,
    long_option,
    names_of,
    quiet_option,
    store_option,
)
from rankwise.cli.profile_options import any_version_option, complete_profiles
from rankwise.cli.program_options import PROGRAM_OPTIONS, ComparesProgram, check_options, program_request
from rankwise.cli.screen import Screen
from rankwise.workflows import compare
from rankwise.workflows.configurations import choose
from rankwise.workflows.measure import Request

SECTION = "Measure"


@click.command(
    name="compare",
    short_help="Compare MPI implementations: which is faster, and when.",
    cls=ComparesProgram,
    epilog="\b\nExamples:\n"
    "  rankwise compare                       every MPI that works, three minutes\n"
    "  rankwise compare openmpi mpich --bench pingpong,allreduce --sizes 1:1M\n"
    "  rankwise compare --thorough --time 30m\n"
    "  rankwise compare mpich --layout contiguous,vector --bench pingpong\n"
    "  rankwise compare mpich-5.0.2 mpich-5.0.1 --fail-on slower --json\n"
    "  rankwise compare mpich --profile default --profile wan   is it worth it?\n"
    "  rankwise compare --explain --bench allreduce   is it the algorithm?\n"
    "  rankwise compare mpich-5 --join a=mpich-5:2,b=openmpi-5:2 --bench bcast\n"
    "                                         one MPI, or one job over two sites\n"
    "  rankwise compare --resume              continue after Ctrl-C\n"
    "  rankwise compare openmpi --launcher '--mca btl tcp,self'\n\n"
    "\b\nA program of your own, whole runs of it:\n"
    "  rankwise compare -n 4 --build '{mpicc} app.c -o {program}' -- ./app input\n"
    "  rankwise compare --metric 'Time in seconds *= *(\\S+)' -- ./build-{mpi}/app\n"
    "  rankwise compare --metric 'Gflops: *(\\S+)' --higher-is-better -- ./app\n"
    "  rankwise compare --verify-output PASSED --fail-on slower -- ./app\n"
    "  rankwise compare --placement block,cyclic --testbed two-clusters -- ./app\n"
    "  rankwise compare mpich-5 --join a=mpich-5:2,b=openmpi-5:2 -- ./app   joined",
)
@click.argument("mpi", nargs=-1)
@option_group(
    "What to compare",
    click.option("--bench", multiple=True, metavar="NAMES",
                 help="Benchmarks or categories, separated by commas; or all."),
    click.option("--thorough", is_flag=True, help="Every benchmark there is; give it --time."),
    *WHAT_OPTIONS,
    click.option("--profile", "profiles", multiple=True, metavar="NAME|FOLDER", shell_complete=complete_profiles,
                 help="Measure with this profile (repeatable): --profile wan --profile default."),
    any_version_option,
    click.option("--baseline", default="", metavar="MPI",
                 help="Implementation to compare with.  [default: the first named, or else the fastest overall]"),
    click.option("--explain", is_flag=True,
                 help="Measure the same algorithms over every MPI too, and split each difference into the part of "
                      "the chosen algorithm and that of the point-to-point layer."),
    verify_first_option,
)  # fmt: skip
@option_group(
    "How long",
    click.option("--time", "budget", type=DURATION, default="3m", show_default=True,
                 help="Time budget of the whole run."),
    click.option("--precision", type=Share(0, 1, min_open=True), default=0.02, show_default=True,
                 help="Stop measuring a cell when the 95 % interval of its median is this narrow, relative to the "
                      "median."),
    *PLAN_OPTIONS,
    click.option("--resume", is_flag=False, flag_value=0, type=RUN_OR_NEWEST, metavar="[RUN]",
                 help="Continue this run, or the newest interrupted one."),
)  # fmt: skip
@option_group("Where", *PLACE_OPTIONS)
@option_group("Your program", *PROGRAM_OPTIONS)
@option_group("How the benchmarks call MPI", *BENCHMARK_OPTIONS, hidden=True)
@option_group(
    "Answer and output",
    click.option("--delta", type=Share(0, 1, min_open=True), default=0.05, show_default=True,
                 help="Differences up to this share count as equivalent."),
    click.option("--fail-on", type=click.Choice(["slower", "different"]),
                 help="Exit with 1 if any candidate is slower (or: faster or slower) than the baseline, if any "
                      "cell failed, or if nothing was compared. Without this option: only by wrong data, and by "
                      "an MPI or profile without any result."),
    click.option("--report", type=click.Path(dir_okay=False, path_type=Path),
                 help="Where the report goes.  [default: rankwise-RUN.html]"),
    long_option,
    json_option,
    quiet_option,
    store_option,
)  # fmt: skip
@click.pass_context
def command(context: click.Context, /, mpi: tuple[str, ...], store: Path, as_json: bool, **options: Any) -> int:
    """Compare MPI implementations: which is faster, at what, and by how much.

    Without names: every implementation that works. Launches of all implementations are interleaved and
    shuffled; the verdicts come from a rank test on launches, corrected for the number of cells.

    With a program after `--`, whole runs of it are compared by their wall time or by figures in their output, for
    every MPI, --profile, --placement and --testbed (separated by commas) that is named, and for every --join.
    """
    screen = Screen(quiet=options["quiet"])
    check_options(context)
    check_joined(options)
    if options["resume"] is not None:
        from rankwise.workflows import resuming  # noqa: PLC0415 - half a second: every kind of run

        run_id = resuming.resume_run(options["resume"], store, screen, kind="compare")
        result = compare.load(run_id, store, delta=options["delta"])
    elif context.obj:
        request = program_request(context, _request(mpi, {**options, "testbed": "", "hostfile": None}), options)
        result = compare.compare_program(request, store, screen, delta=options["delta"])
    else:
        result = compare.compare(_request(mpi, options), store, screen, delta=options["delta"])
    parts = result.parts(as_long=options["as_long"])
    print_result(result, screen, options["report"] or "", parts, as_json=as_json)
    return code_of_check(result.objections(options["fail_on"] or ""))


def _request(mpi: tuple[str, ...], options: dict[str, Any]) -> Request:
    benchmarks = names_of(options["bench"]) or (("all",) if options["thorough"] else ())
    return request_of(
        options, benchmarks=benchmarks, implementations=mpi,
        time_budget_seconds=options["budget"], precision=options["precision"],
        baseline=options["baseline"], profiles=tuple(map(choose, options["profiles"])), force=options["force"],
        verify_first=options["verify_first"], explain=options["explain"],
        schedules=options["schedules"], joined=options["joined"], relayed=options["relayed"],
        encrypted=options["encrypted"],
    )  # fmt: skip
