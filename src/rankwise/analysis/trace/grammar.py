"""A chapter of a trace: its signatures, its rules, and the order of its calls, which these expand to."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from rankwise.analysis.trace.numbers import Cursor, Damaged, decode
from rankwise.core.limits import MOST_RANKS

MOST_EVENTS = 1 << 28
"""Of a rank: a damaged count must not fill the memory."""
Order = npt.NDArray[np.uint32]


@dataclass(frozen=True, slots=True)
class Communicator:
    """The ranks of MPI_COMM_WORLD that are in a communicator, in its order; -1: from elsewhere."""

    members: tuple[int, ...]
    ordinal: int = 0
    """Among the communicators of the same ranks that lived at the same time."""
    remote: tuple[int, ...] | None = None
    """The other group of an intercommunicator."""

    @property
    def peers(self) -> tuple[int, ...]:
        """Those to which its messages go."""
        return self.members if self.remote is None else self.remote


@dataclass
class Chapter:
    """What definitions and nodes say until everything is numbered anew."""

    signatures: list[tuple[int, ...]] = field(default_factory=list)
    rules: list[list[tuple[int, int]]] = field(default_factory=list)
    nodes: list[tuple[int, int]] = field(default_factory=list)
    _expanded: dict[int, Order] = field(default_factory=dict)
    _lengths: list[int] = field(default_factory=list)

    def define(self, data: bytes, communicators: dict[int, Communicator], regions: dict[int, str]) -> None:
        """Take over definitions. Raises Damaged."""
        cursor = Cursor(data)
        while cursor.more():
            kind = chr(cursor.byte())
            if kind == "S":
                self.signatures.append(tuple(cursor.signed() for _ in range(cursor.count())))
            elif kind == "R":
                self._rule([(cursor.number(), cursor.number()) for _ in range(cursor.count())])
            elif kind == "C":
                number, ordinal, inter = cursor.number(), cursor.number(), cursor.number(1)
                own = _members(cursor)
                communicators[number] = Communicator(own, ordinal, _members(cursor) if inter else None)
            elif kind == "G":
                number = cursor.number()
                regions[number] = cursor.text(cursor.count())
            else:
                raise Damaged(f"definition {kind!r} is missing")

    def _rule(self, items: list[tuple[int, int]]) -> None:
        for symbol, count in items:
            self._check(symbol, count)
        self._lengths.append(sum(self._length(symbol) * count for symbol, count in items))
        if not 0 < self._lengths[-1] <= MOST_EVENTS:
            raise Damaged("a loop is too long")
        self.rules.append(items)

    def _check(self, symbol: int, count: int) -> None:
        known = self.rules if symbol & 1 else self.signatures
        if symbol >> 1 >= len(known) or not count:
            raise Damaged("a loop refers to a missing definition")

    def _length(self, symbol: int) -> int:
        return self._lengths[symbol >> 1] if symbol & 1 else 1

    def add_nodes(self, data: bytes) -> None:
        """Take over nodes. Raises Damaged."""
        numbers = decode(data).tolist()
        if len(numbers) % 2:
            raise Damaged("a node has no count")
        self.extend(list(zip(numbers[::2], numbers[1::2], strict=True)))

    def extend(self, nodes: list[tuple[int, int]]) -> None:
        """Take over nodes, symbol and count. Raises Damaged."""
        for symbol, count in nodes:
            self._check(symbol, count)
        self.nodes += nodes

    def finish_loop(self, levels: tuple[tuple[int, int, int], ...]) -> None:
        """Take over the part of a repetition that a rank had done. Raises Damaged."""
        for rule, index, done in levels:
            if rule >= len(self.rules) or index >= len(self.rules[rule]):
                raise Damaged("it is inside a missing loop")
            items = self.rules[rule]
            self.nodes += items[:index]
            if done:
                self.nodes.append((items[index][0], done))

    def order(self) -> Order:
        """Return the numbers of the signatures of all calls, one after another. Raises Damaged."""
        return self._joined(self.nodes)

    def _joined(self, items: list[tuple[int, int]]) -> Order:
        if sum(self._length(symbol) * count for symbol, count in items) > MOST_EVENTS:
            raise Damaged("there are too many calls")
        parts = [np.tile(self._rule_order(symbol), count) for symbol, count in items]
        return np.concatenate(parts) if parts else np.empty(0, np.uint32)

    def _rule_order(self, symbol: int) -> Order:
        if not symbol & 1:
            return np.array([symbol >> 1], np.uint32)
        order = self._expanded.get(symbol)
        if order is None:
            order = self._expanded[symbol] = self._joined(self.rules[symbol >> 1])
        return order


def _members(cursor: Cursor) -> tuple[int, ...]:
    members, before = [], -1
    for _ in range(cursor.count()):
        before += cursor.signed() + 1
        if not -1 <= before < MOST_RANKS:
            raise Damaged("a communicator has an invalid rank")
        members.append(before)
    return tuple(members)
