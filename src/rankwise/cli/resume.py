"""`rankwise resume`: go on with an interrupted run, whichever verb began it."""

from __future__ import annotations

from pathlib import Path

import click

from rankwise.cli.options import run_argument, store_option
from rankwise.cli.screen import Screen
from rankwise.workflows import resuming


@click.command(name="resume", epilog="\b\nExamples:\n  rankwise resume\n  rankwise resume 12")
@run_argument
@click.option("-q", "--quiet", is_flag=True, help="No progress, no messages.")
@store_option
def command(run: int | None, quiet: bool, store: Path) -> None:
    """Continue RUN (default: the newest interrupted one), whichever verb started it.

    Stored launches are kept, and new ones are added to the same run. Show the result with
    `rankwise report`, `rankwise guidelines --from`, `rankwise study --from` or `rankwise fit --from`.
    """
    run_id = resuming.resume_run(run or 0, store, Screen(quiet=quiet))
    click.echo(f"run {run_id} is complete: rankwise show {run_id}", err=True)
