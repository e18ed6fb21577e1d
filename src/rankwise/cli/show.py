"""`rankwise show`: everything that is known of one run."""

from __future__ import annotations

from pathlib import Path

import click

from rankwise.cli.answer import print_answer
from rankwise.cli.options import Parsed, json_option, run_argument, store_option
from rankwise.core.units import parse_count
from rankwise.report.run_view import output_lines, run_parts
from rankwise.workflows import run_view

SECTION = "Results"


def _launch(text: str) -> int:
    """Its number, or 0 for `all`."""
    return 0 if text == "all" else parse_count(text, 1)


@click.command(
    name="show",
    short_help="Show a run: plan, launches, failures, warnings.",
    epilog="\b\nExamples:\n  rankwise show\n  rankwise show 3\n  rankwise show 3 --launch 7\n"
    "  rankwise show 3 --launch all\n  rankwise show 3 --json",
)
@run_argument
@click.option("--launch", type=Parsed("launch", _launch), metavar="N|all",
              help="Show what this launch printed on stdout and stderr, the run's first being 1; or all of "
                   "them.")  # fmt: skip
@store_option
@json_option
def command(run: int | None, launch: int | None, store: Path, as_json: bool) -> None:
    """Show RUN (default: the newest): plan, cells, loaded configurations, failures, warnings and provenance.

    Of what a launch printed the first 16384 and the last 49152 characters of each stream are kept; it is in --json
    too.
    """
    shown = run_view.load(run, store)
    parts = run_parts(shown) if launch is None else output_lines(shown, launch)
    print_answer(shown, parts, as_json=as_json)
