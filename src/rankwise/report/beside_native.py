"""Schedules beside the operation itself, as rows for the terminal and the page."""

from __future__ import annotations

from rich.console import RenderableType
from rich.table import Table

from rankwise.analysis import labels
from rankwise.analysis.compare.beside_native import worth_showing
from rankwise.core.results import BesideNative, Comparison
from rankwise.core.units import format_size
from rankwise.report.views import ends, format_ratio

TITLE = "Schedules beside the operation itself"


def shown(comparison: Comparison) -> list[BesideNative]:
    """Return the rows: schedules of users, and others that are faster than the operation."""
    return worth_showing(comparison.beside_native)


def where(row: BesideNative) -> str:
    """Say on how many ranks, and with which options and placement: `4 ranks, cyclic`."""
    verdict = row.verdict
    return ", ".join([f"{verdict.ranks} ranks", *labels.words(verdict.options, verdict.placement)])


def ratio(row: BesideNative) -> str:
    """Return the schedule's time over the operation's with its interval."""
    verdict = row.verdict
    return f"{format_ratio(verdict.ratio)} {ends(verdict.ratio_low, verdict.ratio_high, format_ratio)}".rstrip()


def beside_native_table(comparison: Comparison) -> RenderableType:
    """Return for the terminal how many times the operation's time each schedule takes, and the verdict."""
    table = Table(title=TITLE, title_justify="left", title_style="bold", box=None, pad_edge=False)
    table.add_column("schedule", overflow="fold")
    table.add_column("over", overflow="fold")
    table.add_column("size", justify="right", no_wrap=True)
    table.add_column("time over\nthe operation's", justify="right", no_wrap=True)
    table.add_column("the schedule is")
    for row in shown(comparison):
        table.add_row(
            f"{row.schedule}, {where(row)}", row.implementation, format_size(row.verdict.size_bytes), ratio(row),
            row.verdict.verdict,
        )  # fmt: skip
    return table
