"""`rankwise doctor`: is this machine fit to measure on, what is missing, and which command gets it?"""

from __future__ import annotations

from pathlib import Path

import click
from rich.table import Table
from rich.text import Text

from rankwise.cli.answer import print_answer
from rankwise.cli.options import SIZE, Ranks, json_option, store_option
from rankwise.cli.testbed_options import where_options
from rankwise.core import errors
from rankwise.workflows import doctor, testbeds
from rankwise.workflows.doctor import Finding

_STYLES = {"ok": "green", "note": "yellow", "bad": "bold red"}


SECTION = "MPIs and hosts"


@click.command(
    name="doctor",
    short_help="Check whether this host is fit to measure on.",
    epilog="\b\nExamples:\n  rankwise doctor\n  rankwise doctor -n 8 --largest 16M\n"
    "  rankwise doctor --testbed two-clusters\n  rankwise doctor --json",
)
@click.option("-n", "ranks", type=Ranks(), help="Number of ranks that you intend to use.  [default: all cores]")
@click.option(
    "--largest",
    type=SIZE,
    default="4M",
    show_default=True,
    help="Size of the largest message that you intend to send.",
)
@where_options
@store_option
@json_option
def command(
    ranks: int | None, largest: int, testbed: str, hostfile: Path | None, store: Path, as_json: bool
) -> int:
    """Check whether this machine is fit to measure on, and the hosts of a testbed. Exit code 3 if it is not."""
    where = testbeds.testbed_of(testbed, hostfile) if testbed or hostfile else None
    findings = doctor.examine(ranks, largest, store, where)
    print_answer(findings, [_table(findings)], as_json=as_json)
    unfit = any(finding.level == "bad" for finding in findings)
    return errors.EXIT_HOST if unfit else errors.EXIT_OK


def _table(findings: list[Finding]) -> Table:
    table = Table(box=None, pad_edge=False, show_header=False)
    table.add_column(style="bold", no_wrap=True)
    table.add_column(no_wrap=True)
    table.add_column()
    for finding in findings:
        answer = Text(finding.answer)
        if finding.remedy:
            answer.append("\nremedy:", "green").append(f" {finding.remedy}")
        table.add_row(finding.question, Text(finding.level, _STYLES[finding.level]), answer)
    return table
