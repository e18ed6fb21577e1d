"""All that is printed: answers on standard output, messages and progress on standard error.

What is printed may come from files, logs and stores of others: it is escaped here, and nowhere else.
"""

from __future__ import annotations

import io
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from rich.console import Console, ConsoleOptions, RenderableType
from rich.progress import BarColumn, Progress, TaskID, TextColumn
from rich.segment import Segment
from rich.text import Text

from rankwise.core.escaping import escaped
from rankwise.core.units import format_duration
from rankwise.workflows.events import State


class Terminal(Console):
    """Prints tables and texts; strings are printed as they are: rich would read `[...]` in them as its markup."""

    def __init__(self, **options: Any) -> None:
        super().__init__(highlight=False, markup=False, emoji=False, **options)

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """Yield what is printed: its words escaped; rich's own control codes are no words."""
        for text, style, control in super().render(renderable, options):
            yield Segment(text if control else escaped(text), style, control)


class Output(io.TextIOBase):
    """Standard output as a file: what is written to it is escaped."""

    def write(self, text: str) -> int:
        """Write it."""
        return sys.stdout.write(escaped(text))


def out(text: object, end: str = "\n") -> None:
    """Print a part of the answer on standard output."""
    print(escaped(str(text)), end=end, flush=True)


def err(text: object) -> None:
    """Print a message on standard error."""
    print(escaped(str(text)), file=sys.stderr, flush=True)


class Screen:
    """Where messages and progress go; `quiet` keeps it silent."""

    def __init__(self, *, quiet: bool = False) -> None:
        self._console = Terminal(stderr=True, quiet=quiet)
        self._bar: Progress | None = None
        self._task = TaskID(0)

    def say(self, text: str, *, whole: bool = False) -> None:
        """Print a line that stays; `whole`: it has a path or a command to copy, and must not be wrapped."""
        self._console.print(text, soft_wrap=whole)

    @contextmanager
    def busy(self, text: str) -> Iterator[Callable[[str], None]]:
        """Show a passing line while something takes its time; what is yielded changes its text."""
        if self._console.is_terminal:
            with self._console.status(Text(text)) as status:
                yield lambda text: status.update(Text(text))
        else:
            yield lambda _text: None

    @contextmanager
    def measuring(self) -> Iterator[None]:
        """Within, `show` moves a bar."""
        columns = (
            TextColumn("{task.description:<26.26}", markup=False),
            BarColumn(bar_width=None),
            TextColumn("{task.fields[left]}", markup=False),
        )
        with Progress(
            *columns, console=self._console, transient=True, disable=not self._console.is_terminal
        ) as bar:
            self._bar = bar
            self._task = bar.add_task("starting", total=1.0, left="")
            yield
        self._bar = None

    def show(self, state: State) -> None:
        """Show where the run stands: the bar is full when the time is over or the last cell precise."""
        if self._bar is None:
            return
        done = max(state.elapsed_seconds / state.budget_seconds, 1.0 - state.cells_open / max(state.cells, 1))
        left = format_duration(max(0.0, state.budget_seconds - state.elapsed_seconds))
        self._bar.update(
            self._task, completed=min(done, 1.0), description=state.now,
            left=f"{state.cells - state.cells_open}/{state.cells} precise, at most {left}",
        )  # fmt: skip
