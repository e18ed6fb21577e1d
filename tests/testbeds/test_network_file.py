"""The file for the native programs has every number plain and every name as one word."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankwise.core.errors import InputError
from rankwise.core.network import Hardware, Link
from rankwise.testbeds.network_file import network_text
from support.emulated import two_sites


def lines(text: str, first: str) -> list[list[str]]:
    return [line.split() for line in text.splitlines() if line.split()[0] == first]


def test_a_testbed_in_full() -> None:
    topology = two_sites(per_site=1, settings=(("net.ipv4.tcp_rmem", "4096  87380\t4194304"),))
    hardware = Hardware("gige-2006", 1500, 9000, True, True, 1.25)
    text = network_text(replace(topology, hardware=hardware))
    assert dict(line[1:] for line in lines(text, "option")) == {
        "mtu": "1500", "segment_limit": "9000", "served_queues": "1", "acknowledgements_first": "1", "bus": "1.25",
        "realtime": "50", "spin": "100000",
    }  # fmt: skip
    assert ["link", "a-b", "1000000000", "2000000", "1000000", "0", "normal", "0", "1"] in lines(text, "link")
    assert lines(text, "node") == [
        ["node", "a1", "a", "10.77.1.1/16", "a1-out", "a1-in"],
        ["node", "b1", "b", "10.77.2.1/16", "b1-out", "b1-in"],
    ]
    assert lines(text, "setting")[0] == ["setting", "a1", "net.ipv4.tcp_rmem", "4096", "87380", "4194304"]
    assert ["route", "a", "b", "a-b"] in lines(text, "route")


LINKS = st.builds(
    Link, st.just("x"), st.floats(0, 1e13), st.floats(0, 100), st.integers(0, 1 << 40), st.floats(0, 10),
    st.just("exponential"), st.floats(0, 1), st.floats(1, 1e6),
)  # fmt: skip


@given(LINKS)
def test_numbers_are_plain_and_come_back(link: Link) -> None:
    topology = two_sites()
    written = lines(network_text(replace(topology, links=(*topology.links, link))), "link")[-1]
    assert all(word.replace(".", "").isdigit() for word in (*written[2:6], *written[7:]))
    assert float(written[2]) == pytest.approx(link.rate_bits_per_second, abs=1e-9)
    assert float(written[3]) == pytest.approx(link.delay_seconds * 1e9, abs=1)
    assert int(written[4]) == link.queue_bytes
    assert float(written[7]) == pytest.approx(link.loss, abs=1e-9)
    assert float(written[8]) == pytest.approx(link.loss_burst, abs=1e-9)


@pytest.mark.parametrize(("address", "bits"), [("10.77.1.9", "16"), ("10.76.0.1", "15"), ("192.168.0.1", "0")])
def test_addresses_share_one_network(address: str, bits: str) -> None:
    first, second = two_sites(per_site=1).nodes
    text = network_text(replace(two_sites(per_site=1), nodes=(first, replace(second, address=address))))
    assert {line[3].partition("/")[2] for line in lines(text, "node")} == {bits}


@pytest.mark.parametrize("name", ["", "two words", "a#b", "tab\there", "line\nbreak"])
def test_names_that_are_no_word_are_refused(name: str) -> None:
    topology = two_sites()
    with pytest.raises(InputError, match="cannot name a part of a testbed"):
        network_text(replace(topology, links=(replace(topology.links[0], name=name), *topology.links[1:])))


@pytest.mark.parametrize("value", ["", "  ", "1 # 2"])
def test_values_that_are_none_are_refused(value: str) -> None:
    with pytest.raises(InputError, match="is not a valid value of net"):
        network_text(two_sites(settings=(("net.ipv4.tcp_rmem", value),)))
