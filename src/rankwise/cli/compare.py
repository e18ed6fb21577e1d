"""`rankwise compare`: which MPI is faster here, at what, by how much, and is it real?"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from rankwise.bench.plan import DEFAULT_BENCHMARKS
from rankwise.cli.measuring_options import PassesThrough, measuring_options, variants, words
from rankwise.cli.options import DURATION, echo_json, json_option, store_option
from rankwise.cli.screen import Screen
from rankwise.cli.testbed_options import testbed_of
from rankwise.core import errors
from rankwise.core.results import Comparison
from rankwise.core.tuning import DEFAULT
from rankwise.profiles import folders
from rankwise.report import html
from rankwise.store.store import Store
from rankwise.workflows import answer, measure


@click.command(
    name="compare",
    cls=PassesThrough,
    epilog="\b\nExamples:\n"
    "  rankwise compare                       every MPI that works, three minutes\n"
    "  rankwise compare openmpi mpich --bench pingpong,allreduce --sizes 1:1M\n"
    "  rankwise compare --thorough --time 30m\n"
    "  rankwise compare mpich --layout contiguous,vector --bench pingpong\n"
    "  rankwise compare mpich-5.0.2 mpich-5.0.1 --fail-on slower --json\n"
    "  rankwise compare mpich --profile default --profile wan   is it worth it?\n"
    "  rankwise compare --resume              go on where Ctrl-C ended it\n"
    "  rankwise compare openmpi -- --mca btl tcp,self      words for mpiexec",
)
@click.argument("mpi", nargs=-1)
@click.option("--bench", multiple=True, metavar="NAMES", help="Benchmarks or categories, with commas; or all.")
@click.option("--thorough", is_flag=True, help="Every benchmark there is; give it --time.")
@click.option("--time", "budget", type=DURATION, default="3m", show_default=True, help="For the whole run.")
@click.option("--baseline", default="", metavar="MPI",
              help="Compare with this one.  [default: the first named, or else the fastest overall]")  # fmt: skip
@click.option("--precision", type=click.FloatRange(0, 1, min_open=True), default=0.02, show_default=True,
              help="A cell is done when its median's 95 % interval is within this share.")  # fmt: skip
@click.option("--delta", type=click.FloatRange(0, 1, min_open=True), default=0.05, show_default=True,
              help="Differences up to this share count as equivalent.")  # fmt: skip
@click.option("--fail-on", type=click.Choice(["slower", "different"]),
              help="Exit with 1 if any candidate is slower (or: faster or slower) than the baseline.")  # fmt: skip
@click.option("--profile", "profiles", multiple=True, metavar="NAME|FOLDER", shell_complete=folders.complete,
              help="Measure with this tuning; several: --profile wan --profile default.")  # fmt: skip
@click.option("--force", is_flag=True, help="Load of a profile what this version of the MPI knows.")
@click.option("--report", type=click.Path(dir_okay=False, path_type=Path),
              help="Where the report goes.  [default: rankwise-RUN.html]")  # fmt: skip
@click.option("--resume", is_flag=False, flag_value=0, type=int, metavar="[RUN]",
              help="Go on with this run, or with the newest that was interrupted.")  # fmt: skip
@measuring_options
@store_option
@json_option
@click.pass_context
def command(context: click.Context, /, mpi: tuple[str, ...], store: Path, as_json: bool, **asked: Any) -> int:
    """Measure MPI implementations against one another and say which is faster at what.

    Without names: every implementation that works. Launches of all implementations are interleaved and
    shuffled; the verdicts come from a rank test on launches, corrected for the number of cells.
    """
    screen = Screen(quiet=asked["quiet"])
    with Store(store) as opened:
        if asked["resume"] is None:
            run_id = measure.measure(_request(mpi, context.obj, asked), opened, screen)
        else:
            run_id = _interrupted(opened, asked["resume"])
            measure.resume(run_id, opened, screen)
        comparison = answer.compare_run(opened, run_id, delta=asked["delta"])
        path = (asked["report"] or Path(f"rankwise-{run_id}.html")).absolute()
        told = answer.report_context(opened, run_id, comparison)
        html.write_report(path, comparison, told)
    if as_json:
        echo_json(answer.as_json(comparison, path))
    else:
        answer.show(comparison, told.sentences)
        screen.say(f"\nreport: {path}")
    return _exit_code(comparison, asked["fail_on"])


def _request(mpi: tuple[str, ...], launcher_arguments: tuple[str, ...], asked: dict[str, Any]) -> measure.Request:
    benchmarks = words(asked["bench"]) or (("all",) if asked["thorough"] else DEFAULT_BENCHMARKS)
    return measure.Request(
        command_line=answer.command_line(), benchmarks=benchmarks, sizes_bytes=asked["sizes"],
        time_budget_seconds=asked["budget"], implementations=mpi, prefixes=asked["prefixes"], ranks=asked["ranks"],
        options=variants(asked), precision=asked["precision"], seed=asked["seed"],
        baseline=asked["baseline"], launch_limit_seconds=asked["limit"],
        launcher_arguments=launcher_arguments,
        testbed=testbed_of(asked["testbed"], asked["hostfile"]), placements=asked["placement"],
        profiles=tuple(_profile(name) for name in asked["profiles"]), force=asked["force"],
    )  # fmt: skip


def _profile(name: str) -> tuple[str, str]:
    """Name and folder; `default` has none."""
    if name == DEFAULT:
        return DEFAULT, ""
    folder = folders.find(name).resolve()
    return folder.name, str(folder)


def _interrupted(store: Store, run_id: int) -> int:
    if run_id:
        return run_id
    newest = store.latest_interrupted()
    if newest is None:
        raise errors.InputError("no run was interrupted: there is nothing to resume", "rankwise runs")
    return newest.id


def _exit_code(comparison: Comparison, fail_on: str | None) -> int:
    bad = {"slower": {"slower"}, "different": {"slower", "faster"}}.get(fail_on or "", set())
    found = any(verdict.verdict in bad for verdict in comparison.verdicts)
    return errors.EXIT_ANSWER_IS_NO if found else errors.EXIT_OK
