"""What synthesis finds is right, never slower by the estimate than any algorithm, and near the known bounds."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankwise.core.errors import InputError
from rankwise.schedules import along_trees, cost, generator
from rankwise.schedules.chunk_trees import ChunkTrees, Places, trees
from rankwise.schedules.cost import CostModel
from rankwise.schedules.generator import RefusedError
from rankwise.schedules.model import Network, Problem, grouped
from rankwise.schedules.prover import prove
from rankwise.schedules.synthesis import OPERATIONS, Wish, synthesise
from support.schedule_problems import networks

_MBIT = 0.9415e6 / 8
UNEVEN = Network(
    ((0, 0, 0, 1, 1, 2), (0, 1, 2, 3, 4, 5)),
    ((0, 5e-3, 25e-3), (5e-3, 0, 20e-3), (25e-3, 20e-3, 0)),
    tuple(tuple(rate * _MBIT for rate in row) for row in ((0, 1000, 100), (1000, 0, 200), (100, 200, 0))),
    1000 * _MBIT,
)
"""Three sites of 3, 2 and 1 nodes; the direct way from the first to the last is the slowest."""
NETWORKS = {"flat": (8, None), "2x4x2": (16, grouped([[2] * 4] * 2)), "uneven": (6, UNEVEN)}


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("name", NETWORKS)
@pytest.mark.parametrize("size", [8, 65536])
def test_it_is_right_and_never_slower_than_an_algorithm(operation: str, name: str, size: int) -> None:
    ranks, network = NETWORKS[name]
    found = synthesise(Wish(operation, ranks, size, ranks - 1 if operation in {"bcast", "reduce"} else 0, network))
    assert prove(found.problem, found.schedules).faults == ()
    assert found.best == min(found.tried, key=lambda one: one.seconds)
    assert cost.seconds(found.problem, found.schedules) == pytest.approx(found.best.seconds)
    for one in generator.algorithms(operation):
        try:
            whole = Problem(operation, ranks, found.wish.root, size, element_bytes=1, network=network)
            assert found.best.seconds <= cost.seconds_of(one, whole) * 1.001, one.id
        except RefusedError:
            continue


@given(ranks=st.integers(1, 12), data=st.data())
def test_schedules_along_trees_are_right_on_any_network(ranks: int, data: st.DataObject) -> None:
    """Whether or not they are the best."""
    network = data.draw(networks(ranks))
    places = Places(ranks, network, CostModel())
    most, far_first = data.draw(st.integers(0, 2)), data.draw(st.booleans())

    def found(roots: list[int], backwards: bool = False) -> list[along_trees.Tree]:
        return trees(ChunkTrees(places, 1000.0, most, far_first, backwards), roots, 2)

    root, chunks = data.draw(st.integers(0, ranks - 1)), data.draw(st.integers(1, 11))
    roots = data.draw(st.lists(st.integers(0, ranks - 1), min_size=chunks, max_size=chunks))
    for problem, made in (
        (one := Problem("bcast", ranks, root, chunks), along_trees.bcast(one, found([root] * chunks))),
        (one := Problem("reduce", ranks, root, chunks), along_trees.reduce(one, found([root] * chunks, True))),
        (
            one := Problem("allreduce", ranks, 0, chunks),
            along_trees.allreduce(one, found(roots, True), found(roots)),
        ),
        (one := Problem("allgather", ranks, 0, 2), along_trees.allgather(one, found(list(range(ranks)) * 2))),
    ):
        assert prove(problem, made).faults == (), problem


@given(ranks=st.integers(1, 40), data=st.data())
def test_each_site_and_node_is_entered_once(ranks: int, data: st.DataObject) -> None:
    network = data.draw(networks(ranks))
    places = Places(ranks, network, CostModel())
    tree = ChunkTrees(places, 1e5, data.draw(st.integers(0, 2)), data.draw(st.booleans())).tree(ranks // 2)
    entered = [
        (places.node_of[rank], places.node_of[parent])
        for rank, parent in enumerate(tree.parent)
        if parent >= 0 and places.node_of[rank] != places.node_of[parent]
    ]
    assert len({node for node, _ in entered}) == len(entered) == len(places.members) - 1
    crossed = [places.site[a] for a, b in entered if places.site[a] != places.site[b]]
    assert len(set(crossed)) == len(crossed) == len(set(places.site)) - 1


def test_large_messages_take_the_fast_detour() -> None:
    """A star takes 114 ms, the best tree, by way of the second site, 69.7 ms, both ways together 54.8 ms."""
    for operation in ("bcast", "reduce"):
        assert synthesise(Wish(operation, 6, 2**20, 0, UNEVEN)).best.seconds < 69.7e-3


def test_chunks_keep_an_interface_busy() -> None:
    """The least that a broadcast can take is the message once through the root's interface; a tenth is left."""
    found = synthesise(Wish("bcast", 8, 2**20)).best
    assert (
        2**20 / CostModel().node_bytes_per_second < found.seconds < 1.1 * 2**20 / CostModel().node_bytes_per_second
    )


def test_what_cannot_be_synthesised_is_said() -> None:
    with pytest.raises(InputError, match="alltoall"):
        synthesise(Wish("alltoall", 4, 8))
    with pytest.raises(InputError, match="no bytes"):
        synthesise(Wish("bcast", 4, 0))
