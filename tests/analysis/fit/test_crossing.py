"""What sites share is found from flows that cross together, and is said to be unknown where nothing tells it."""

from dataclasses import replace

import numpy as np
import pytest

from rankwise.analysis.fit.crossing import shared_links, sharing_model, uplinks, weight
from rankwise.analysis.fit.crossing_patterns import Crossing, Fan
from rankwise.analysis.fit.crossing_platform import restricted, with_links, with_model, with_uplinks, with_weight
from rankwise.analysis.fit.sharing_data import Observed
from rankwise.analysis.fit.simulated import simulated
from rankwise.analysis.predict.what_if import Change, changed
from rankwise.core.errors import HostError, InputError
from rankwise.core.flows import Pattern
from rankwise.core.platform import (
    ContentionModel,
    CostRange,
    PairClass,
    Platform,
    PlatformLink,
    PlatformSite,
    Route,
)  # fmt: skip

NIC, WAN, DELAY = 12.5e6, 20e6, 5e-3
SHAPE = Crossing(4, 4 << 20)


def sites(names: str, links: dict[tuple[str, str], tuple[str, ...]], rates: dict[str, float]) -> Platform:
    """Sites of four nodes; messages of one site cost alike, and those between sites."""
    costs = CostRange(latency_seconds=1e-4, gap_seconds_per_byte=1 / NIC)
    far = replace(costs, latency_seconds=DELAY)
    return Platform(
        tuple(PlatformSite(one, tuple(f"{one}{i}" for i in range(1, 5)), NIC, NIC) for one in names),
        tuple(
            Route(one, two, "lan" if one == two else "far", links.get((one, two), ()))
            for one in names for two in names
        ),
        (PairClass("lan", (costs,)), PairClass("far", (far,))), "lan",
        tuple(PlatformLink(name, rate) for name, rate in rates.items()),
        not_identified={"links": "not measured"},
    )  # fmt: skip


def seen(
    true: Platform, patterns: tuple[Pattern, ...], model: str = "alpha-fair"
) -> dict[Pattern, Observed]:  # fmt: skip
    """What three launches would have seen, with noise of 0.5 %."""
    generator = np.random.default_rng(1)
    return {
        pattern: Observed(pattern, times * np.exp(0.005 * generator.standard_normal((3, len(times)))))
        for pattern, times in zip(patterns, simulated(true, model, patterns), strict=True)
    }


def unknown(true: Platform) -> Platform:
    """The same without anything of what is shared."""
    return replace(true, links=(), routes=tuple(replace(one, links=()) for one in true.routes))


def test_a_link_of_each_direction_is_found_and_a_what_if_changes_it() -> None:
    true = sites("ab", {("a", "b"): ("x",), ("b", "a"): ("y",)}, {"x": WAN, "y": 1.5 * WAN})
    found = with_links(unknown(true), ("a", "b"), shared_links(SHAPE, seen(true, SHAPE.patterns)))
    rates = {one.name: one.bytes_per_second for one in found.links}
    assert rates == {"a to b": pytest.approx(WAN, rel=0.03), "b to a": pytest.approx(1.5 * WAN, rel=0.03)}
    assert found.intervals["links.a to b.bytes_per_second"].low < rates["a to b"]
    assert "links" not in found.not_identified
    (before,), (after,) = (
        simulated(one, "alpha-fair", [SHAPE.there(4)])
        for one in (found, changed(found, Change("wan", "rate", 2, is_factor=True)))
    )
    assert before.max() == pytest.approx(4 * SHAPE.size_bytes / WAN, rel=0.05)
    assert after.max() == pytest.approx(before.max() / 2, rel=0.05)


def test_one_capacity_of_both_directions() -> None:
    true = sites("ab", {("a", "b"): ("x",), ("b", "a"): ("x",)}, {"x": WAN})
    found = with_links(unknown(true), ("a", "b"), shared_links(SHAPE, seen(true, SHAPE.patterns)))
    assert [one.name for one in found.links] == ["a - b both ways"]
    assert found.links[0].bytes_per_second == pytest.approx(WAN, rel=0.03)
    assert {one.links for one in found.routes if one.from_site != one.to_site} == {("a - b both ways",)}


def test_directions_that_disturb_one_another_have_a_capacity_each() -> None:
    """Together they get more than one capacity would give as many flows of one way, and less than both have."""
    true = sites("ab", {("a", "b"): ("x",), ("b", "a"): ("y",)}, {"x": WAN, "y": WAN})
    known = seen(true, SHAPE.patterns)
    known[SHAPE.both_ways] = Observed(SHAPE.both_ways, 1.4 * known[SHAPE.both_ways].launches)
    found = with_links(unknown(true), ("a", "b"), shared_links(SHAPE, known))
    assert {one.name: one.bytes_per_second for one in found.links} == {
        "a to b": pytest.approx(WAN, rel=0.03), "b to a": pytest.approx(WAN, rel=0.03),
    }  # fmt: skip


