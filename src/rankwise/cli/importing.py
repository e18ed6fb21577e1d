"""`rankwise import`: results of other benchmarks, to stand beside our own."""

from __future__ import annotations

from pathlib import Path

import click

from rankwise.cli.measuring_options import command_line
from rankwise.cli.options import Ranks, echo_json, json_option, store_option
from rankwise.workflows.importing import ImportRequest, import_logs


@click.command(
    name="import",
    epilog="\b\nExamples:\n  rankwise import osu_latency.log --name cluster-2019\n"
    "  rankwise import IMB-MPI1.log IMB-NBC.log",
)
@click.argument("files", nargs=-1, required=True, type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--name", default="", help="Name of these results in reports.  [default: the name of each file]")
@click.option("-n", "ranks", type=Ranks(), default=2, show_default=True,
              help="Number of ranks of OSU's results, which is not in its logs.")  # fmt: skip
@store_option
@json_option
def command(files: tuple[Path, ...], name: str, ranks: int, store: Path, as_json: bool) -> None:
    """Store logs of the OSU micro-benchmarks and the Intel MPI Benchmarks as a run.

    Such logs contain only means, so their results get no verdicts. `rankwise report RUN --beside IMPORTED` draws
    them beside the curves of another run.
    """
    found = import_logs(ImportRequest(files, command_line(), name, ranks), store)
    if as_json:
        echo_json({"run": found.run_id, "results": found.results})
    else:
        click.echo(f"run {found.run_id}: {found.results} results")
