"""The sizes of collectives whose blocks differ between ranks: of each block what its sender's arguments say.

A rank's own arguments do not tell what others send it. The n-th of these collectives on a communicator is the same
call on all of its ranks.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from rankwise.analysis.trace.collectives import Sizes, alike
from rankwise.analysis.trace.exporting import block_bytes
from rankwise.analysis.trace.grammar import Communicator
from rankwise.analysis.trace.operations import Step, operation, varies
from rankwise.analysis.trace.reading import RankTrace, Trace

_OWN, _BLOCKS = 3, 6
"""Where a row has the bytes that are sent, received behind them, and those of single blocks."""


_NONE: npt.NDArray[np.uint32] = np.empty(0, np.uint32)
_Calls = tuple[RankTrace, npt.NDArray[np.uint32]] | None


class Blocks:
    """Finds the sizes of the collectives of a trace."""

    def __init__(self, trace: Trace) -> None:
        by_rank = {rank_trace.rank: (rank_trace, _varying_calls(rank_trace)) for rank_trace in trace.ranks}
        self._calls: dict[Communicator, list[_Calls]] = {}
        for known in {known for _, calls in by_rank.values() for known in calls}:
            ranks = [by_rank.get(rank) for rank in known.members]
            self._calls[known] = [
                (calls_of_rank[0], calls_of_rank[1].get(known, _NONE)) if calls_of_rank else None
                for calls_of_rank in ranks
            ]

    def sizes(self, step: Step) -> Sizes:
        """Return the sizes of a collective of this trace."""
        known, name = step.communicator, operation(step.function)
        members = len(known.members) if known else 1
        calls = self._calls.get(known, []) if known and step.instance >= 0 else []
        if not calls:
            whole = block_bytes(step)
            return Sizes(whole, lambda _, __: whole // members) if name == "reduce_scatter" else alike(whole)

        def row(place: int) -> tuple[int, ...]:
            """Return what that member called; a row of nothing if it did not come so far."""
            calls_of_rank = calls[place]
            if calls_of_rank is None or step.instance >= len(calls_of_rank[1]):
                return (0,) * (_OWN + 2)
            trace, signatures = calls_of_rank
            return trace.signatures[int(signatures[step.instance])]

        return Sizes(max(step.bytes, step.received), _BETWEEN[name](row, members))


def _varying_calls(trace: RankTrace) -> dict[Communicator, npt.NDArray[np.uint32]]:
    """The signatures of a rank's calls of such collectives, in order, by communicator."""
    numbers: dict[Communicator, list[int]] = {}
    for number, row in enumerate(trace.signatures):
        function, kind = trace.functions[row[0]]
        known = trace.communicators.get(row[1]) if len(row) > _OWN + 1 else None
        if kind == "collective" and known is not None and varies(function):
            numbers.setdefault(known, []).append(number)
    return {known: trace.order[np.isin(trace.order, those)] for known, those in numbers.items()}


_Row = Callable[[int], tuple[int, ...]]
_Block = Callable[[int, int], int]


def _own(row: tuple[int, ...], members: int) -> int:
    """The block that a rank sends to all: the mean of what it receives where its own was in place."""
    return row[_BLOCKS] if len(row) > _BLOCKS else row[_OWN] or row[_OWN + 1] // members


def _to_each(row: tuple[int, ...], members: int, destination: int) -> int:
    """The block that a rank sends to one; the mean where single blocks were not recorded."""
    return row[_BLOCKS + destination] if len(row) == _BLOCKS + members else row[_OWN] // members


def _from_source(row: _Row, members: int) -> _Block:
    return lambda source, _: _own(row(source), members)


def _to_destination(row: _Row, _: int) -> _Block:
    return lambda _, destination: row(destination)[_OWN + 1]


def _share(row: _Row, members: int) -> _Block:
    return lambda _, destination: _own(row(destination), members)


def _each(row: _Row, members: int) -> _Block:
    return lambda source, destination: _to_each(row(source), members, destination)


_BETWEEN = {
    "gatherv": _from_source, "allgatherv": _from_source, "scatterv": _to_destination, "reduce_scatter": _share,
    "alltoallv": _each, "alltoallw": _each,
}  # fmt: skip
