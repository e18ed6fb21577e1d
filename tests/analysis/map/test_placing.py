"""Placements are never dearer than where the ranks were, a swap gains what it says, and pinned ranks stay."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from rankwise.analysis.map.cost import Machine, cost, machine_of
from rankwise.analysis.map.placing import Problem, place_ranks
from rankwise.analysis.map.refine import Swapping
from rankwise.analysis.map.shared_map import cut
from rankwise.core.errors import InputError
from rankwise.core.jobs import Host

TWO_SITES = [Host(f"{site}{number}", 2, site) for site in "ab" for number in range(2)]


def weights_of(size: int, seed: int, density: float = 0.4) -> csr_array:
    """Random symmetric weights."""
    random = np.random.default_rng(seed)
    some = random.integers(1, 100, (size, size)) * (random.random((size, size)) < density)
    return csr_array(np.triu(some, 1) + np.triu(some, 1).T)


def problem(weights: csr_array, machine: Machine, pinned: dict[int, int] | None = None) -> Problem:
    """Ranks in blocks."""
    blocks = np.repeat(np.arange(len(machine.slots)), machine.slots)[: weights.shape[0]]
    return Problem(weights, machine, blocks, pinned or {})


def test_the_cost_is_bytes_times_distance() -> None:
    machine = machine_of(TWO_SITES)
    sent = np.zeros((3, 3))
    sent[0, 1] = sent[1, 0] = 5  # of one node
    sent[0, 2] = sent[2, 0] = 7  # between sites
    assert cost(csr_array(sent), machine, np.array([0, 0, 2])) == 5 * 1 + 7 * 100


@given(seed=st.integers(0, 10_000), rank=st.integers(0, 7))
def test_a_swap_makes_it_cheaper_by_the_best_that_there_is(seed: int, rank: int) -> None:
    machine, weights = machine_of(TWO_SITES), weights_of(8, seed)
    nodes = np.random.default_rng(seed).permutation(np.repeat(np.arange(4), 2))
    before = cost(weights, machine, nodes)
    possible = []
    for other in range(8):
        swapped = nodes.copy()
        swapped[[rank, other]] = swapped[[other, rank]]
        possible.append(cost(weights, machine, swapped))
    swapping = Swapping(weights, machine, nodes, np.ones(8, dtype=bool))
    assert swapping.improve(rank) == (min(possible) < before)
    assert cost(weights, machine, swapping.nodes) == pytest.approx(min(*possible, before))


@given(seed=st.integers(0, 10_000), ranks=st.integers(1, 8))
def test_no_placement_is_dearer_or_overfills_a_node(seed: int, ranks: int) -> None:
    machine, weights = machine_of([*TWO_SITES[:3], Host("b1", 3, "b")]), weights_of(ranks, seed)
    found = place_ranks(problem(weights, machine), 5)
    assert found[0].cost <= min(one.cost for one in found if one.start == "now")
    for one in found:
        assert one.cost == pytest.approx(cost(weights, machine, one.nodes))
        assert np.all(np.bincount(one.nodes, minlength=4) <= machine.slots)


def test_pairs_that_talk_come_together() -> None:
    """Eight ranks, of which i talks to i + 4 alone: block puts each pair into different sites."""
    sent = np.zeros((8, 8))
    for rank in range(4):
        sent[rank, rank + 4] = sent[rank + 4, rank] = 100
    best = place_ranks(problem(csr_array(sent), machine_of(TWO_SITES)), 5)[0]
    assert best.cost == 4 * 100
    assert all(best.nodes[rank] == best.nodes[rank + 4] for rank in range(4))


@given(seed=st.integers(0, 10_000))
def test_pinned_ranks_stay(seed: int) -> None:
    pinned = {0: 3, 5: 0, 6: 3}
    found = place_ranks(problem(weights_of(8, seed), machine_of(TWO_SITES), pinned), 5)
    for one in found:
        if one.start != "now":
            assert {rank: one.nodes[rank] for rank in pinned} == pinned


def test_what_does_not_fit_is_refused() -> None:
    with pytest.raises(InputError, match="9 ranks do not fit into 8 slots"):
        place_ranks(problem(weights_of(9, 1), machine_of(TWO_SITES)), 1)
    with pytest.raises(InputError, match="too many ranks are pinned"):
        place_ranks(problem(weights_of(8, 1), machine_of(TWO_SITES), {0: 0, 1: 0, 2: 0}), 1)


def test_the_partitioner_keeps_to_the_slots_and_finds_neighbours() -> None:
    ring = np.zeros((64, 64))
    for rank in range(64):
        ring[rank, (rank + 1) % 64] = ring[(rank + 1) % 64, rank] = 1e12  # sums that 32 bits do not hold
    shuffled = np.random.default_rng(1).permutation(64)
    weights = csr_array(ring[np.ix_(shuffled, shuffled)])
    places = cut(weights, [(4, 1.0), (8, 10.0), (2, 100.0)], 60)
    assert places is not None
    assert sorted(places) == list(range(64))
    machine = machine_of([Host(f"{site}{number}", 4, site) for site in "ab" for number in range(8)])
    assert cost(weights, machine, places // 4) <= 1.3 * 1e12 * (48 * 1 + 14 * 10 + 2 * 100)


def test_a_partitioner_that_takes_too_long_is_left_out() -> None:
    assert cut(weights_of(64, 1), [(4, 1.0), (16, 10.0)], 0.001) is None
