"""The lines of one rank in a GOAL schedule: operations with labels, and which of them wait for which."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from rankwise.analysis.trace.collectives import Exchange


class Lines:
    """Numbers a rank's operations, and knows what the next one waits for."""

    def __init__(self) -> None:
        self._used = 0
        self._before: tuple[str, ...] = ()

    def operation(self, text: str, after: Iterable[str] | None = None) -> tuple[str, list[str]]:
        """Return the label and the lines of an operation that nothing waits for yet.

        `after`: the labels that it waits for, in place of what was there before.
        """
        self._used += 1
        label = f"l{self._used}"
        before = self._before if after is None else after
        return label, [f"{label}: {text}", *(f"{label} requires {required}" for required in before)]

    def blocking(self, text: str) -> list[str]:
        """Return the lines of an operation that all that comes after waits for."""
        label, lines = self.operation(text)
        self._before = (label,)
        return lines

    def join(self, labels: Iterable[str]) -> list[str]:
        """Return the lines after which all waits for these operations too."""
        self._before = (*self._before, *labels)
        return self.blocking("calc 0") if len(self._before) > 1 else []

    def exchanges(self, exchanged: Iterable[Exchange], members: tuple[int, ...], tag: int) -> Iterator[str]:
        """Yield the lines of exchanges with other members of a communicator, one after another."""
        for sends, receives in exchanged:
            labels = []
            for sending, several in ((False, receives), (True, sends)):
                for other, size_bytes in several:
                    label, lines = self.operation(message(sending, members[other], size_bytes, tag))
                    labels.append(label)
                    yield from lines
            self._before = tuple(labels)
            if len(labels) > 1:
                yield from self.blocking("calc 0")


def message(sends: bool, peer: int, size_bytes: int, tag: int) -> str:
    """Return one side of a message."""
    return f"{'send' if sends else 'recv'} {size_bytes}b {'to' if sends else 'from'} {peer} tag {tag}"
