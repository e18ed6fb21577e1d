"""`rankwise delete`: take runs out of the store."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from rankwise.cli.answer import print_answer
from rankwise.cli.options import RUN, json_option, store_option
from rankwise.cli.screen import err
from rankwise.core.errors import EXIT_ANSWER_IS_NO, EXIT_OK, InputError
from rankwise.workflows import runs as stored

SECTION = "Results"


@click.command(
    name="delete",
    short_help="Delete runs.",
    epilog="\b\nExamples:\n  rankwise delete 3\n  rankwise delete 1 2 5 --yes",
)
@click.argument("runs", type=RUN, nargs=-1, required=True)
@click.option("--yes", is_flag=True, help="Do not ask for confirmation.")
@store_option
@json_option
def command(runs: tuple[int, ...], yes: bool, store: Path, as_json: bool) -> int:
    """Delete runs with all their samples, and free their disk space.

    A run that is being measured is not deleted. Exit code 1 if you answered no.
    """
    chosen = stored.get(runs, store)
    for run in chosen:
        err(f"run {run.id}: {run.command_line} ({run.status}, launches: {run.launches})")
    if not yes and not _confirmed(len(chosen)):
        err("nothing was deleted")
        print_answer({"deleted": []}, [], as_json=as_json)
        return EXIT_ANSWER_IS_NO
    deleted = [run.id for run in chosen]
    stored.delete(deleted, store)
    err(f"deleted {len(chosen)} run{'s' * (len(chosen) > 1)}")
    print_answer({"deleted": deleted}, [], as_json=as_json)
    return EXIT_OK


def _confirmed(count: int) -> bool:
    try:
        return click.confirm(f"Delete {'these runs' if count > 1 else 'this run'} for good?", err=True)
    except click.Abort as error:
        if sys.stdin.isatty():
            raise
        raise InputError("cannot ask for confirmation without a terminal", "add --yes") from error
