"""Stored runs in the terminal: one line a run, or everything."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from typing import Literal

from rich.console import RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from rankwise.core.records import RunSummary

_LONGEST_TESTBED = 12


def runs_table(runs: Sequence[RunSummary], width: int) -> Table:
    """Return one line a run for a terminal of so many columns: long arguments end with an ellipsis."""
    heads = ("run", "when", "kind", "arguments", "testbed", "MPIs", "launches", "status")
    rows = [
        (
            str(run.id), time.strftime("%m-%d %H:%M", time.localtime(run.created_at)), run.kind, _arguments(run),
            run.testbed, str(len(run.implementations)), str(run.launches), run.status,
        )
        for run in runs
    ]  # fmt: skip
    widths = [max(len(row[at]) for row in (heads, *rows)) for at in range(len(heads))]
    widths[4] = min(widths[4], _LONGEST_TESTBED)
    widths[3] = max(min(widths[3], width - sum(widths) + widths[3] - len(heads) + 1), len("arguments"))
    table = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0))
    for head, its_width in zip(heads, widths, strict=True):
        justify: Literal["left", "right"] = "right" if head in ("run", "MPIs", "launches") else "left"
        table.add_column(head, justify=justify, no_wrap=True, overflow="ellipsis", width=its_width)
    for row in rows:
        table.add_row(*map(Text, row))
    return table


def _arguments(run: RunSummary) -> str:
    """What followed the verb; the kind says which verb it was."""
    parts = run.command_line.removeprefix("rankwise ").split(" ", 1)
    return parts[1] if len(parts) > 1 else ""


def long_runs_parts(runs: Sequence[RunSummary]) -> Iterator[RenderableType]:
    """Yield everything that is known of each run in short, a block of lines a run."""
    for run in runs:
        part = f", part of run {run.parent}" if run.parent else ""
        when = time.strftime("%Y-%m-%d %H:%M", time.localtime(run.created_at))
        ended = f": {run.stopped_because}" if run.stopped_because else ""
        yield Text(f"run {run.id}, {run.kind}{part}, {when}, {run.status}{ended}", "bold")
        yield Padding(Text(run.command_line), (0, 0, 0, 2))
        names = ", ".join(run.implementations) or "no MPI"
        yield Padding(Text(f"{run.launches} launches on {run.testbed}: {names}"), (0, 0, 1, 2))
