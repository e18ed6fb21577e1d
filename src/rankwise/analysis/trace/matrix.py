"""Who sent how much to whom: the messages of a trace as matrices over the ranks of MPI_COMM_WORLD."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from rankwise.analysis.trace.reading import Trace
from rankwise.analysis.trace.summary import sent


@dataclass(frozen=True, slots=True, eq=False)
class Matrix:
    """Messages and bytes from each rank (row) to each (column): point to point, not those within collectives."""

    messages: npt.NDArray[np.int64]
    bytes: npt.NDArray[np.int64]


def communication_matrix(trace: Trace) -> Matrix:
    """Return what the ranks sent one another."""
    ranks = max(one.ranks for one in trace.ranks)
    messages, size = np.zeros((ranks, ranks), np.int64), np.zeros((ranks, ranks), np.int64)
    for one in trace.ranks:
        counted = one.keep == "all" or not len(one.statistics)
        calls = np.bincount(one.order, minlength=len(one.signatures)) if counted else one.statistics["calls"]
        for row, count in zip(one.signatures, calls.tolist(), strict=False):
            message = sent(one, row)
            known = one.communicators.get(message[0]) if message else None
            if message and known and message[1] < len(known.peers):
                peer = known.peers[message[1]]
                if 0 <= peer < ranks and one.rank < ranks:
                    messages[one.rank, peer] += count
                    size[one.rank, peer] += count * message[2]
    return Matrix(messages, size)


def matrix_csv(trace: Trace) -> Iterator[str]:
    """Yield the lines of a CSV: from, to, messages, bytes; of pairs that have any."""
    matrix = communication_matrix(trace)
    yield "from,to,messages,bytes"
    for source, destination in np.argwhere(matrix.messages).tolist():
        yield f"{source},{destination},{matrix.messages[source, destination]},{matrix.bytes[source, destination]}"
