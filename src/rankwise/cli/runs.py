"""`rankwise runs`: what has been measured."""

from __future__ import annotations

import time
from pathlib import Path

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

from rankwise.cli.options import echo_json, json_option, store_option
from rankwise.core.records import RunSummary
from rankwise.store.store import Store


@click.command(
    name="runs",
    epilog="\b\nExamples:\n  rankwise runs\n  rankwise runs --json\n  rankwise runs --store campaign.sqlite",
)
@store_option
@json_option
def command(store: Path, as_json: bool) -> None:
    """List the stored runs, oldest first.

    A run is complete, running, or interrupted: an interrupted one goes on with `rankwise compare --resume`.
    """
    with Store(store, create=False) as opened:
        runs = opened.runs()
    if as_json:
        echo_json(runs)
    elif runs:
        Console().print(_table(runs))
    else:
        click.echo(f"no run is stored in {store}", err=True)


def _table(runs: list[RunSummary]) -> Table:
    table = Table(box=None, pad_edge=False)
    table.add_column("run", justify="right", no_wrap=True)
    table.add_column("when", no_wrap=True)
    table.add_column("command", overflow="fold")
    table.add_column("testbed", overflow="fold")
    table.add_column("MPI", overflow="fold")
    table.add_column("launches", justify="right", no_wrap=True)
    table.add_column("status", no_wrap=True)
    for run in runs:
        table.add_row(
            str(run.id),
            time.strftime("%Y-%m-%d\n%H:%M", time.localtime(run.created_at)),
            Text(run.command_line),
            Text(run.testbed),
            Text("\n".join(run.implementations)),
            str(run.launches),
            run.status,
        )
    return table
