"""`rankwise doctor`: is this machine fit to measure on, what is missing, and which command gets it?"""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

import click
from rich.console import Console
from rich.table import Table

from rankwise.cli.options import SIZE, Ranks, json_option, store_option
from rankwise.core import errors
from rankwise.workflows import doctor
from rankwise.workflows.doctor import Finding

_STYLES = {"ok": "green", "note": "yellow", "bad": "bold red"}


@click.command(
    name="doctor",
    epilog="\b\nExamples:\n  rankwise doctor\n  rankwise doctor -n 8 --largest 16M\n  rankwise doctor --json",
)
@click.option("-n", "ranks", type=Ranks(), help="Number of ranks that you mean to use.  [default: all cores]")
@click.option(
    "--largest",
    type=SIZE,
    default="4M",
    show_default=True,
    help="Size of the largest message that you mean to send.",
)
@store_option
@json_option
def command(ranks: int | None, largest: int, store: Path, as_json: bool) -> int:
    """Check whether this machine is fit to measure on. Exit code 3 if it is not."""
    findings = doctor.examine(ranks, largest, store)
    if as_json:
        click.echo(json.dumps([asdict(finding) for finding in findings], indent=2))
    else:
        _print(findings)
    unfit = any(finding.level == "bad" for finding in findings)
    return errors.EXIT_HOST if unfit else errors.EXIT_OK


def _print(findings: list[Finding]) -> None:
    table = Table(box=None, pad_edge=False, show_header=False)
    table.add_column(style="bold", no_wrap=True)
    table.add_column(no_wrap=True)
    table.add_column()
    for finding in findings:
        answer = finding.answer + (f"\n[green]remedy:[/] {finding.remedy}" if finding.remedy else "")
        table.add_row(finding.question, f"[{_STYLES[finding.level]}]{finding.level}[/]", answer)
    Console().print(table)
