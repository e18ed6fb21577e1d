"""Differences parted into algorithm and core, as rows for the terminal and the page."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby

from rich.console import Group as Renderables
from rich.console import RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from rankwise.analysis import labels
from rankwise.core.results import Comparison, Explanation, Factor
from rankwise.core.units import format_size
from rankwise.report.views import format_ratio

COLUMNS = ("whole", "algorithm", "point-to-point\nlayer")


@dataclass(frozen=True, slots=True)
class ExplanationTable:
    """What sets one candidate apart from the baseline in one operation; `rows` ascend by size."""

    label: str
    candidate: str
    baseline: str
    rows: tuple[Explanation, ...]


def explanation_tables(comparison: Comparison) -> tuple[ExplanationTable, ...]:
    """Return a table for each operation and candidate, in the order of the comparison."""
    found = comparison.explanations
    several = labels.varied((one.options, one.placement) for one in found)

    def label(one: Explanation) -> str:
        words = [f"{one.operation} on {one.ranks} ranks", *labels.words(one.options, one.placement, several)]
        return ", ".join(words)

    ordered = sorted(found, key=lambda one: comparison.implementations.index(one.candidate))
    return tuple(
        ExplanationTable(name, candidate, comparison.baseline, tuple(rows))
        for (name, candidate), rows in groupby(ordered, key=lambda one: (label(one), one.candidate))
    )


def algorithm(one: Explanation) -> str:
    """Return the schedule's name without the operation's."""
    return one.schedule.removeprefix(f"{one.operation}.")


def factors(one: Explanation) -> tuple[Factor, Factor, Factor]:
    """Return the whole difference, and the parts of algorithm and core."""
    return one.total, one.algorithm, one.core


def explanation_table(comparison: Comparison) -> RenderableType:
    """Return for the terminal how many times the baseline's time each part explains; grey: not shown to differ."""
    return Renderables(*(Padding(_table(one), (0, 0, 1, 0)) for one in explanation_tables(comparison)))


def _table(found: ExplanationTable) -> RenderableType:
    title = f"{found.label}: {found.candidate} over {found.baseline}"
    table = Table(title=title, title_justify="left", title_style="bold", box=None, pad_edge=False)
    table.add_column("size", justify="right", no_wrap=True)
    for name in COLUMNS:
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("schedule\non both", overflow="fold")
    for one in found.rows:
        table.add_row(format_size(one.size_bytes), *map(_factor, factors(one)), algorithm(one))
    return table


def _factor(one: Factor) -> Text:
    words = f"{format_ratio(one.ratio)} [{format_ratio(one.low)}, {format_ratio(one.high)}]"
    return Text(words, "default" if one.differs else "bright_black")
