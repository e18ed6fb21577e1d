"""A path has all links that a packet passes, in order, and its figures follow from them."""

import pytest

from rankwise.core.network import Link, Topology
from rankwise.core.toml_places import parse
from rankwise.testbeds.description import load
from rankwise.testbeds.description.emulated_kind import describe_emulated
from rankwise.testbeds.local import this_host
from rankwise.testbeds.paths import Path, path, payload_bits_per_second, site_paths


def described(text: str) -> Topology:
    return describe_emulated(parse(text, "t.toml"), "t")


def test_a_path_has_the_links_of_card_uplink_link_and_card() -> None:
    topology = described(
        '[nic]\nrate = "1 Gbit/s"\ndelay = "1 us"\n[site.a]\nuplink = { delay = "2 us", loss = 0.5 }\n[site.b]\n'
        '[[link]]\nbetween = ["a", "b"]\nrate = "10 Mbit/s"\ndelay = "10 us"\njitter = "3 us"\n'
        "loss = 0.5\nburst = 4"
    )
    found = path(topology, "a-1", "b-1")
    assert [link.name for link in found.links] == ["a-1.out", "a.up", "a>b", "b-1.in"]
    assert found.delay_seconds == pytest.approx(14e-6)
    assert found.rate_bits_per_second == 10e6
    assert (found.loss, found.loss_burst, found.jitter_seconds) == (0.75, 4, 3e-6)
    assert found.queue_bytes == found.links[2].queue_bytes
    assert found.sending_seconds(62) == pytest.approx(800 / 10e6 + 2 * 800 / 1e9)


def test_within_a_site_the_way_is_its_switch() -> None:
    found = path(load("cluster"), "cluster-1", "cluster-2")
    assert [link.name for link in found.links] == ["cluster-1.out", "cluster.switch", "cluster-2.in"]


def test_real_hosts_have_no_links() -> None:
    name = this_host().nodes[0].name
    found = path(this_host(), name, name)
    assert found == Path(found.source, found.source, ())
    assert (found.delay_seconds, found.rate_bits_per_second, found.loss, found.queue_bytes) == (0, 0, 0, 0)


def test_a_pair_of_nodes_stands_for_sites_and_for_each_site() -> None:
    assert site_paths(load("grid5000-2007")) == (
        ("rennes-1", "nancy-1"), ("rennes-1", "rennes-2"), ("nancy-1", "nancy-2"),
    )  # fmt: skip
    assert len(site_paths(load("grid5000-2007-sites"))) == 10


def test_both_directions_where_they_are_not_alike() -> None:
    topology = described('[site.a]\n[site.b]\n[[link]]\nbetween = ["a", "b"]\nback = { loss = 0.1 }')
    assert site_paths(topology) == (("a-1", "b-1"), ("b-1", "a-1"))


def test_an_ethernet_frame_costs_tcp_six_per_cent() -> None:
    assert payload_bits_per_second(1e9, 1500) == pytest.approx(941.5e6, rel=1e-3)
    assert Link("x").rate_bits_per_second == payload_bits_per_second(0, 1500) == 0
