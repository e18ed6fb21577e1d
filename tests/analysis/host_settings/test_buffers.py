"""TCP buffers follow from bandwidth and delay of the paths, and are only ever raised."""

from __future__ import annotations

import math

from hypothesis import given
from hypothesis import strategies as st

from rankwise.analysis.host_settings.buffers import (
    READ,
    WRITE,
    bandwidth_delay_bytes,
    buffer_settings,
    needed_bytes,
)
from rankwise.core.network import PathFigures, Settings


def path(delay_seconds: float, rate_bits_per_second: float) -> PathFigures:
    return PathFigures("a", "b", 1.0, delay_seconds, 2.0, 1e12, rate_bits_per_second, 0.0, 0.0)


LAN, WAN = path(25e-6, 940e6), path(5.8e-3, 900e6)
OLD: Settings = ((READ, "4096 87380 131072"), (WRITE, "4096 16384 131072"), ("net.ipv4.tcp_sack", "1"))


def test_product_of_what_was_measured_over_both_ways() -> None:
    assert bandwidth_delay_bytes(WAN) == 900e6 / 8 * 11.6e-3


def test_twice_the_product_up_to_a_power_of_two_and_the_first_two_values_stay() -> None:
    assert buffer_settings([LAN, WAN], OLD) == ((READ, "4096 87380 4194304"), (WRITE, "4096 16384 4194304"))


def test_limits_that_are_large_enough_are_left_alone() -> None:
    assert buffer_settings([LAN, WAN], ((READ, "4096 131072 6291456"), (WRITE, "4096 16384 1048576"))) == (
        (WRITE, "4096 16384 4194304"),
    )
    assert buffer_settings([LAN], OLD) == ()


def test_a_rate_that_the_buffers_held_back_says_nothing_of_the_path() -> None:
    held_back = path(5.8e-3, 66e6)  # 96 KiB a round trip: what a limit of 128 KiB lets through
    assert needed_bytes([LAN, held_back], 131072) == 4 << 20
    assert needed_bytes([LAN, held_back], 16 << 20) == 256 << 10  # with such limits it is the path's own


def test_what_was_not_measured_asks_for_nothing() -> None:
    assert buffer_settings([path(math.nan, 1e9), path(1e-3, math.nan)], OLD) == ()
    assert buffer_settings([], OLD) == ()
    assert buffer_settings([WAN], ()) == ()
    assert buffer_settings([WAN], ((READ, "a b c"),)) == ()


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1e12)), max_size=4), st.integers(4096, 1 << 31))
def test_limits_never_fall_and_hold_the_product(figures: list[tuple[float, float]], limit: int) -> None:
    paths = [path(*one) for one in figures]
    for name, value in buffer_settings(paths, ((READ, f"1 2 {limit}"), (WRITE, f"1 2 {limit}"))):
        assert name in (READ, WRITE)
        first, second, third = map(int, value.split())
        assert (first, second) == (1, 2)
        assert third > limit
        assert third >= min(max(map(bandwidth_delay_bytes, paths)), 1 << 30)
