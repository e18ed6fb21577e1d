"""`rankwise trace`: record the MPI calls of a program, look at the record, write it for other tools."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
import cloup

from rankwise.cli.abi_options import abi_options
from rankwise.cli.answer import print_answer
from rankwise.cli.join_options import job_options, join_request
from rankwise.cli.options import DURATION, Ranks, json_option, prefix_option
from rankwise.cli.profile_options import profile_options
from rankwise.cli.program_arguments import TakesProgram, launcher_option
from rankwise.cli.screen import Screen, err, out
from rankwise.cli.testbed_options import where_options
from rankwise.report.trace_view import trace_parts
from rankwise.workflows.configurations import choose
from rankwise.workflows.events import warn
from rankwise.workflows.run import RunRequest
from rankwise.workflows.testbeds import testbed_of
from rankwise.workflows.trace import (
    FOLDERS,
    FORMATS,
    JoinedTraceRequest,
    Keep,
    TraceRequest,
    TraceResult,
    export,
    import_trace,
    look,
    trace,
    trace_joined,
)

_WHAT = {**{name: trace_format.what for name, trace_format in FORMATS.items()}, **FOLDERS}


class _TraceVerb(TakesProgram, cloup.Group):
    """With a program it records; without, one of its commands looks at a record."""


SECTION = "Explain and predict"


@click.group(
    name="trace",
    short_help="Record the MPI calls of a program.",
    cls=_TraceVerb,
    invoke_without_command=True,
    subcommand_metavar="[show|export|import] [-- PROGRAM [ARGUMENTS]...]",
    epilog="\b\nExamples:\n"
    "  rankwise trace -n 4 -- ./app input.txt             records into app.trace\n"
    "  rankwise trace -n 8 --testbed grid5000-2007 --mpi mpich -o wan -- ./app\n"
    "  rankwise trace -n 4 --summary-only -- ./app\n"
    "  rankwise trace --join rennes=openmpi-5:4,nancy=mpich-5:4 -- ./app\n"
    "  rankwise trace show app.trace\n"
    "  rankwise trace export app.trace --format perfetto -o app.json\n"
    "  rankwise trace import scorep-app/traces.otf2 -o app.trace",
)
@click.option("-n", "ranks", type=Ranks(), help="Number of ranks.  [default: every slot of the testbed]")
@click.option(
    "--mpi", default="", metavar="MPI|any",
    help="Implementation to use, or `any` for the first that can run the program.  [default: the one that it "
    "is linked with]",
)  # fmt: skip
@job_options
@abi_options
@click.option("-o", "--output", "folder", metavar="DIR", type=click.Path(path_type=Path, file_okay=False),
              help="Folder to write; an earlier trace in it is replaced.  [default: PROGRAM.trace]")  # fmt: skip
@click.option("--times", type=click.Choice(["all", "statistics"]), default="all", show_default=True,
              help="Record the times of every call, or only count, sum, minimum and maximum of equal "
                   "calls.")  # fmt: skip
@click.option("--summary-only", is_flag=True, help="Record statistics only, without the order of calls.")
@click.option("--placement", default="block", show_default=True, metavar="NAME|FILE",
              help="block, cyclic, one-per-node, across-sites, or a rankfile.")  # fmt: skip
@launcher_option
@click.option("--limit", type=DURATION, default="24h", show_default=True, help="Time limit of the job.")
@prefix_option
@click.option("-q", "--quiet", is_flag=True, help="Print nothing but the program's output.")
@profile_options
@where_options
@click.pass_context
def command(context: click.Context, /, **options: Any) -> int:
    """Record the MPI calls of your program: partners, bytes, start and end times.

    What follows `--` is the program and its arguments. The program needs no change, and its exit code is
    returned. A short summary goes to standard error; `show` prints it again, with more detail.
    """
    if context.invoked_subcommand:
        return 0
    keep: Keep = "summary" if options["summary_only"] else options["times"]
    screen = Screen(quiet=options["quiet"])
    if joined := join_request(context, options):
        return _said(trace_joined(JoinedTraceRequest(joined, options["folder"], keep), screen), screen)
    request = RunRequest(
        context.obj, options["ranks"] or 0, options["mpi"], testbed_of(options["testbed"], options["hostfile"]),
        options["placement"], choose(options["profile"]), force=options["force"],
        launcher_arguments=options["launcher"], limit_seconds=options["limit"], prefixes=options["prefixes"],
        standard_abi=options["standard_abi"], linked_to=options["linked_to"],
    )  # fmt: skip
    return _said(trace(TraceRequest(request, options["folder"], keep), screen), screen)


def _said(result: TraceResult, screen: Screen) -> int:
    """Tell of what was recorded, and return the program's exit code."""
    screen.say(f"trace: {result.summary.calls} calls of {result.summary.ranks} ranks in {result.folder}")
    warn(screen, *result.summary.problems)
    screen.say(f"rankwise trace show {result.folder} lists them")
    return result.exit_code


