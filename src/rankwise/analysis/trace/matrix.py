"""Who sent how much to whom: the messages of a trace as matrices over the ranks of MPI_COMM_WORLD."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from rankwise.analysis.trace.messages import moved
from rankwise.analysis.trace.reading import RankTrace, Trace
from rankwise.analysis.trace.uses import Uses
from rankwise.core.errors import InputError

MOST_RANKS = 1 << 14
"""Of a matrix; it has their square."""


@dataclass(frozen=True, slots=True, eq=False)
class Matrix:
    """Messages and bytes from each rank (row) to each (column), without those within collectives."""

    messages: npt.NDArray[np.int64]
    bytes: npt.NDArray[np.int64]


def communication_matrix(trace: Trace) -> Matrix:
    """Return what the ranks sent one another. Raises InputError for more ranks than a matrix can have."""
    ranks = max(of_rank.ranks for of_rank in trace.ranks)
    if ranks > MOST_RANKS:
        raise InputError(f"a matrix of {ranks} ranks is too large", f"at most {MOST_RANKS} ranks")
    messages, size = np.zeros((ranks, ranks), np.int64), np.zeros((ranks, ranks), np.int64)
    for rank_trace in trace.ranks:
        for use in Uses(rank_trace):
            for message in moved(rank_trace, use.row):
                known = rank_trace.communicators.get(message.communicator)
                peer = known.peers[message.peer] if known and message.peer < len(known.peers) else -1
                if 0 <= peer < ranks and rank_trace.rank < ranks:
                    way = (rank_trace.rank, peer) if message.outward else (peer, rank_trace.rank)
                    messages[way] += use.rows
                    size[way] += use.rows * message.bytes
    return Matrix(messages, size)


def takes(trace: RankTrace, row: tuple[int, ...]) -> bool:
    """Return whether a call is in the matrix, or has nothing that could be: what waits or receives."""
    kind = trace.functions[row[0]][1]
    if kind in {"rma", "send", "isend", "both", "start"}:
        return len(row) > 1 and (kind != "rma" or row[1] in trace.communicators)
    return kind not in {"collective", "file", "other"}


def matrix_csv(trace: Trace) -> Iterator[str]:
    """Yield the lines of a CSV: from, to, messages, bytes; of pairs that have any."""
    matrix = communication_matrix(trace)
    yield "from,to,messages,bytes"
    for source, destination in np.argwhere(matrix.messages).tolist():
        yield f"{source},{destination},{matrix.messages[source, destination]},{matrix.bytes[source, destination]}"