@pytest.mark.parametrize(
    "true_model", [ContentionModel("queues", window_bytes=150e3), ContentionModel("alpha-fair")]
)
def test_flows_against_many_tell_whether_acknowledgements_wait(true_model: ContentionModel) -> None:
    """With any window: one flow against three gets as little as one of these, or all that its link has."""
    links = {("a", "b"): ("x",), ("b", "a"): ("y",)}
    true = replace(sites("ab", links, {"x": WAN / 4, "y": WAN / 4}), models=(true_model,))
    known = seen(true, SHAPE.patterns, true_model.name)
    found = sharing_model(SHAPE, known, true, simulated)
    assert found.name == true_model.name
    told = replace(true, models=(ContentionModel(),), not_identified={"models": "it takes six nodes"})
    platform = with_model(told, found)
    assert platform.models[0] == found
    assert {one.name for one in platform.models} == {found.name, "alpha-fair"}
    assert ("models.queues.window_bytes" in platform.not_identified) == (found.name == "queues")


def test_what_is_wide_enough_for_all_is_not_identified() -> None:
    true = sites("ab", {}, {})
    found = with_links(unknown(true), ("a", "b"), shared_links(SHAPE, seen(true, SHAPE.patterns)))
    assert not found.links
    assert "Mbit/s at least" in found.not_identified["links.a to b"]
    with pytest.raises(InputError, match="does not describe links that sites share"):
        changed(found, Change("wan", "rate", 1e6))


def test_a_uplink_takes_the_place_of_links_as_fast() -> None:
    ways: dict[tuple[str, str], tuple[str, ...]]
    ways = {(one, two): (f"out {one}", f"into {two}") for one in "abc" for two in "abc" if one != two}
    rates = {f"{way} {one}": WAN if one == "a" else 1e9 for way in ("out", "into") for one in "abc"}
    true = sites("abc", ways, rates)
    found = unknown(true)
    for other in "bc":
        names = [f"{site}{i}" for site in ("a", other) for i in range(1, 5)]
        here = restricted(true, names)
        found = with_links(found, ("a", other), shared_links(SHAPE, seen(here, SHAPE.patterns)))
    fan, others = Fan(4, 4 << 20), ("b", "c", "b", "c")
    flows = fan.patterns(others)
    # Ranks are a1-a4, b1, c1, b2, c2; the simulator takes nodes site by site.
    order = [0, 1, 2, 3, 4, 8, 5, 9]
    moved = {
        pattern: tuple(replace(one, source=order[one.source], target=order[one.target]) for one in pattern)
        for pattern in flows
    }
    known = seen(true, tuple(moved.values()))
    found = with_uplinks(found, "a", *uplinks(fan, others, {one: known[moved[one]] for one in flows}))
    assert {one.name: one.bytes_per_second for one in found.links} == {
        "out of a": pytest.approx(WAN, rel=0.03), "into a": pytest.approx(WAN, rel=0.03),
    }  # fmt: skip
    assert "uplink" in found.not_identified["links.a to b"]
    assert next(one for one in found.routes if (one.from_site, one.to_site) == ("a", "b")).links == ("out of a",)


@pytest.mark.parametrize("true_weight", [0.3, 1.0])
def test_weights_of_far_flows_beside_near_ones(true_weight: float) -> None:
    true = sites("ab", {}, {})
    true = replace(true, classes=(true.classes[0], replace(true.classes[1], weight=true_weight)))
    known = seen(true, SHAPE.patterns)
    found = weight(SHAPE, known, unknown(sites("ab", {}, {})), "far", simulated)
    assert not isinstance(found, str)
    assert found.value == pytest.approx(true_weight, rel=0.1)
    assert found.interval.low < true_weight < found.interval.high
    assert with_weight(true, "far", found).classes[1].weight == found.value


def test_a_weight_is_unknown_where_the_link_holds_flows_back() -> None:
    true = sites("ab", {("a", "b"): ("x",), ("b", "a"): ("x",)}, {"x": NIC / 20})
    slow = replace(true.classes[1], ranges=(CostRange(latency_seconds=DELAY, gap_seconds_per_byte=20 / NIC),))
    true = replace(true, classes=(true.classes[0], slow))
    found = weight(SHAPE, seen(true, SHAPE.patterns), true, "far", simulated)
    assert isinstance(found, str)
    assert "something else holds them back" in found
    assert with_weight(true, "far", found).not_identified["classes.far.weight"] == found


def test_patterns_that_are_missing_are_refused() -> None:
    with pytest.raises(HostError, match="not all patterns"):
        shared_links(SHAPE, {one: Observed(one, np.ones((1, len(one)))) for one in SHAPE.alone})