_folder_argument = click.argument(
    "folder", metavar="DIR", type=click.Path(exists=True, file_okay=False, path_type=Path)
)


@command.command(
    "show", epilog="\b\nExamples:\n  rankwise trace show app.trace\n  rankwise trace show app.trace --json"
)
@_folder_argument
@json_option
def show_command(folder: Path, as_json: bool) -> None:
    """Summarise a trace: time by call, messages by size, regions, imbalance, late arrivals."""
    looked = look(folder)
    plain = {
        "summary": looked.summary, "sites": looked.sites, "messages": looked.matrix.messages,
        "bytes": looked.matrix.bytes,
    }  # fmt: skip
    print_answer(plain, trace_parts(looked.summary, looked.sites), as_json=as_json)


@command.command(
    "export",
    epilog="\b\nFormats:\n"
    + "\n".join(f"  {name:<10} {what}" for name, what in _WHAT.items())
    + "\n\n\b\nExamples:\n  rankwise trace export app.trace --format goal -o app.goal\n"
    "  rankwise trace export app.trace --format otf2 -o app.otf2\n"
    "  rankwise trace export app.trace --format tune -o app.csv\n"
    "  rankwise tune --for app.csv        tunes for what the program calls",
)  # fmt: skip
@_folder_argument
@click.option("--format", "form", type=click.Choice([*_WHAT]), required=True, help="Format to write (see below).")
@click.option("-o", "--output", type=click.Path(path_type=Path),
              help="The file, or the folder of otf2.  [default: standard output]")  # fmt: skip
def export_command(folder: Path, form: str, output: Path | None) -> None:
    """Write a trace in the format of another tool."""
    exported = export(folder, form, output)
    warn(Screen(), *exported.notices)
    for line in exported.lines:
        out(line)


@command.command(
    "import", epilog="\b\nExamples:\n  rankwise trace import scorep-app/traces.otf2 -o app.trace\n"
    "  rankwise trace show app.trace"
)  # fmt: skip
@click.argument("file", metavar="FILE", type=click.Path(path_type=Path))
@click.option("-o", "--output", "folder", metavar="DIR", type=click.Path(path_type=Path, file_okay=False),
              help="Folder to write; an earlier trace in it is replaced.  [default: FILE.trace]")  # fmt: skip
@json_option
def import_command(file: Path, folder: Path | None, as_json: bool) -> None:
    """Convert an OTF2 archive, as recorded by Score-P and others, to a trace.

    FILE is its anchor file, traces.otf2, or its folder. The result can be shown and exported like any trace.
    Other verbs need no import: `rankwise map`, `rankwise tune --for` and `rankwise predict trace` take the archive
    itself; map and tune also take what has totals only, as the output of Open MPI's monitoring.
    """
    result = import_trace(file, folder)
    warn(Screen(), *result.summary.problems)
    print_answer({"folder": result.folder, "summary": result.summary}, [], as_json=as_json)
    err(f"trace: {result.summary.calls} calls of {result.summary.ranks} ranks in {result.folder}")
