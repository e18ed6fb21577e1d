"""What wide-area algorithms send over the links between sites and between nodes is what the closed forms say."""

from collections import Counter
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankwise.schedules import generator
from rankwise.schedules.layout import parse_sites
from rankwise.schedules.model import ROOTED, Kind, Network, Problem, Schedule, grouped
from rankwise.schedules.prover import prove
from rankwise.schedules.structures import CProblem
from rankwise.schedules.traffic import LevelTraffic, traffic
from support.closed_forms import Row, rows

M = 1 << 20
LAYOUTS = st.lists(st.lists(st.integers(1, 3), min_size=1, max_size=4), min_size=1, max_size=4)
LARGE = 24 * M


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
    return levels(name, one)[0]


def levels(name: str, one: Problem) -> tuple[LevelTraffic, ...]:
    return traffic(one, generator.schedules(generator.algorithm(one.operation, name), one)).levels


def letters(network: Network, size: int, root: int) -> tuple[dict[str, float], list[int]]:
    """Return what the letters of closed forms stand for, and the ranks of each site."""
    sites, nodes = network.groups
    sizes = [sites.count(site) for site in range(network.sites)]
    found = {"P": len(sites), "C": len(sizes), "N": max(nodes) + 1, "R": sizes[sites[root]], "m": size}
    return found, sizes


@pytest.mark.parametrize("row", rows("crossings"), ids=lambda row: row.id)
@given(data=st.data())
def test_between_and_in_sites(row: Row, data: st.DataObject) -> None:
    """One site hears nothing twice, and of one crossing no message waits for another that has crossed."""
    network = data.draw(LAYOUTS.map(grouped) if row.operation in {"scan", "exscan"} else shuffled())
    size = M if row.condition == "large" else data.draw(st.sampled_from([1, 5, 100_000]))
    root = data.draw(st.integers(0, len(network.groups[0]) - 1)) if row.operation in ROOTED else 0
    between, *within = levels(row.name, problem(row.operation, network, size, root))
    found = (
        between.chain, between.messages, between.elements, sum(one.messages for one in within),
        sum(one.elements for one in within),
    )  # fmt: skip
    values, sizes = letters(network, size, root)
    for cell, quantity in list(zip(row.cells, found, strict=True))[len(sizes) == 1 :]:  # which nothing crosses
        assert cell.holds(quantity, values, sizes), (cell.text, quantity, values, sizes)


@pytest.mark.parametrize("row", rows("bytes between nodes of a site"), ids=lambda row: row.id)
@given(network=shuffled(), size=st.sampled_from([1, 5, 100_000]), data=st.data())
def test_between_and_in_nodes(row: Row, network: Network, size: int, data: st.DataObject) -> None:
    size = M if row.condition == "large" else size
    root = data.draw(st.integers(0, len(network.groups[0]) - 1)) if row.operation in ROOTED else 0
    values, sizes = letters(network, size, root)
    found = levels(row.name, problem(row.operation, network, size, root))
    for cell, level in zip(row.cells, found[1:], strict=True):
        assert cell.holds(level.elements, values, sizes), (cell.text, level, values, sizes)


@pytest.mark.parametrize("operation", generator.OPERATIONS)
def test_the_first_node_leads_its_site(operation: str) -> None:
    """The nodes are numbered from the nearest on, whatever the order of the ranks."""
    network = Network(((0, 0, 0, 0, 1, 1, 1, 1, 2), (1, 1, 0, 0, 4, 3, 3, 2, 5)))
    one = problem(operation, network, 5, root=8)
    made = generator.schedules(generator.algorithm(operation, "one_crossing"), one)
    assert prove(one, made).faults == ()
    sites = network.groups[0]
    across = {
        rank
        for schedule in made
        for step in schedule.steps
        if step.peer >= 0 and sites[step.peer] != sites[schedule.rank]
        for rank in (schedule.rank, step.peer)
    }
    assert across == {2, 7, 8}


@pytest.mark.parametrize("row", rows("the busiest site sends or receives"), ids=lambda row: row.id)
@pytest.mark.parametrize("nodes", [2, 3, 4])
@pytest.mark.parametrize("sites", [2, 3, 4])
def test_lanes_use_every_interface_alike(row: Row, sites: int, nodes: int) -> None:
    if row.condition == "C = 2" and sites != 2:
        return
    network = uniform(sites, nodes, 2)
    one = problem(row.operation, network, LARGE, root=1)
    values, _ = letters(network, LARGE, 1)
    for cell, groups in zip(row.cells, network.groups, strict=True):
        busiest: Counter[tuple[int, str]] = Counter()
        for (source, to), elements in sent(row.name, one, groups).items():
            if source != to:
                busiest += Counter({(source, "out"): elements, (to, "in"): elements})
        assert cell.holds(max(busiest.values()), values), (cell.text, busiest, values)


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


FEW_CHUNKS, TAGS_OF_CHUNK = 5, 3


@pytest.mark.parametrize(
    "operation", ["bcast", "reduce", "allreduce", "reduce_scatter", "gather", "scatter", "allgather", "alltoall"]
)
def test_where_tags_are_few_so_are_chunks(operation: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """An MPI may have only 32767 tags, which many calls share; 16 MiB would be in 274 chunks."""
    made = generator.c_problem

    def with_few(problem: Problem, rank: int, all_counts: bool) -> CProblem:
        few = made(problem, rank, all_counts)
        few.most_chunks = FEW_CHUNKS
        return few

    problem = Problem(operation, 8, 0, 1 << 21, network=parse_sites("2x2x2"), element_bytes=8)
    one = generator.algorithm(operation, "lanes")
    usual = generator.schedules(one, problem)
    monkeypatch.setattr(generator, "c_problem", with_few)
    few = generator.schedules(one, problem)
    assert _tags(usual) > TAGS_OF_CHUNK * FEW_CHUNKS * problem.ranks >= _tags(few)
    assert prove(problem, few).right


def _tags(schedules: Sequence[Schedule]) -> int:
    return 1 + max(step.tag for schedule in schedules for step in schedule.steps)
