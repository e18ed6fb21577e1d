"""`rankwise export`: a run's samples, timelines and link counters for other tools."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

import click

from rankwise.cli.options import run_argument, store_option
from rankwise.cli.screen import Output
from rankwise.workflows.runs import FORMATS, ExportRequest, Format, Rows, export

SECTION = "Results"


@click.command(
    name="export",
    short_help="Write the samples of a run as a table.",
    epilog="\b\nExamples:\n  rankwise export > newest.csv\n  rankwise export 3 --medians --format jsonl\n"
    "  rankwise export 3 --format parquet -o run3.parquet\n"
    "  rankwise export --rows links -o links.csv",
)
@run_argument
@click.option(
    "--format",
    "kind",
    type=click.Choice(FORMATS),
    default="csv",
    show_default=True,
    help="What to write.",
)
@click.option(
    "-o",
    "--output",
    type=click.Path(allow_dash=True),
    default="-",
    help="The file to write.  [default: standard output]",
)
@click.option(
    "--rows",
    type=click.Choice(get_args(Rows)),
    default="samples",
    show_default=True,
    help="What a row is: a sample, a moment of a TCP connection, a link in a launch, or a launch's output.",
)
@click.option(
    "--medians",
    is_flag=True,
    help="Write one row for each launch and cell instead of one for each sample (samples only).",
)
@store_option
def command(run: int | None, kind: Format, output: str, rows: Rows, medians: bool, store: Path) -> None:
    """Write the samples of RUN (default: the newest) as one tidy table.

    Each row has the run, launch, implementation, version, benchmark, size, ranks, options and quantity, then
    the repetition and its seconds. With --rows timelines these are the moments of TCP connections (congestion
    window, round trip, retransmits), with --rows links each link's counters in each launch, with --rows output
    what each launch printed. A file appears
    whole or not at all. The formats osu and imb are logs as these benchmarks write them. Parquet needs -o and
    pip install 'rankwise[parquet]'.
    """
    export(ExportRequest(run, kind, rows, medians), Output() if output == "-" else Path(output), store)
