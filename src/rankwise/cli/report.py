"""`rankwise report`: the answer and the page of a run that is stored."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from rankwise.cli.answer import print_result
from rankwise.cli.options import (
    RUN,
    Share,
    json_option,
    long_option,
    run_argument,
    store_option,
)
from rankwise.cli.screen import Screen
from rankwise.workflows import compare

SECTION = "Results"


@click.command(
    name="report",
    short_help="Print the answer of a run again and write its page.",
    epilog="\b\nExamples:\n  rankwise report\n  rankwise report 12 --baseline mpich -o for-colleagues.html\n"
    "  rankwise report 12 --json",
)
@run_argument
@click.option("-o", "--output", type=click.Path(dir_okay=False, path_type=Path),
              help="HTML file to write.  [default: rankwise-RUN.html]")  # fmt: skip
@click.option(
    "--baseline", default="", metavar="MPI", help="Compare with this implementation instead of the run's baseline."
)
@click.option("--delta", type=Share(0, 1, min_open=True), default=0.05, show_default=True,
              help="Differences up to this share count as equivalent.")  # fmt: skip
@click.option("--beside", type=RUN, multiple=True, metavar="RUN",
              help="Also draw the curves of this imported run.")  # fmt: skip
@store_option
@long_option
@json_option
def command(
    run: int | None, output: Path | None, store: Path, as_long: bool, as_json: bool, **options: Any
) -> None:
    """Analyse a stored run again (default: the newest), and print its tables and write its HTML page."""
    result = compare.load(run, store, **options)
    print_result(result, Screen(), output or "", result.parts(as_long=as_long), as_json=as_json)
