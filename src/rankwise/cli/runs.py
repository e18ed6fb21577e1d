"""`rankwise runs`: what has been measured."""

from __future__ import annotations

from pathlib import Path

import click
from rich.console import Console

from rankwise.cli.options import echo_json, json_option, print_parts, store_option
from rankwise.report.runs_view import long_runs_parts, runs_table
from rankwise.workflows import runs


@click.command(
    name="runs",
    epilog="\b\nExamples:\n  rankwise runs\n  rankwise runs --long\n  rankwise runs --json\n"
    "  rankwise runs --store campaign.sqlite",
)
@click.option(
    "--long", "as_long", is_flag=True, help="Show whole commands, the implementations, and why each run ended."
)
@store_option
@json_option
def command(as_long: bool, store: Path, as_json: bool) -> None:
    """List the stored runs, oldest first.

    A run is complete, running, or interrupted. `rankwise resume RUN` continues an interrupted one.
    """
    found = runs.runs(store)
    if as_json:
        echo_json(found)
    elif found:
        print_parts(long_runs_parts(found) if as_long else [runs_table(found, Console().width)])
    else:
        click.echo(f"no run is stored in {store}", err=True)
