"""Progress on standard error, and only on a terminal: what runs now, how far it is, the time left."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn

from rankwise.core.units import format_duration
from rankwise.workflows.events import State


class Screen:
    """Where messages and progress go; `quiet` keeps it silent."""

    def __init__(self, *, quiet: bool = False) -> None:
        self._console = Console(stderr=True, quiet=quiet)
        self._bar: Progress | None = None
        self._task = TaskID(0)

    def say(self, text: str, *, whole: bool = False) -> None:
        """Print a line that stays; `whole`: it has a path or a command to copy, and must not be wrapped."""
        self._console.print(text, highlight=False, markup=False, soft_wrap=whole)

    @contextmanager
    def busy(self, text: str) -> Iterator[Callable[[str], None]]:
        """Show a passing line while something takes its time; what is yielded changes its text."""
        if self._console.is_terminal:
            with self._console.status(text) as status:
                yield status.update
        else:
            yield lambda _text: None

    @contextmanager
    def measuring(self) -> Iterator[None]:
        """Within, `show` moves a bar."""
        columns = (
            TextColumn("{task.description:<26.26}"),
            BarColumn(bar_width=None),
            TextColumn("{task.fields[left]}"),
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
