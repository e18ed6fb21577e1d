"""A described testbed becomes a platform with its delays and rates, its nodes in order and every route."""

import pytest

from rankwise.analysis.predict.nominal import nominal
from rankwise.core.errors import InputError
from rankwise.core.network import Topology
from rankwise.testbeds import description

PAYLOAD = 1448 / 1538


@pytest.mark.parametrize("name", sorted(description.presets()))
def test_every_preset_has_a_platform(name: str) -> None:
    topology = description.load(name)
    platform = nominal(topology)
    assert [node for site in platform.sites for node in site.nodes] == [one.name for one in topology.nodes]
    names = [one.name for one in platform.sites]
    assert {(one.from_site, one.to_site) for one in platform.routes} == {(i, j) for i in names for j in names}
    assert len({one.name for one in platform.classes}) == len(platform.classes)


def test_delays_are_summed_and_rates_are_less_the_headers() -> None:
    platform = nominal(description.load("grid5000-2007"))
    delays = {one.name: one.ranges[0].latency_seconds for one in platform.classes}
    assert delays["wan"] == pytest.approx(5.8e-3)
    assert delays["lan"] == pytest.approx(25e-6)
    assert platform.sites[0].out_bytes_per_second == pytest.approx(125e6 * PAYLOAD)
    assert {one.name for one in platform.links} == {"rennes>nancy", "nancy>rennes"}


def test_what_describes_no_network_is_refused() -> None:
    with pytest.raises(InputError, match="describes no links"):
        nominal(Topology("mine", "ssh"))
