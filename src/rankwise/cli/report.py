"""`rankwise report`: the answer and the page of a run that is stored."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from rankwise.cli.options import echo_json, json_option, print_parts, run_argument, store_option
from rankwise.workflows import compare


@click.command(
    name="report",
    epilog="\b\nExamples:\n  rankwise report\n  rankwise report 12 --baseline mpich -o for-colleagues.html\n"
    "  rankwise report 12 --json",
)
@run_argument
@click.option("-o", "--output", type=click.Path(dir_okay=False, path_type=Path),
              help="HTML file to write.  [default: rankwise-RUN.html]")  # fmt: skip
@click.option(
    "--baseline", default="", metavar="MPI", help="Compare with this implementation instead of the run's baseline."
)
@click.option("--delta", type=click.FloatRange(0, 1, min_open=True), default=0.05, show_default=True,
              help="Differences up to this share count as equivalent.")  # fmt: skip
@click.option("--beside", type=click.IntRange(1), multiple=True, metavar="RUN",
              help="Also draw the curves of this imported run.")  # fmt: skip
@store_option
@json_option
def command(run: int | None, output: Path | None, store: Path, as_json: bool, **asked: Any) -> None:
    """Analyse a stored run again (default: the newest), and print its tables and write its HTML page."""
    found = compare.load(run, store, **asked)
    path = found.report(output or "")
    if as_json:
        echo_json(found.as_json(path))
    else:
        print_parts(found.parts())
        click.echo(f"\nreport: {path}", err=True)
