"""Which MPI functions the overlay takes over, and what their parameters mean: the one table of them.

Parameters are told apart by their place: LAM/MPI's header does not name them. Nonblocking functions and those for
large counts (`_c`) follow from the blocking one, where a library has them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from rankwise.artifacts.declarations import Function

_GATHER = "send send_count send_type recv recv_count recv_type root comm"
_REDUCE = "send recv count type op comm"


@dataclass(frozen=True, slots=True)
class CollectiveCall:
    """A function that the overlay takes over."""

    function: Function
    operation: str
    """As C's `Operation` calls it."""
    roles: tuple[str, ...]
    """Of the parameters, in order."""

    @property
    def varies(self) -> bool:
        """Whether its blocks may differ in length."""
        return bool({"send_counts", "recv_counts"} & set(self.roles))


CALLS = {
    "Bcast": ("BCAST", "buffer count type root comm"),
    "Reduce": ("REDUCE", "send recv count type op root comm"),
    "Allreduce": ("ALLREDUCE", _REDUCE),
    "Reduce_scatter": ("REDUCE_SCATTER", "send recv recv_counts type op comm"),
    "Reduce_scatter_block": ("REDUCE_SCATTER", _REDUCE),
    "Gather": ("GATHER", _GATHER),
    "Gatherv": ("GATHER", "send send_count send_type recv recv_counts recv_starts recv_type root comm"),
    "Scatter": ("SCATTER", _GATHER),
    "Scatterv": ("SCATTER", "send send_counts send_starts send_type recv recv_count recv_type root comm"),
    "Allgather": ("ALLGATHER", "send send_count send_type recv recv_count recv_type comm"),
    "Allgatherv": ("ALLGATHER", "send send_count send_type recv recv_counts recv_starts recv_type comm"),
    "Alltoall": ("ALLTOALL", "send send_count send_type recv recv_count recv_type comm"),
    "Alltoallv": (
        "ALLTOALL", "send send_counts send_starts send_type recv recv_counts recv_starts recv_type comm",
    ),
    "Barrier": ("BARRIER", "comm"),
    "Scan": ("SCAN", _REDUCE),
    "Exscan": ("EXSCAN", _REDUCE),
}  # fmt: skip

STARTS = ("MPI_Init", "MPI_Init_thread")
"""After these the table is read, and the first communicator is there."""
CREATE_COMMUNICATORS = tuple(
    f"MPI_{name}"
    for name in (
        "Comm_dup", "Comm_dup_with_info", "Comm_create", "Comm_split", "Comm_split_type", "Cart_create",
        "Cart_sub", "Graph_create", "Dist_graph_create", "Dist_graph_create_adjacent", "Intercomm_merge",
    )
)  # fmt: skip
"""All ranks of the new communicator, which is the last parameter, are inside these at once: a nonblocking
operation could not wait for them. Several threads may be in MPI_Comm_create_group, whose communicators get what
they need in their first blocking operation."""


def taken_over(functions: dict[str, Function]) -> Iterator[CollectiveCall]:
    """Yield those of these functions that the overlay takes over."""
    for name, (operation, roles) in CALLS.items():
        nonblocking = f"MPI_I{name.lower()}"
        for variant, more in ((f"MPI_{name}", ""), (nonblocking, " request")):
            for spelled in (variant, f"{variant}_c"):
                if spelled in functions:
                    yield CollectiveCall(functions[spelled], operation, tuple(f"{roles}{more}".split()))
