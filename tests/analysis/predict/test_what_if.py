"""Changes of a platform change what they name and nothing else; unknown names are answered with the known ones."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankwise.analysis.predict.what_if import Change, changed, parse_changes, relieved, value_now
from rankwise.core.errors import InputError
from rankwise.core.platform import Platform
from support.two_sites import NIC, WAN, WAN_DELAY, two_sites


def classes(platform: Platform) -> dict[str, tuple[float, float]]:
    """Delay and time a byte of each."""
    return {
        one.name: (one.ranges[0].latency_seconds, one.ranges[0].gap_seconds_per_byte) for one in platform.classes
    }


def test_texts_are_read() -> None:
    assert parse_changes("wan.rate=10G, a.b.delay=x0.5") == (
        Change("wan", "rate", 1.25e9, text="wan.rate=10G"),
        Change("a.b", "delay", 0.5, True, "a.b.delay=x0.5"),
    )


@pytest.mark.parametrize("text", ["", "wan", "wan.rate", "wan.speed=1", "wan.rate=x", "wan.delay=5", "wan.rate=0"])
def test_other_texts_are_refused_with_a_remedy(text: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_changes(text)
    assert caught.value.remedy


@given(st.text(max_size=30))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        parse_changes(text)
    except InputError as error:
        assert error.remedy


@given(st.floats(1e-6, 10))
def test_a_delay_becomes_what_was_asked_for(delay: float) -> None:
    before = two_sites()
    after = changed(before, Change("wan", "delay", delay))
    assert value_now(after, Change("wan", "delay", 0)) == pytest.approx(delay)
    assert {name: it for name, it in classes(after).items() if name != "wan"} == {
        name: it for name, it in classes(before).items() if name != "wan"
    }
    assert after.links == before.links


def test_a_class_means_its_links_and_a_byte_alone_follows_the_bottleneck() -> None:
    after = changed(two_sites(), Change("wan", "rate", 2 * WAN))
    assert [one.bytes_per_second for one in after.links] == [2 * WAN, 2 * WAN]
    assert classes(after)["wan"][1] == pytest.approx(1 / (2 * WAN))
    beyond = changed(two_sites(), Change("wan", "rate", 100 * WAN))
    assert classes(beyond)["wan"][1] == pytest.approx(1 / NIC)


def test_what_the_hosts_hold_back_stays_as_slow() -> None:
    before = two_sites()
    slow = tuple(
        replace(one, ranges=(replace(one.ranges[0], gap_seconds_per_byte=3 / WAN),)) for one in before.classes
    )
    after = changed(replace(before, classes=slow), Change("wan", "rate", 2 * WAN))
    assert classes(after)["wan"][1] == 3 / WAN


def test_one_node_is_changed_alone_and_keeps_its_place() -> None:
    after = changed(two_sites(), Change("b1", "rate", 0.5, is_factor=True))
    rates = [(node, site.out_bytes_per_second) for site in after.sites for node in site.nodes]
    assert rates == [("a1", NIC), ("a2", NIC), ("b1", NIC / 2), ("b2", NIC)]
    names = [one.name for one in after.sites]
    assert {(one.from_site, one.to_site) for one in after.routes} == {(i, j) for i in names for j in names}


def test_a_class_without_links_means_nics() -> None:
    after = changed(two_sites(), Change("lan", "rate", 1e6))
    assert {one.out_bytes_per_second for one in after.sites} == {1e6}


def test_unknown_names_are_answered_with_the_known_ones() -> None:
    with pytest.raises(InputError) as caught:
        changed(two_sites(), Change("wam", "rate", 1e9))
    assert all(name in caught.value.remedy for name in ("lan", "wan", "ab", "ba", "a", "b"))


def test_a_link_has_no_delay_of_its_own() -> None:
    with pytest.raises(InputError, match="no delay"):
        changed(two_sites(), Change("ab", "delay", 1e-3))


@pytest.mark.parametrize("resource", ["ab", "a1.out", "b2.in"])
def test_relief_leaves_a_message_alone_as_it_was(resource: str) -> None:
    before, after = two_sites(), relieved(two_sites(), resource)
    assert classes(after) == classes(before)
    assert after.sites != before.sites or after.links != before.links


def test_sweeps_see_the_value_as_it_is() -> None:
    assert value_now(two_sites(), Change("wan", "delay", 0)) == WAN_DELAY
    assert value_now(two_sites(), Change("wan", "rate", 0)) == WAN
