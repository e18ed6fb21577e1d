"""What MPICH takes by itself is read off its own selection, and is left open where it takes several steps."""

from __future__ import annotations

import pytest

from rankwise.mpi.mpich.defaults import default_algorithm
from rankwise.mpi.mpich.library import Library
from rankwise.mpi.mpich.selection import Tree


def bcast(name: str) -> Tree:
    return {f"algorithm=MPIR_Bcast_intra_{name}": {}}


def composed(letter: str) -> Tree:
    return {f"composition=MPIDI_Bcast_intra_composition_{letter}": {}}


LIBRARY = Library(
    compositions=frozenset(f"MPIDI_Bcast_intra_composition_{letter}" for letter in ("alpha", "gamma")),
    selection={
        "collective=bcast": {
            "comm_type=inter": bcast("between"),
            "comm_type=intra": {
                "comm_size<8": {"avg_msg_size=any": bcast("binomial")},
                "comm_size=pow2": {"avg_msg_size<=100": bcast("few"), "avg_msg_size=any": bcast("many")},
                "comm_size=any": {"avg_msg_size<100": bcast("odd"), "avg_msg_size=any": bcast("ring")},
            },
        },
        "collective=reduce": {
            "is_commutative=yes": {
                "count<pow2": {"algorithm=MPIR_Reduce_intra_binomial": {}},
                "count=any": {"algorithm=MPIR_Reduce_intra_reduce_scatter_gather": {}},
            },
        },
        "collective=allgather": {
            "total_msg_size<800": {"algorithm=MPIR_Allgather_intra_brucks": {}},
            "total_msg_size=any": {"algorithm=MPIR_Allgather_intra_ring": {}},
        },
        "collective=gather": {"moon_phase=full": {"algorithm=MPIR_Gather_intra_binomial": {}}},
    },
    composition={
        "collective=bcast": {"comm_hierarchy=parent": composed("alpha"), "comm_hierarchy=any": composed("gamma")}
    },
)  # fmt: skip


def hosts(ranks: int, shared: int = 1) -> list[str]:
    return [f"node-{rank // shared}" for rank in range(ranks)]


@pytest.mark.parametrize(
    ("operation", "size_bytes", "ranks", "expected"),
    [
        ("bcast", 1000, 4, "binomial"),
        ("bcast", 1000, 8, "binomial"),  # asked when the communicator is made, `<8` holds for 8
        ("bcast", 100, 16, "few"),
        ("bcast", 101, 16, "many"),
        ("bcast", 100, 12, "ring"),  # asked at the call, `<100` does not hold for 100
        ("reduce", 12, 6, "binomial"),  # three floats, fewer than four
        ("reduce", 16, 6, "reduce_scatter_gather"),
        ("allgather", 100, 8, "ring"),  # 800 in all
        ("allgather", 99, 8, "brucks"),
        ("gather", 8, 4, ""),  # an unknown question
        ("alltoall", 8, 4, ""),  # not told
        ("no_such_operation", 8, 4, ""),
    ],
)
def test_a_call_goes_its_way_through_the_tree(operation: str, size_bytes: int, ranks: int, expected: str) -> None:
    assert default_algorithm(LIBRARY, operation, size_bytes, hosts(ranks)) == expected


def test_what_is_done_in_steps_within_hosts_and_between_them_is_no_one_algorithm() -> None:
    assert default_algorithm(LIBRARY, "bcast", 1000, hosts(4, shared=2)) == ""
    assert default_algorithm(LIBRARY, "allgather", 1000, hosts(4, shared=2)) == "ring"
