"""What wide-area algorithms send over the links between sites and between nodes is what the closed forms say."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankwise.schedules import generator
from rankwise.schedules.model import Kind, Network, Problem, grouped
from rankwise.schedules.traffic import LevelTraffic, traffic

M = 1 << 20
LAYOUTS = st.lists(st.lists(st.integers(1, 4), min_size=1, max_size=6), min_size=1, max_size=5)
OPERATIONS = (
    "allgather", "allreduce", "alltoall", "barrier", "bcast", "gather", "reduce", "reduce_scatter", "scatter",
)  # fmt: skip


@st.composite
def shuffled(draw: st.DrawFn) -> Network:
    """Sites of any nodes of any ranks, whose ranks are in any order."""
    network = grouped(draw(LAYOUTS))
    order = draw(st.permutations(range(len(network.groups[0]))))
    return Network(tuple(tuple(groups[rank] for rank in order) for groups in network.groups))


def uniform(sites: int, nodes: int, ranks: int) -> Network:
    return grouped([[ranks] * nodes] * sites)


def problem(operation: str, network: Network, count: int, root: int = 0, lanes: int = 0) -> Problem:
    return Problem(operation, len(network.groups[0]), root, count, lanes=lanes, element_bytes=1, network=network)


def links(name: str, one: Problem) -> Counter[tuple[int, int]]:
    """Elements from one site to another, and within each."""
    assert one.network is not None
    sites = one.network.groups[0]
    return sent(name, one, sites)


def sent(name: str, one: Problem, group: tuple[int, ...]) -> Counter[tuple[int, int]]:
    found: Counter[tuple[int, int]] = Counter()
    for schedule in generator.schedules(generator.algorithm(one.operation, name), one):
        for step in schedule.steps:
            if step.kind is Kind.SEND:
                found[group[schedule.rank], group[step.peer]] += step.length
    return found


def wan(name: str, one: Problem) -> LevelTraffic:
    schedules = generator.schedules(generator.algorithm(one.operation, name), one)
    return traffic(one, schedules).levels[0]


def least_messages(operation: str, sites: int) -> int:
    return sites - 1 if operation in {"bcast", "reduce", "gather", "scatter"} else sites * (sites - 1)


def least_elements(operation: str, sizes: list[int], home: int, count: int) -> int:
    """Of all links together: each block, or sum of a site, goes to each site that needs it once."""
    others, ranks = len(sizes) - 1, sum(sizes)
    return (
        count
        * {
            "barrier": 0,
            "bcast": others,
            "reduce": others,
            "allreduce": others * (others + 1),
            "gather": ranks - sizes[home],
            "scatter": ranks - sizes[home],
            "allgather": others * ranks,
            "reduce_scatter": others * ranks,
            "alltoall": ranks**2 - sum(size**2 for size in sizes),
        }[operation]
    )


@pytest.mark.parametrize("operation", OPERATIONS)
@given(network=shuffled(), data=st.data())
def test_one_crossing(operation: str, network: Network, data: st.DataObject) -> None:
    """MagPIe: no message waits for another that has crossed, and no site hears a thing twice."""
    sizes = [network.groups[0].count(site) for site in range(network.sites)]
    root = (
        data.draw(st.integers(0, sum(sizes) - 1)) if operation in {"bcast", "reduce", "gather", "scatter"} else 0
    )
    found = wan("one_crossing", problem(operation, network, 3, root))
    assert found.messages == least_messages(operation, len(sizes))
    assert found.chain == min(1, len(sizes) - 1)
    assert found.elements == least_elements(operation, sizes, network.groups[0][root], 3)


@pytest.mark.parametrize("operation", ["scan", "exscan"])
@given(layout=LAYOUTS)
def test_scans_cross_once(operation: str, layout: list[list[int]]) -> None:
    found = wan("one_crossing", problem(operation, grouped(layout), 3))
    assert found.messages == len(layout) * (len(layout) - 1) // 2
    assert found.chain == min(1, len(layout) - 1)


@pytest.mark.parametrize("operation", ["allgather", "reduce_scatter", "gather", "scatter", "alltoall"])
@given(network=shuffled(), count=st.sampled_from([1, 5, 100_000]))
def test_lanes_of_blocks(operation: str, network: Network, count: int) -> None:
    """Each block, or sum, crosses into a site once, however it is divided."""
    sizes = [network.groups[0].count(site) for site in range(network.sites)]
    found = wan("lanes", problem(operation, network, count))
    assert found.elements == least_elements(operation, sizes, network.groups[0][0], count)
    assert found.chain <= 1 or count == 100_000


@pytest.mark.parametrize("nodes", [2, 3, 4])
@pytest.mark.parametrize("sites", [2, 3, 4])
def test_large_allreduce_uses_every_interface_alike(sites: int, nodes: int) -> None:
    """2 m (N - 1) / N from each of two sites' nodes; 2 m (C - 1) / C from each site."""
    one = problem("allreduce", uniform(sites, nodes, 2), 24 * M)
    assert one.network is not None
    out: Counter[int] = Counter()
    for (source, to), elements in links("lanes", one).items():
        out[source] += elements * (source != to)
    for elements in out.values():
        assert elements == pytest.approx(2 * 24 * M * (sites - 1) / sites, rel=0.03)
    if sites == 2:
        interfaces: Counter[int] = Counter()
        for (node, to), elements in sent("lanes", one, one.network.groups[1]).items():
            interfaces[node] += elements * (node != to)
        for elements in interfaces.values():
            assert elements == pytest.approx(2 * 24 * M * (2 * nodes - 1) / (2 * nodes), rel=0.03)


