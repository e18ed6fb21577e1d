"""The table of measured paths beside what was asked for."""

from __future__ import annotations

from collections.abc import Sequence

from rich.table import Table
from rich.text import Text

from rankwise.core.network import PathFigures
from rankwise.core.units import format_rate, format_share, format_time
from rankwise.testbeds.check import PathCheck


def path_table(checks: Sequence[PathCheck], *, judged: bool) -> Table:
    """Return two lines a path, asked for and measured, with a verdict if `judged`."""
    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 1, 0, 0))
    table.add_column("path", overflow="fold")
    table.add_column("", style="dim", no_wrap=True)
    for title in ("delay", "99 %", "rate", "loss"):
        table.add_column(title, justify="right", no_wrap=True)
    table.add_column("")
    for check in checks:
        table.add_row(*_row(check.figures, _verdict(check) if judged else Text()))
    return table


def _row(figures: PathFigures, verdict: Text) -> tuple[Text | str, ...]:
    asked_rate = format_rate(figures.asked_rate_bits_per_second)
    return (
        Text(f"{figures.source} - {figures.destination}"),
        "asked\nmeasured",
        f"{format_time(figures.asked_delay_seconds)}\n{format_time(figures.delay_seconds)}",
        f"\n{format_time(figures.delay_p99_seconds)}",
        f"{asked_rate}\n{format_rate(figures.rate_bits_per_second)}",
        f"{format_share(figures.asked_loss)}\n{format_share(figures.loss)}",
        verdict,
    )


def _verdict(check: PathCheck) -> Text:
    return Text("\nfailed", style="bold red") if check.complaints else Text("\npassed", style="green")
