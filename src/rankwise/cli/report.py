"""`rankwise report`: the answer and the page of a run that is stored."""

from __future__ import annotations

from pathlib import Path

import click

from rankwise.cli.options import echo_json, json_option, print_parts, run_argument, store_option
from rankwise.workflows import compare


@click.command(
    name="report",
    epilog="\b\nExamples:\n  rankwise report\n  rankwise report 12 --baseline mpich -o for-colleagues.html\n"
    "  rankwise report 12 --json",
)
@run_argument
@click.option("-o", "--output", type=click.Path(dir_okay=False, path_type=Path), help="Where the page goes.  "
              "[default: rankwise-RUN.html]")  # fmt: skip
@click.option("--baseline", default="", metavar="MPI", help="Compare with another one than the run did.")
@click.option("--delta", type=click.FloatRange(0, 1, min_open=True), default=0.05, show_default=True,
              help="Differences up to this share count as equivalent.")  # fmt: skip
@store_option
@json_option
def command(run: int | None, output: Path | None, baseline: str, delta: float, store: Path, as_json: bool) -> None:
    """Analyse a stored run again (the newest by default): terminal tables and the HTML page."""
    found = compare.load(run, store, baseline=baseline, delta=delta)
    path = found.report(output or "")
    if as_json:
        echo_json(found.as_json(path))
    else:
        print_parts(found.parts())
        click.echo(f"\nreport: {path}", err=True)
