"""`rankwise delete`: take runs out of the store."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from rankwise.cli.options import store_option
from rankwise.core.errors import EXIT_ANSWER_IS_NO, EXIT_OK, InputError
from rankwise.workflows import runs as stored


@click.command(name="delete", epilog="\b\nExamples:\n  rankwise delete 3\n  rankwise delete 1 2 5 --yes")
@click.argument("runs", type=click.IntRange(1), nargs=-1, required=True)
@click.option("--yes", is_flag=True, help="Do not ask.")
@store_option
def command(runs: tuple[int, ...], yes: bool, store: Path) -> int:
    """Delete runs with all their samples, and free their disk space.

    A run that is being measured is not deleted. Exit code 1 if you answered no.
    """
    chosen = stored.get(runs, store)
    for run in chosen:
        click.echo(f"run {run.id}: {run.command_line} ({run.status}, launches: {run.launches})", err=True)
    if not yes and not _confirmed(len(chosen)):
        click.echo("nothing was deleted", err=True)
        return EXIT_ANSWER_IS_NO
    stored.delete([run.id for run in chosen], store)
    click.echo(f"deleted {len(chosen)} run{'s' * (len(chosen) > 1)}", err=True)
    return EXIT_OK


def _confirmed(count: int) -> bool:
    try:
        return click.confirm(f"Delete {'these runs' if count > 1 else 'this run'} for good?", err=True)
    except click.Abort as error:
        if sys.stdin.isatty():
            raise
        raise InputError("nobody is there to answer whether to delete", "add --yes") from error
