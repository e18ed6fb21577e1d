"""`rankwise import`: results of other benchmarks, to stand beside our own."""

from __future__ import annotations

from pathlib import Path

import click

from rankwise.cli.answer import print_answer
from rankwise.cli.measuring_options import command_line
from rankwise.cli.options import Ranks, json_option, store_option
from rankwise.cli.screen import Screen
from rankwise.core.errors import InputError
from rankwise.workflows.events import warn
from rankwise.workflows.importing import ImportRequest, LogFile, import_logs

SECTION = "Results"


@click.command(
    name="import",
    short_help="Store results of the OSU and Intel MPI benchmarks.",
    epilog="\b\nExamples:\n  rankwise import osu_latency.log --name cluster-2019\n"
    "  rankwise import IMB-MPI1.log IMB-NBC.log --name cluster-2019\n"
    "  rankwise import mpich=1.log mpich=2.log openmpi=3.log openmpi=4.log -n 16",
)
@click.argument("files", nargs=-1, required=True, metavar="[NAME=]FILE...")
@click.option("--name", default="", help="Name of these results in reports.  [default: the name of each file]")
@click.option("-n", "ranks", type=Ranks(),
              help="Ranks of OSU's collectives where the log has no line of mpirun.")  # fmt: skip
@store_option
@json_option
def command(files: tuple[str, ...], name: str, ranks: int | None, store: Path, as_json: bool) -> None:
    """Store logs of the OSU micro-benchmarks and the Intel MPI Benchmarks as a run.

    Several runs of a benchmark, in one file or in several of one NAME, are launches. `rankwise report` compares
    the names as it compares MPIs; a verdict needs 4 launches of each. `rankwise report RUN --beside IMPORTED`
    draws the results beside the curves of another run. What is read is in docs/formats.md.
    """
    logs = tuple(_file(text, name) for text in files)
    imported = import_logs(ImportRequest(logs, command_line(), ranks or 0), store)
    warn(Screen(), *imported.notices)
    plain = {
        "run": imported.run_id, "results": imported.results, "launches": imported.launches,
        "notices": imported.notices,
    }  # fmt: skip
    line = f"run {imported.run_id}: {imported.results} results of {imported.launches} launches"
    print_answer(plain, [line], as_json=as_json)


def _file(text: str, name: str) -> LogFile:
    """A file, or its name and the file. A file that has the sign in its own name is one."""
    before, _, after = text.partition("=")
    path, own = (Path(text), name) if not (before and after) or Path(text).exists() else (Path(after), before)
    if not path.is_file():
        raise InputError(f"cannot read {path}: not a file", "name the log that the benchmark wrote")
    return LogFile(path, own)
