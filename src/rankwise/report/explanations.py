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
    explanations = comparison.explanations
    several = labels.varied((explanation.options, explanation.placement) for explanation in explanations)

    def label(explanation: Explanation) -> str:
        parts = [
            f"{explanation.operation} on {explanation.ranks} ranks",
            *labels.words(explanation.options, explanation.placement, several),
        ]
        return ", ".join(parts)

    ordered = sorted(explanations, key=lambda explanation: comparison.implementations.index(explanation.candidate))
    return tuple(
        ExplanationTable(name, candidate, comparison.baseline, tuple(rows))
        for (name, candidate), rows in groupby(
            ordered, key=lambda explanation: (label(explanation), explanation.candidate)
        )
    )


def algorithm(explanation: Explanation) -> str:
    """Return the schedule's name without the operation's."""
    return explanation.schedule.removeprefix(f"{explanation.operation}.")


def factors(explanation: Explanation) -> tuple[Factor, Factor, Factor]:
    """Return the whole difference, and the parts of algorithm and core."""
    return explanation.total, explanation.algorithm, explanation.core


def explanation_table(comparison: Comparison) -> RenderableType:
    """Return for the terminal how many times the baseline's time each part explains; grey: not shown to differ."""
    return Renderables(*(Padding(_table(table), (0, 0, 1, 0)) for table in explanation_tables(comparison)))


def _table(explained: ExplanationTable) -> RenderableType:
    title = f"{explained.label}: {explained.candidate} over {explained.baseline}"
    table = Table(title=title, title_justify="left", title_style="bold", box=None, pad_edge=False)
    table.add_column("size", justify="right", no_wrap=True)
    for name in COLUMNS:
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("schedule\non both", overflow="fold")
    for row in explained.rows:
        table.add_row(format_size(row.size_bytes), *map(_factor, factors(row)), algorithm(row))
    return table


def _factor(factor: Factor) -> Text:
    text = f"{format_ratio(factor.ratio)} [{format_ratio(factor.low)}, {format_ratio(factor.high)}]"
    return Text(text, "default" if factor.differs else "bright_black")
