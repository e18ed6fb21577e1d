"""Loads account for every byte of every message on each link of its route."""

import pytest

from rankwise.analysis.predict.load import link_loads
from rankwise.simulation.timeline import Passage, Timeline
from support.two_sites import NIC, WAN, two_sites

NODES = ("a1", "a2", "b1", "b2")


def test_all_bytes_are_there() -> None:
    passages = (Passage(0, 2, 5_000_000, 0.0, 0.101), Passage(0, 1, 1_000_000, 0.05, 0.06))
    loads = link_loads(Timeline((), passages), two_sites(), NODES, 0.2, 10)
    moved = dict(zip(loads.links, loads.shares.sum(axis=1) * loads.bin_seconds, strict=True))
    assert moved["ab"] * WAN == pytest.approx(5_000_000)
    assert moved["a1.out"] * NIC == pytest.approx(6_000_000)
    assert set(loads.links) == {"ab", "a1.out", "a2.in", "b1.in"}
    assert loads.links[0] == "ab"


def test_messages_within_a_node_load_nothing() -> None:
    loads = link_loads(Timeline((), (Passage(0, 1, 1000, 0, 1),)), two_sites(), ("a1", "a1"), 1.0, 10)
    assert loads.links == ()
