"""A measured path differs from what was asked for only where chance and known limits cannot explain it."""

import math
from dataclasses import replace

import pytest

from rankwise.core.network import PathFigures, Topology
from rankwise.core.toml_places import parse
from rankwise.testbeds.description import load
from rankwise.testbeds.description.emulated_kind import describe_emulated
from rankwise.testbeds.path_verdicts import complaints, expected_rate_bits_per_second
from rankwise.testbeds.paths import path

WAN = load("grid5000-2007-tuned")
GOOD = PathFigures("rennes-1", "nancy-1", 0.0058, 0.00583, 0.00592, 1e9, 938e6, 0.0, 0.0)


def two_sites(link: str) -> Topology:
    text = f'[nic]\nrate = "1 Gbit/s"\n[site.a]\n[site.b]\n[[link]]\nbetween = ["a", "b"]\n{link}'
    return describe_emulated(parse(text, "t.toml"), "t")


def test_a_path_as_asked_for() -> None:
    assert complaints(WAN, GOOD, 5000) == ()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"delay_seconds": 0.0062}, "delay 6.2 ms instead of 5.8 ms"),
        ({"delay_seconds": 0.0050}, "delay 5 ms instead of 5.8 ms"),
        ({"delay_p99_seconds": 0.009}, "1 % of the packets take 9 ms or more"),
        ({"rate_bits_per_second": 500e6}, "TCP carries 500 Mbit/s, expected were 847.3 Mbit/s to 941.5 Mbit/s"),
        ({"rate_bits_per_second": 999e6}, "TCP carries 999 Mbit/s"),
        ({"loss": 0.01}, "1 % of the packets lost instead of 0 %"),
        ({"delay_seconds": math.nan, "delay_p99_seconds": math.nan}, "no datagram came back"),
        ({"rate_bits_per_second": math.nan}, "nothing came through by TCP"),
    ],
)
def test_what_is_not_as_asked_is_said(change: dict[str, float], words: str) -> None:
    (complaint,) = complaints(WAN, replace(GOOD, **change), 5000)
    assert words in complaint


def test_a_loss_is_judged_by_its_odds() -> None:
    topology = two_sites('loss = "1 %"')
    figures = PathFigures("a-1", "b-1", 0, 20e-6, 30e-6, 0, 1e9, 0.01, 0.0)
    assert complaints(topology, replace(figures, rate_bits_per_second=9e8, loss=0.012), 5000) == ()
    assert complaints(topology, replace(figures, rate_bits_per_second=9e8, loss=0.02), 200) == ()
    assert complaints(topology, replace(figures, rate_bits_per_second=9e8, loss=0.02), 5000)


def test_losses_in_runs_are_fewer_events() -> None:
    figures = PathFigures("a-1", "b-1", 0, 20e-6, 30e-6, 0, 9e8, 0.01, 0.016)
    assert complaints(two_sites('loss = "1 %"'), figures, 5000)
    assert complaints(two_sites('loss = "1 %"\nburst = 20'), figures, 5000) == ()


def test_slow_links_add_the_time_that_sending_takes() -> None:
    topology = two_sites('rate = "1 Mbit/s"\ndelay = "1 ms"')
    figures = PathFigures("a-1", "b-1", 1e-3, 2.15e-3, 2.2e-3, 1e6, 0.93e6, 0.0, 0.0)
    assert complaints(topology, figures, 100) == ()


def expected(name: str) -> tuple[float, float]:
    topology = load(name)
    there, back = path(topology, "rennes-1", "nancy-1"), path(topology, "nancy-1", "rennes-1")
    return expected_rate_bits_per_second(there, back, 1500)


def test_small_buffers_are_expected_to_limit_the_rate() -> None:
    low, high = expected("grid5000-2007-untuned")
    assert high == pytest.approx(131072 * 8 / 0.0116)
    assert 30e6 < low < high / 2
    assert expected("grid5000-2007-tuned") == pytest.approx((0.9 * 941.5e6, 941.5e6), rel=1e-3)


def test_losses_and_short_queues_are_expected_to_cost_rate() -> None:
    def bounds(link: str) -> tuple[float, float]:
        topology = two_sites(link)
        return expected_rate_bits_per_second(path(topology, "a-1", "b-1"), path(topology, "b-1", "a-1"), 1500)

    assert bounds('rate = "1 Gbit/s"\nloss = "0.1 %"')[0] == 0
    full, short = (
        bounds('rate = "1 Gbit/s"\ndelay = "5 ms"')[0],
        bounds('rate = "1 Gbit/s"\ndelay = "5 ms"\nqueue = 250000')[0],
    )
    assert 0 < short < full / 2
    assert expected_rate_bits_per_second(
        path(WAN, "rennes-1", "rennes-1"), path(WAN, "rennes-1", "rennes-1"), 1500
    )


def test_nothing_is_said_of_what_was_not_asked() -> None:
    hosts = replace(WAN, links=(), routes=())
    assert complaints(hosts, replace(GOOD, delay_seconds=1.0, rate_bits_per_second=1.0), 0) == ()
