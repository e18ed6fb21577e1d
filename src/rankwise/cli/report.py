"""`rankwise report`: the answer and the page of a run that is stored."""

from __future__ import annotations

from pathlib import Path

import click

from rankwise.cli.options import echo_json, json_option, run_argument, store_option
from rankwise.report import html
from rankwise.store.store import Store
from rankwise.workflows import answer, measure


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
    with Store(store, create=False) as opened:
        run_id = opened.run(run).id
        chosen = measure.the_one(baseline, opened.implementations(run_id)) if baseline else ""
        comparison = answer.compare_run(opened, run_id, chosen, delta)
        context = answer.report_context(opened, run_id, comparison)
    path = (output or Path(f"rankwise-{run_id}.html")).absolute()
    html.write_report(path, comparison, context)
    if as_json:
        echo_json(answer.as_json(comparison, path))
    else:
        answer.show(comparison, context.sentences)
        click.echo(f"\nreport: {path}", err=True)
