"""Which messages a call stands for: those that a rank sends, and those that one-sided calls move either way."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from rankwise.analysis.trace.reading import RankTrace

_SENDS = {"send", "isend", "both"}


@dataclass(frozen=True, slots=True)
class Message:
    """One message between a rank and another one of a communicator."""

    communicator: int
    peer: int
    """Its number in the communicator."""
    bytes: int
    outward: bool = True
    """To the peer, or, in answer to a one-sided call, from it."""


def sent(trace: RankTrace, row: tuple[int, ...]) -> Iterator[Message]:
    """Yield the messages that a call sends to others which receive them."""
    kind = trace.functions[row[0]][1]
    if kind in _SENDS and len(row) > 4 and row[2] >= 0:
        yield Message(row[1], row[2], row[4])
    elif kind == "start":
        for at in range(1, len(row) - 5, 6):
            communicator, peer, _, size, _, receives = row[at : at + 6]
            if not receives and peer >= 0:
                yield Message(communicator, peer, size)


def moved(trace: RankTrace, row: tuple[int, ...]) -> Iterator[Message]:
    """Yield the messages that a call sends, and those that it moves as a one-sided call."""
    yield from sent(trace, row)
    if trace.functions[row[0]][1] == "rma" and len(row) > 5 and row[3] >= 0:
        if row[4] > 0 or row[5] < 0:
            yield Message(row[1], row[3], row[4])
        if row[5] >= 0:
            yield Message(row[1], row[3], row[5], outward=False)


def size_bytes(trace: RankTrace, row: tuple[int, ...]) -> int:
    """Return the bytes of all that a call moves: messages, its part of a collective, what it writes and reads."""
    kind = trace.functions[row[0]][1]
    if kind == "collective":
        return row[3] if len(row) > 3 else 0
    if kind == "file":
        return sum(row[1:])
    return sum(message.bytes for message in moved(trace, row))
