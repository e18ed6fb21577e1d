"""`rankwise export`: a run's samples for other tools."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import get_args

import click

from rankwise.cli.options import run_argument, store_option
from rankwise.store.export import Format, Table, export
from rankwise.store.store import Store


@click.command(
    name="export",
    epilog="\b\nExamples:\n  rankwise export > newest.csv\n  rankwise export 3 --medians --format jsonl\n"
    "  rankwise export 3 --format parquet -o run3.parquet",
)
@run_argument
@click.option(
    "--format",
    "kind",
    type=click.Choice(get_args(Format)),
    default="csv",
    show_default=True,
    help="What to write.",
)
@click.option("-o", "--output", type=click.Path(allow_dash=True), default="-", help="The file (default: stdout).")
@click.option("--medians", is_flag=True, help="One row a launch and cell, not one a sample.")
@store_option
def command(run: int | None, kind: Format, output: str, medians: bool, store: Path) -> None:
    """Write the samples of RUN (default: the newest) as one tidy table.

    Each row has the run, launch, implementation, version, benchmark, size, ranks, options and quantity, then
    the repetition and its seconds. A file appears whole or not at all. Parquet needs -o and
    pip install 'rankwise[parquet]'.
    """
    if kind == "parquet" and output == "-":
        raise click.UsageError("Parquet is not text: name a file with -o FILE.parquet")
    target = sys.stdout if output == "-" else Path(output)
    with Store(store, create=False) as opened:
        export(Table(opened, opened.run(run).id, medians=medians), kind, target)
