"""What tests/interpose/traced.c calls, and so what a trace of it holds."""

from collections import Counter

import numpy as np

from rankwise.analysis.trace.matrix import communication_matrix
from rankwise.analysis.trace.reading import Trace
from support.traces import calls, rows

NOTHING = -3


def expected(rank: int, ranks: int, iterations: int) -> Counter[str]:
    """The calls of traced.c."""
    found = Counter(
        {
            "region": 2, "MPI_Irecv": 5 * iterations, "MPI_Isend": 5 * iterations,
            "MPI_Waitall": 5 * iterations + 4, "MPI_Allreduce": 6 * iterations + 3, "MPI_Sendrecv": 1,
            "MPI_Recv_init": 1, "MPI_Send_init": 1, "MPI_Startall": 4, "MPI_Request_free": 2, "MPI_Comm_split": 3,
            "MPI_Comm_free": 3, "MPI_Bcast": 1, "MPI_Gather": 1, "MPI_Alltoall": 1, "MPI_Barrier": 1,
        }
    )  # fmt: skip
    if rank == 0:
        found.update({"MPI_Irecv": ranks - 1, "MPI_Test": ranks - 1})
    else:
        found["MPI_Send"] = 1
    return +found


def check(trace: Trace, ranks: int, iterations: int) -> None:
    """All that traced.c does is there, and the messages go where it sends them."""
    assert not trace.problems and [one.rank for one in trace.ranks] == list(range(ranks))
    for one in trace.ranks:
        assert calls(one) == expected(one.rank, ranks, iterations)
        before, after = (one.rank - 1) % ranks, (one.rank + 1) % ranks
        assert set(rows(one, "MPI_Isend")) == {(0, after, 7, 100, 1)}
        assert rows(one, "MPI_Sendrecv") == [(0, after, 9, 8, before, 9, 16, before, 9, 8)]
        assert rows(one, "MPI_Waitall")[0] == (2, 0, before, 7, 100, 1, NOTHING, NOTHING, 0)
        assert set(rows(one, "MPI_Startall")) == {(0, before, 8, 12, 0, 1, 0, after, 8, 12, 1, 0)}
        assert [row[2:] for row in rows(one, "MPI_Bcast")] == [(400, 0) if one.rank == ranks - 1 else (0, 400)]
        assert [row[1:] for row in rows(one, "MPI_Gather")] == [(0, 16, 16) if one.rank == 0 else (0, 16, 0)]
        assert len(set(rows(one, "MPI_Comm_split"))) == 1, "freed and made again: the same"
        (half,) = {row[0] for row in rows(one, "MPI_Comm_free")}
        assert one.communicators[half].members == tuple(range(one.rank % 2, ranks, 2))
        assert (one.entry <= one.exit).all() and (one.exit[:-1] <= one.entry[1:]).all()
    met = sorted(row[2:] for row in rows(trace.ranks[0], "MPI_Test"))
    assert met == [(peer, peer, peer) for peer in range(1, ranks)], "sources, tags and bytes of wildcards"
    expected_messages = np.zeros((ranks, ranks), np.int64)
    for rank in range(ranks):
        expected_messages[rank, (rank + 1) % ranks] += 5 * iterations + 5
        expected_messages[rank, 0] += rank > 0
    assert (communication_matrix(trace).messages == expected_messages).all()
