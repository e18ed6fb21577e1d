"""What synthesis finds is right, never slower by the estimate than any algorithm, and near the known bounds."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankwise.core.errors import InputError
from rankwise.schedules import along_routes, along_trees, cost, generator
from rankwise.schedules.chunk_routes import Routes
from rankwise.schedules.chunk_trees import ChunkTrees, Places, Spread, trees
from rankwise.schedules.cost import CostModel
from rankwise.schedules.fixed import of_schedules
from rankwise.schedules.formats.text import text_of
from rankwise.schedules.generator import RefusedError
from rankwise.schedules.model import ROOTED, Network, Problem, grouped
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
    found = synthesise(Wish(operation, ranks, size, ranks - 1 if operation in ROOTED else 0, network))
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
        (
            one := Problem("reduce_scatter", ranks, 0, 2),
            along_trees.reduce_scatter(one, found(list(range(ranks)) * 2, True)),
        ),
        (one := Problem("scatter", ranks, root, 2), along_routes.scatter_in_bundles(one, found([root])[0])),
        (one := Problem("gather", ranks, root, 2), along_routes.gather_in_bundles(one, found([root], True)[0])),
    ):
        assert prove(problem, made).faults == (), problem


@given(ranks=st.integers(1, 12), data=st.data())
def test_only_what_changed_is_looked_at_again(ranks: int, data: st.DataObject) -> None:
    places = Places(ranks, data.draw(networks(ranks)), CostModel())
    most, far_first = data.draw(st.integers(0, 2)), data.draw(st.booleans())
    roots = data.draw(st.lists(st.integers(0, ranks - 1), min_size=1, max_size=4))
    first_to_end = Spread.first_to_end

    def all_looked_at_again(self: Spread) -> tuple[float, int, int]:
        for site in range(places.sites):
            self.look_again(site)
        return first_to_end(self)

    found = trees(ChunkTrees(places, 1000.0, most, far_first), roots, 9)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Spread, "first_to_end", all_looked_at_again)
        assert trees(ChunkTrees(places, 1000.0, most, far_first), roots, 9) == found


@given(ranks=st.integers(1, 12), data=st.data())
def test_schedules_along_ways_are_right_on_any_network(ranks: int, data: st.DataObject) -> None:
    places = Places(ranks, data.draw(networks(ranks)), CostModel())
    root, count, order = data.draw(st.integers(0, ranks - 1)), data.draw(st.integers(1, 3)), [*range(ranks)]

    def route(backwards: bool = False) -> along_routes.Route:
        return Routes(places, data.draw(st.sampled_from([1.0, 1e6])), data.draw(st.booleans()), backwards).route

    for problem, made in (
        (one := Problem("scatter", ranks, root, count), along_routes.scatter(one, order, route())),
        (one := Problem("gather", ranks, root, count), along_routes.gather(one, order, route(True))),
        (one := Problem("alltoall", ranks, 0, count), along_routes.alltoall(one, route())),
    ):
        assert prove(problem, made).faults == (), problem


@pytest.mark.parametrize("count", [0, 1, 7])
def test_bundles_and_ways_serve_any_count(count: int, tmp_path: Path) -> None:
    """As launches and the overlay read them; ranks of two sites are in turns, so that bundles are packed."""
    places = Places(7, Network(((0, 1, 0, 1, 0, 1, 0), (*range(7),))), CostModel())
    down, up = (ChunkTrees(places, 1e3, 0, True, backwards).tree(2) for backwards in (False, True))
    route = Routes(places, 1e3, relayed=True).route
    scatter, gather, file = Problem("scatter", 7, 2), Problem("gather", 7, 2), tmp_path / "found.txt"
    for problem, made in (
        (scatter, along_routes.scatter_in_bundles(scatter, down)),
        (gather, along_routes.gather_in_bundles(gather, up)),
        (scatter, along_routes.scatter(scatter, range(7), route)),
        (one := Problem("alltoall", 7), along_routes.alltoall(one, route)),
    ):
        file.write_text(text_of(of_schedules(problem, made)))
        asked = replace(problem, count=count)
        assert prove(asked, generator.schedules_of_file(file, asked)).faults == ()


@pytest.mark.parametrize(("operation", "seconds"), [("scatter", 0.2), ("gather", 0.2), ("alltoall", 0.2)])
def test_blocks_take_the_fast_detour_too(operation: str, seconds: float) -> None:
    """A block of 1 MiB between the last site and the first takes 89 ms over the slow link, and there are three."""
    found = synthesise(Wish(operation, 6, 2**20, 5 if operation in ROOTED else 0, UNEVEN))
    assert "relayed" in found.best.name and found.best.seconds < seconds
    for direct in found.tried:
        if direct.name.startswith("routes") and "relayed" not in direct.name:
            assert direct.seconds > 1.2 * found.best.seconds


def test_few_messages_are_long_where_each_costs_much() -> None:
    """A root of 64 ranks that sends a message each is busy 64 times; along a tree as often as there are levels."""
    model = CostModel(overhead_seconds=1e-4)
    for operation in ("scatter", "gather"):
        found = synthesise(Wish(operation, 64, 8), model)
        linear = cost.seconds_of(generator.algorithm(operation, "linear"), found.wish.problem(1), model)
        assert found.best.seconds < linear / 3


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
    with pytest.raises(InputError, match="barrier"):
        synthesise(Wish("barrier", 4, 8))
    with pytest.raises(InputError, match="no bytes"):
        synthesise(Wish("bcast", 4, 0))
