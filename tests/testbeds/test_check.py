"""`testbed check` measures each path and judges only what the description says of it."""

import math
import os
import time
from dataclasses import replace

import pytest

from rankwise.core.errors import HostError
from rankwise.core.network import Node, Topology
from rankwise.core.toml_places import parse
from rankwise.testbeds.base import make
from rankwise.testbeds.check import check_paths, checks
from rankwise.testbeds.description import load
from rankwise.testbeds.description.emulated_kind import describe_emulated
from rankwise.testbeds.local import LocalTestbed
from support.emulated import needs_emulation

LOSSY = """
[nic]
rate = "1 Gbit/s"
[tcp]
congestion_control = "reno"
[site.a]
[site.b]
[[link]]
between = ["a", "b"]
rate = "50 Mbit/s"
delay = "10 ms"
loss = "2 %"
back = { loss = 0 }
"""


def twice_here(name: str) -> Topology:
    """Two hosts that are both this one."""
    nodes = tuple(Node(f"{name}-{number}", "here", address="127.0.0.1") for number in (1, 2))
    return Topology("twice", "local", ("here",), nodes)


def test_hosts_whose_network_is_not_described_are_measured_and_not_judged() -> None:
    topology = twice_here("host")
    (found,) = checks(LocalTestbed(topology), topology)
    figures = found.figures
    assert found.complaints == ()
    assert (figures.source, figures.destination) == ("host-1", "host-2")
    assert 0 < figures.delay_seconds <= figures.delay_p99_seconds < 0.1
    assert figures.rate_bits_per_second > 100e6
    assert figures.loss < 0.01
    assert math.isnan(figures.asked_delay_seconds)
    assert math.isnan(figures.asked_loss)


def test_a_host_that_is_not_there() -> None:
    topology = twice_here("host")
    away = replace(topology.nodes[1], address="no-such-host.invalid")
    topology = replace(topology, nodes=(topology.nodes[0], away))
    with pytest.raises(HostError, match=r"from host-1 to host-2: .*cannot find the host") as caught:
        check_paths(LocalTestbed(topology), topology)
    assert caught.value.remedy


@needs_emulation
@pytest.mark.nightly
def test_an_emulated_path_is_measured_as_it_was_asked_for() -> None:
    topology = describe_emulated(parse(LOSSY, "t.toml"), f"check-{os.getpid()}")
    with make(topology) as testbed:
        there, back = check_paths(testbed, topology)
    assert (there.source, there.destination, back.source) == ("a-1", "b-1", "b-1")
    for one in (there, back):
        assert one.asked_delay_seconds == pytest.approx(10e-3)
        assert 10e-3 < one.delay_seconds < 50e-3
        assert one.asked_rate_bits_per_second == 50e6
    assert there.asked_loss == pytest.approx(0.02)
    assert 0.01 < there.loss < 0.03
    assert back.loss == back.asked_loss == 0
    assert 15e6 < back.rate_bits_per_second < 47.1e6
    assert there.rate_bits_per_second < back.rate_bits_per_second


@needs_emulation
def test_a_quick_look_takes_a_second_a_path_and_judges_nothing() -> None:
    topology = replace(load("grid5000-2007"), name=f"quick-{os.getpid()}")
    with make(topology) as testbed:
        begun = time.monotonic()
        found = list(checks(testbed, topology, quick=True))
        took = time.monotonic() - begun
    assert took < 10, "3 s on a host with nothing else to do"
    assert [one.figures.source for one in found] == ["rennes-1", "rennes-1", "nancy-1"]
    assert 5.8e-3 < found[0].figures.delay_seconds < 50e-3
    assert all(math.isnan(one.figures.loss) and one.complaints == () for one in found)


@needs_emulation
def test_a_node_that_nothing_leads_to() -> None:
    topology = replace(load("two-clusters"), name=f"away-{os.getpid()}")
    away = replace(topology.nodes[2], address="10.77.9.9")
    with (
        make(topology) as testbed,
        pytest.raises(HostError, match="cannot measure the path from north-1 to south-1"),
    ):
        check_paths(testbed, replace(topology, nodes=(topology.nodes[0], away)), quick=True)
