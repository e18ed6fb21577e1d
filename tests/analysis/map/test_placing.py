"""Placements are never dearer than where the ranks were, the cheapest for few; slots and pins are kept."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from rankwise.analysis.map.cost import PACKAGE_DISTANCES, Machine, cost, machine_of
from rankwise.analysis.map.placing import Placed, Problem, place_ranks
from rankwise.core.errors import InputError
from rankwise.core.jobs import Host

TWO_SITES = [Host(f"{site}{number}", 2, site) for site in "ab" for number in range(2)]
UNEVEN = [Host("a0", 3, "a"), Host("b0", 1, "b"), Host("a1", 2, "a"), Host("c0", 5, "c"), Host("idle", 0, "d")]
SECONDS = 5.0


def weights_of(size: int, seed: int, density: float = 0.4) -> csr_array:
    """Random symmetric weights."""
    random = np.random.default_rng(seed)
    some = random.integers(1, 100, (size, size)) * (random.random((size, size)) < density)
    return csr_array(np.triu(some, 1) + np.triu(some, 1).T)


def groups_of(sizes: list[int], seed: int = 1) -> tuple[csr_array, np.ndarray]:
    """Ranks of which those of a group send one another 100 and others 1, and the group of each, shuffled."""
    group = np.random.default_rng(seed).permutation(np.repeat(np.arange(len(sizes)), sizes))
    sent = np.where(group[:, None] == group[None, :], 100, 1)
    np.fill_diagonal(sent, 0)
    return csr_array(sent), group


def problem(weights: csr_array, machine: Machine, pinned: dict[int, int] | None = None) -> Problem:
    """Ranks in blocks."""
    return Problem(weights, machine, machine.node_of[: weights.shape[0]], pinned or {})


def nodes_of(machine: Machine, placed: Placed, ranks: int) -> np.ndarray:
    assert sorted(placed.slots) == list(range(len(machine.node_of))), "a slot has two ranks, or none"
    return machine.node_of[placed.slots[:ranks]]


def test_the_cost_is_bytes_times_distance() -> None:
    machine = machine_of(TWO_SITES)
    sent = np.zeros((4, 4))
    sent[0, 1] = sent[1, 0] = 5  # of one node
    sent[0, 2] = sent[2, 0] = 7  # between sites
    sent[1, 3] = sent[3, 1] = 11  # of one site
    assert cost(csr_array(sent), machine, np.array([0, 1, 4, 2])) == 5 * 1 + 7 * 100 + 11 * 10


@given(seed=st.integers(0, 10_000), ranks=st.integers(1, 11))
def test_no_placement_is_dearer_or_overfills_a_node(seed: int, ranks: int) -> None:
    machine, weights = machine_of(UNEVEN), weights_of(ranks, seed)
    found = place_ranks(problem(weights, machine), SECONDS)
    assert found[0].cost <= min(one.cost for one in found if one.start == "now")
    for one in found:
        nodes = nodes_of(machine, one, ranks)
        counts = dict(zip(machine.names, np.bincount(nodes, minlength=4), strict=True))
        assert all(counts[host.name] <= host.slots for host in UNEVEN if host.slots)
        assert one.cost == pytest.approx(cost(weights, machine, one.slots))


@pytest.mark.parametrize("seed", range(5))
def test_of_few_ranks_the_cheapest_placement_is_found(seed: int) -> None:
    machine, weights = machine_of(TWO_SITES), weights_of(7, seed)
    least = min(
        cost(weights, machine, np.array(slots)) for slots in set(permutations([0, 0, 2, 2, 4, 4, 6, 6], 7))
    )
    assert place_ranks(problem(weights, machine), SECONDS)[0].cost == pytest.approx(least)


def test_uneven_sites_get_the_groups_that_fill_them() -> None:
    machine = machine_of(UNEVEN)
    weights, group = groups_of([5, 1, 5])
    nodes = nodes_of(machine, place_ranks(problem(weights, machine), SECONDS)[0], 11)
    sites = [machine.names[node][0] for node in nodes]
    assert {len({site for site, own in zip(sites, group, strict=True) if own == one}) for one in range(3)} == {1}
    assert sites[list(group).index(1)] == "b"


def test_a_halo_on_many_nodes_is_tiled() -> None:
    """32 x 32 ranks in tiles of 4 x 4 a site and 2 x 2 a node: no placement is cheaper."""
    numbers = np.arange(1024).reshape(32, 32)
    pairs = np.concatenate([
        np.stack([numbers[:, :-1].ravel(), numbers[:, 1:].ravel()], 1),
        np.stack([numbers[:-1].ravel(), numbers[1:].ravel()], 1),
    ])  # fmt: skip
    sent = np.zeros((1024, 1024))
    sent[pairs[:, 0], pairs[:, 1]] = sent[pairs[:, 1], pairs[:, 0]] = 1
    machine = machine_of([Host(f"n{node}", 4, f"s{node // 4}") for node in range(256)])
    assert place_ranks(problem(csr_array(sent), machine), SECONDS)[0].cost == 50944


@given(seed=st.integers(0, 10_000))
def test_pinned_ranks_stay(seed: int) -> None:
    pinned, machine = {0: 3, 5: 0, 6: 3}, machine_of(TWO_SITES)
    found = place_ranks(problem(weights_of(8, seed), machine, pinned), SECONDS)
    for one in found:
        if one.start != "now":
            nodes = nodes_of(machine, one, 8)
            assert {rank: nodes[rank] for rank in pinned} == pinned


def test_a_pinned_rank_draws_its_group() -> None:
    machine = machine_of([Host(f"n{node}", 4, f"s{node // 2}") for node in range(8)])
    weights, group = groups_of([8, 8, 8, 8])
    best = next(one for one in place_ranks(problem(weights, machine, {0: 7}), SECONDS) if one.start != "now")
    nodes = nodes_of(machine, best, 32)
    assert {node // 2 for node in nodes[group == group[0]]} == {3}


def test_neighbours_share_a_package() -> None:
    hosts = [Host("a", 8, "s"), Host("b", 8, "s")]
    weights, group = groups_of([4, 4, 4, 4])
    plain, packages = machine_of(hosts), machine_of(hosts, PACKAGE_DISTANCES, (4, 4))
    best = place_ranks(problem(weights, packages), SECONDS)[0]
    of = packages.groups[0][best.slots]
    assert all(len(set(of[group == one])) == 1 for one in range(4))
    assert {tuple(sorted(packages.core_of[best.slots[group == one]])) for one in range(4)} == {
        (0, 1, 2, 3), (4, 5, 6, 7),
    }  # fmt: skip
    assert cost(weights, packages, best.slots) > cost(weights, plain, best.slots)


def test_what_does_not_fit_is_refused() -> None:
    machine = machine_of(TWO_SITES)
    with pytest.raises(InputError, match="9 ranks do not fit into 8 slots"):
        place_ranks(Problem(weights_of(9, 1), machine, np.zeros(9, dtype=int), {}), SECONDS)
    with pytest.raises(InputError, match="a0 has fewer slots than ranks"):
        place_ranks(Problem(weights_of(3, 1), machine, np.array([0, 0, 0]), {}), SECONDS)
    with pytest.raises(InputError, match="too many ranks are pinned to a0"):
        place_ranks(problem(weights_of(8, 1), machine, {0: 0, 1: 0, 2: 0}), SECONDS)


@pytest.mark.parametrize("factor", [1e-30, 1e15])
def test_units_do_not_matter(factor: float) -> None:
    weights, machine = weights_of(8, 1), machine_of(TWO_SITES)
    plain, scaled = (place_ranks(problem(one, machine), SECONDS)[0] for one in (weights, weights * factor))
    assert scaled.cost == pytest.approx(plain.cost * factor)


def test_ranks_that_send_nothing_are_placed() -> None:
    found = place_ranks(problem(csr_array((5, 5)), machine_of(TWO_SITES)), SECONDS)
    assert [one.cost for one in found] == [0] * len(found)
