"""`rankwise runs`: what has been measured."""

from __future__ import annotations

from pathlib import Path

import click

from rankwise.cli.answer import print_answer
from rankwise.cli.options import json_option, store_option
from rankwise.cli.screen import Terminal, err
from rankwise.report.runs_view import long_runs_parts, runs_table
from rankwise.workflows import runs

SECTION = "Results"


@click.command(
    name="runs",
    short_help="List the stored runs.",
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
    stored_runs = runs.runs(store)
    if not stored_runs:
        err(f"no run is stored in {store}")
    parts = (
        long_runs_parts(stored_runs) if as_long or not stored_runs else [runs_table(stored_runs, Terminal().width)]
    )
    print_answer(stored_runs, parts, as_json=as_json)
