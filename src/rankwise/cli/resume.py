"""`rankwise resume`: go on with an interrupted run, whichever verb began it."""

from __future__ import annotations

from pathlib import Path

import click

from rankwise.cli.answer import print_answer
from rankwise.cli.options import DURATION, json_option, quiet_option, run_argument, store_option
from rankwise.cli.screen import Screen, err
from rankwise.workflows import resuming

SECTION = "Results"


@click.command(
    name="resume",
    short_help="Continue an interrupted run.",
    epilog="\b\nExamples:\n  rankwise resume\n  rankwise resume 12\n"
    "  rankwise resume 12 --time 2m   validate what `tune` left open",
)
@run_argument
@click.option("--time", "seconds", type=DURATION, default=None,
              help="Time for a run of `tune`.  [default: what is left of its own]")  # fmt: skip
@quiet_option
@store_option
@json_option
def command(run: int | None, seconds: float | None, quiet: bool, store: Path, as_json: bool) -> None:
    """Continue RUN (default: the newest interrupted one), of whichever verb.

    A run of `tune` that ran out of time before its validation continues with that.

    Stored launches are kept, and new ones are added to the same run. Show the result with
    `rankwise report`, `rankwise guidelines --from`, `rankwise study --from` or `rankwise fit --from`.
    """
    run_id = resuming.resume_run(run or 0, store, Screen(quiet=quiet), seconds=seconds or 0.0)
    err(f"run {run_id} is complete: rankwise show {run_id}")
    print_answer({"run": run_id}, [], as_json=as_json)
