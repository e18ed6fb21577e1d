"""Each class of pairs that a testbed has is measured once, with messages that its links carry in good time."""

from dataclasses import replace

from rankwise.testbeds.emulated import EmulatedTestbed
from rankwise.workflows.fit.pairs import SAME_NODE, pairs_of, sites_of
from support.emulated import two_sites


def test_pairs_within_and_across_sites() -> None:
    pairs = pairs_of(EmulatedTestbed(two_sites()))
    assert [(one.name, one.placement) for one in pairs] == [
        ("within a", "hosts=a1+a2"), ("within b", "hosts=b1+b2"), ("a - b", "hosts=a1+b1"),
    ]  # fmt: skip
    assert all(one.largest_bytes == 4 << 20 for one in pairs)
    assert pairs[2].delay_seconds == 2e-3


def test_two_ranks_of_a_node_where_one_has_two_slots() -> None:
    topology = two_sites(per_site=1)
    double = replace(topology, nodes=(topology.nodes[0], replace(topology.nodes[1], cores=2)))
    pairs = pairs_of(EmulatedTestbed(double))
    assert [(one.name, one.hosts) for one in pairs] == [(SAME_NODE, ("b1", "b1")), ("a - b", ("a1", "b1"))]
    assert list(sites_of(EmulatedTestbed(double))) == ["a", "b"]


def test_slow_links_are_not_kept_busy_for_long() -> None:
    topology = two_sites()
    links = tuple(
        replace(one, rate_bits_per_second=50e6) if one.name in ("a-b", "b-a") else one for one in topology.links
    )
    across = pairs_of(EmulatedTestbed(replace(topology, links=links)))[2]
    assert across.largest_bytes == 256 << 10