@pytest.mark.parametrize("operation", ["bcast", "reduce"])
@pytest.mark.parametrize("nodes", [2, 3, 4])
@pytest.mark.parametrize("sites", [1, 2, 3, 4])
def test_the_root_carries_large_data_once(sites: int, nodes: int, operation: str) -> None:
    """Neither its interface nor its site's links carry anything twice."""
    one = problem(operation, uniform(sites, nodes, 2), 24 * M, root=1)
    assert one.network is not None
    from_node, from_site = Counter[int](), Counter[int]()
    for level, total in ((1, from_node), (0, from_site)):
        for (source, to), elements in sent("lanes", one, one.network.groups[level]).items():
            total[source if operation == "bcast" else to] += elements * (source != to)
    assert from_node[0] == 24 * M
    assert from_site[0] == 24 * M * (sites > 1)
    assert max(from_node.values()) <= 1.03 * 24 * M


@pytest.mark.parametrize("lanes", [1, 2, 3, 4])
@pytest.mark.parametrize("operation", ["bcast", "reduce", "allreduce"])
def test_as_many_lanes_as_are_asked_for(operation: str, lanes: int) -> None:
    """Pairs of ranks between which data go from one site to the other: 4 of 6 nodes beside the root's."""
    network = uniform(2, 6, 1)
    found = sent("lanes", problem(operation, network, 16 * M, lanes=lanes), tuple(range(12)))
    crossing = {pair for pair in found if network.groups[0][pair[0]] < network.groups[0][pair[1]]}
    back = {pair for pair in found if network.groups[0][pair[0]] > network.groups[0][pair[1]]}
    assert max(len(crossing), len(back)) == lanes


def three_sites(order: tuple[int, ...]) -> Network:
    """3, 2 and 1 nodes; a-b 5 ms 1 Gbit/s, b-c 20 ms 200 Mbit/s, a-c 25 ms 100 Mbit/s."""
    sites = tuple((0, 0, 0, 1, 1, 2)[place] for place in order)
    delays = ((0.0, 5e-3, 25e-3), (5e-3, 0.0, 20e-3), (25e-3, 20e-3, 0.0))
    rates = ((0.0, 125e6, 12.5e6), (125e6, 0.0, 25e6), (12.5e6, 25e6, 0.0))
    return Network((sites, tuple(order)), delays, rates, 125e6)


@given(order=st.permutations(range(6)))
def test_trees_relay_where_it_is_faster(order: list[int]) -> None:
    """Large data go from a to c by way of b, two chunks of three; small data go the shortest way."""
    network = three_sites(tuple(order))
    root = order.index(0)
    large = links("trees", problem("bcast", network, 12 * M, root))
    assert large[0, 1] == 12 * M
    assert large[0, 2] + large[1, 2] == 12 * M
    assert large[1, 2] == pytest.approx(8 * M, rel=0.05)
    small = problem("bcast", network, 8, root)
    assert wan("trees", small).messages == 2
    assert sum(links("trees", problem("allreduce", network, 8))[pair] for pair in ((0, 1), (1, 0))) == 16


@given(order=st.permutations(range(6)))
def test_sums_meet_in_the_middle(order: list[int]) -> None:
    """An allreduce goes up to b and down again, whatever the ranks' order."""
    large = links("trees", problem("allreduce", three_sites(tuple(order)), M))
    for site in (0, 2):
        assert large[site, 1] == large[1, site]
        assert large[site, 1] > 0
