"""A study's answer in the terminal, within 80 columns: statements with their verdicts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from rich.console import RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from rankwise.core.records import Notice
from rankwise.studies.base import Page, Statement, StatementVerdict
from rankwise.studies.page import is_measured, summary
from rankwise.studies.page_sections import AIM_WORDS, MARKS

_COLOURS: dict[StatementVerdict, str] = {"holds": "green", "no longer": "yellow", "undecided": "bright_black"}


def lines(title: str, page: Page, notices: Sequence[Notice] = ()) -> list[RenderableType]:
    """Return the title, the statements and aims that were measured, the answer, tables, and kinds of warnings."""
    shown: list[RenderableType] = [
        Text(title, style="bold"),
        Text(),
        *map(_statement, filter(is_measured, page.statements)),
        *(_statement(aim, AIM_WORDS[aim.verdict]) for aim in page.aims if is_measured(aim)),
        Text(summary(page.statements)),
    ]
    if page.tables:
        shown.append(Text(f"Tables on the page: {'; '.join(table.title for table in page.tables)}."))
    if notices:
        kinds = ", ".join(
            f"{kind} ({count})" for kind, count in Counter(notice.kind for notice in notices).items()
        )
        shown.append(Text(f"Warnings about these measurements, listed on the page: {kinds}.", style="yellow"))
    return shown


def _statement(statement: Statement, word: str = "") -> RenderableType:
    grid = Table.grid(padding=(0, 1))
    grid.add_column(width=11, no_wrap=True)
    grid.add_column(overflow="fold")
    verdict = Text(f"{MARKS[statement.verdict]} {word or statement.verdict}", style=_COLOURS[statement.verdict])
    grid.add_row(verdict, Text(f"{statement.claim.text} ({statement.claim.where})"))
    grid.add_row(Text(), Text(statement.measured, style="dim" if statement.verdict == "undecided" else ""))
    return Padding(grid, (0, 0, 1, 0))
