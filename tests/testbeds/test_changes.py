"""A network that differs from the one tuned for is told, and the same one under another name is not."""

from dataclasses import replace

from rankwise.testbeds.changes import changes
from rankwise.testbeds.description import load
from support.emulated import RENO, two_sites


def test_the_same_network_is_the_same_whatever_its_name() -> None:
    assert changes(two_sites(), two_sites("other")) == ()
    assert changes(None, None) == ()


def test_delays_and_settings_that_differ() -> None:
    found = changes(two_sites(), two_sites(delay_seconds=0.01, settings=(("net.ipv4.tcp_rmem", "1 2 3"), *RENO)))
    assert found == (
        "the delay from a to b was 2 ms, and is 10 ms",
        "net.ipv4.tcp_rmem was left alone, and is 1 2 3",
    )


def test_rates_queues_and_loss_that_differ() -> None:
    then = two_sites()
    links = tuple(
        replace(link, rate_bits_per_second=1e8, queue_bytes=64_000, loss=0.01)
        if link.name in ("a-b", "b-a")
        else link
        for link in then.links
    )
    found = " | ".join(changes(then, replace(then, links=links)))
    assert "the rate from a to b was 1 Gbit/s, and is 100 Mbit/s" in found
    assert "the queue from a to b" in found
    assert "the loss from a to b was 0 %, and is 1 %" in found


def test_a_few_percent_are_no_difference() -> None:
    assert changes(two_sites(delay_seconds=0.01), two_sites(delay_seconds=0.0101)) == ()


def test_sites_of_other_names_are_compared_by_the_longest_path() -> None:
    found = " | ".join(changes(two_sites(), load("two-clusters")))
    assert "the delay on the longest path was" in found


def test_this_host_alone_is_another_network() -> None:
    assert changes(two_sites(), None) == ("it was tuned on testbed duo, and this is this host alone",)
    assert changes(None, two_sites()) == ("it was tuned on this host alone, and this is testbed duo",)


def test_other_numbers_of_nodes() -> None:
    assert changes(two_sites(), two_sites(per_site=3)) == ("there were 4 nodes, and are 6",)
