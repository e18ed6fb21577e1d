"""`rankwise show`: everything that is known of one run."""

from __future__ import annotations

from pathlib import Path

import click

from rankwise.cli.options import echo_json, json_option, print_parts, run_argument, store_option
from rankwise.report.run_view import run_parts
from rankwise.workflows import run_view


@click.command(
    name="show",
    epilog="\b\nExamples:\n  rankwise show\n  rankwise show 3\n  rankwise show 3 --json",
)
@run_argument
@store_option
@json_option
def command(run: int | None, store: Path, as_json: bool) -> None:
    """Show RUN (default: the newest): plan, cells, loaded configurations, failures, warnings and provenance."""
    shown = run_view.load(run, store)
    if as_json:
        echo_json(shown)
    else:
        print_parts(run_parts(shown))
