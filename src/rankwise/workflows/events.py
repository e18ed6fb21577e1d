"""Progress of workflows as events: a caller shows them, logs them, or ignores them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Protocol

from rankwise.core.records import Notice
from rankwise.measurement.runner import State

__all__ = ["Events", "Silent", "State", "warn"]


class Events(Protocol):
    """What a workflow tells while it works; nothing of it is the answer."""

    def say(self, text: str, *, whole: bool = False) -> None:
        """Take a message for the user; `whole`: it has a path or a command to copy, and must not be wrapped."""
        ...

    def busy(self, text: str) -> AbstractContextManager[Callable[[str], None]]:
        """Enter something that takes its time; the callable that is yielded changes its text."""
        ...

    def measuring(self) -> AbstractContextManager[None]:
        """Enter a measurement, within which `show` is called."""
        ...

    def show(self, state: State) -> None:
        """Take the state of a measurement."""
        ...


class Silent:
    """`Silent` takes all events and does nothing: the default of the Python API."""

    def say(self, text: str, *, whole: bool = False) -> None:
        """Ignore the message."""

    @contextmanager
    def busy(self, text: str) -> Iterator[Callable[[str], None]]:
        """Ignore the text."""
        yield lambda _text: None

    @contextmanager
    def measuring(self) -> Iterator[None]:
        """Ignore the measurement."""
        yield

    def show(self, state: State) -> None:
        """Ignore the state."""


def warn(events: Events, *notices: Notice | str) -> None:
    """Print warnings, each with its remedy, in a line that is not wrapped."""
    for notice in notices:
        events.say(f"warning: {notice}", whole=True)
