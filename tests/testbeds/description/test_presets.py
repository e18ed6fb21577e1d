"""The presets have the figures of their sources, which stand in their comments."""

import pytest

from rankwise.core.network import Topology
from rankwise.testbeds.description import complete_names, load, presets
from rankwise.testbeds.paths import path, payload_bits_per_second

ASKED_FOR = {
    "cluster", "two-clusters", "grid5000-2007", "grid5000-2007-untuned", "grid5000-2007-tuned",
    "gigabit-testbed-1999", "transatlantic",
}  # fmt: skip


def round_trip_ms(topology: Topology, one: str, other: str) -> float:
    """Of an empty packet, between the first node of a site and the last of another, or of the same."""
    first = next(node.name for node in topology.nodes if node.site == one)
    last = [node.name for node in topology.nodes if node.site == other][-1]
    return 1e3 * (path(topology, first, last).delay_seconds + path(topology, last, first).delay_seconds)


def test_the_presets_are_there() -> None:
    assert set(presets()) >= ASKED_FOR
    assert set(complete_names(None, None, "grid5000-2007-")) >= {"grid5000-2007-tuned", "grid5000-2007-untuned"}
    assert complete_names(None, None, "x") == []


@pytest.mark.parametrize("name", sorted(presets()))
def test_a_preset_is_complete(name: str) -> None:
    topology = load(name)
    assert topology.name == name
    assert topology.description
    assert 2 <= len(topology.nodes) <= 32
    assert all(dict(node.settings)["net.ipv4.tcp_congestion_control"] for node in topology.nodes)
    assert all(link.rate_bits_per_second for link in topology.links if not link.name.endswith(".switch"))
    sites = {node.site for node in topology.nodes}
    assert {(one.source, one.destination) for one in topology.routes} == {(a, b) for a in sites for b in sites}


def test_this_host_needs_no_description() -> None:
    here = load("local")
    assert (here.name, here.kind, len(here.nodes)) == ("local", "local", 1)


@pytest.mark.parametrize("variant", ["", "-tuned", "-untuned"])
def test_rennes_and_nancy(variant: str) -> None:
    topology = load(f"grid5000-2007{variant}")
    assert topology.sites == ("rennes", "nancy")
    assert [node.name for node in topology.nodes] == ["rennes-1", "rennes-2", "nancy-1", "nancy-2"]
    assert round_trip_ms(topology, "rennes", "nancy") == pytest.approx(11.6)
    inside_ms = round_trip_ms(topology, "rennes", "rennes") / 2
    assert 0.020 <= inside_ms <= 0.041, "RR-6200, table 4: 41 us with what TCP costs the hosts"


def test_the_buffers_of_the_variants() -> None:
    largest = {}
    for variant in ("tuned", "untuned"):
        settings = dict(load(f"grid5000-2007-{variant}").nodes[0].settings)
        largest[variant] = [int(settings[f"net.ipv4.tcp_{way}mem"].split()[2]) for way in "rw"]
    assert largest == {"tuned": [4 << 20, 4 << 20], "untuned": [174760, 131072]}


def test_published_pairs_of_five_sites() -> None:
    topology = load("grid5000-2007-sites")
    published = {("rennes", "nancy"): 11.6, ("rennes", "sophia"): 19, ("toulouse", "lille"): 18.2}
    for (one, other), milliseconds in published.items():
        assert round_trip_ms(topology, one, other) == pytest.approx(milliseconds)
    pairs = [(a, b) for a in topology.sites for b in topology.sites if a != b]
    assert all(5 <= round_trip_ms(topology, a, b) <= 21 for a, b in pairs)


def test_the_gigabit_testbed_reaches_the_papers_theoretical_figures() -> None:
    topology = load("gigabit-testbed-1999")
    mtu_bytes = topology.hardware.mtu_bytes
    megabytes_per_second = {
        link.name: payload_bits_per_second(link.rate_bits_per_second, mtu_bytes) / 8e6 for link in topology.links
    }
    assert megabytes_per_second["ultra60.out"] == pytest.approx(67.3, abs=0.3)
    assert megabytes_per_second["sp2.in"] == pytest.approx(16.8, abs=0.1)
    assert round_trip_ms(topology, "juelich", "augustin") == pytest.approx(1.8)


def test_the_ocean() -> None:
    topology = load("transatlantic")
    assert round_trip_ms(topology, "europe", "america") == pytest.approx(90)
    assert {link.loss for link in topology.links if ">" in link.name} == {0.0001}
