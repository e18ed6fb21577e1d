"""Host settings are tried only where the measured paths give a reason to, and what is left out is said."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from rankwise.analysis.host_settings import variants
from rankwise.analysis.host_settings.variants import (
    AFTER_IDLE,
    AVAILABLE,
    CONGESTION_CONTROL,
    PACING,
    QUEUE,
    cost_of,
    left_out,
    manual_advice,
    network_variants,
    pause_variants,
    product_size,
)
from rankwise.core.host_settings import MTU
from rankwise.core.network import PathFigures

ANY_MTU, DELTA = 65500, 0.05


def path(delay_seconds: float, rate_bits_per_second: float = 940e6, loss: float = 0.0) -> PathFigures:
    return PathFigures("a", "b", 0.0, delay_seconds, 0.0, 0.0, rate_bits_per_second, 0.0, loss)


NEAR, FAR, LOSSY = path(25e-6), path(5.8e-3), path(25e-6, loss=1e-3)
UNKNOWN = path(math.nan, math.nan, math.nan)
NOW = {CONGESTION_CONTROL: "cubic", AVAILABLE: "reno bbr cubic", AFTER_IDLE: "1", MTU: "1500"}


def test_a_path_that_the_first_packets_fill_has_no_use_for_anything() -> None:
    for paths in ([], [NEAR], [UNKNOWN]):
        assert network_variants(paths, NOW, ANY_MTU, DELTA) == {}
        assert pause_variants(paths, NOW) == {}
        (why,) = left_out(paths, NOW)
        assert "not tried" in why


@pytest.mark.parametrize("path", [FAR, LOSSY])
def test_on_a_long_or_lossy_path_other_controls_and_jumbo_frames_are_tried(path: PathFigures) -> None:
    found = network_variants([NEAR, path], NOW, ANY_MTU, DELTA)
    assert found["congestion-control=bbr"] == ((CONGESTION_CONTROL, "bbr"),)
    assert found["mtu=9000"] == ((MTU, "9000"),)


def test_both_together_are_tried_where_packets_get_lost() -> None:
    both = "congestion-control=bbr mtu=9000"
    assert network_variants([LOSSY], NOW, ANY_MTU, DELTA)[both] == ((CONGESTION_CONTROL, "bbr"), (MTU, "9000"))
    assert both not in network_variants([FAR], NOW, ANY_MTU, DELTA)


def test_loss_that_is_described_counts_though_a_short_look_saw_none() -> None:
    assert variants.loses(replace(NEAR, asked_loss=1e-4))
    assert not variants.loses(NEAR) and not variants.loses(UNKNOWN)


def test_reno_is_tried_only_where_nothing_contains_it() -> None:
    found = network_variants([FAR], NOW | {CONGESTION_CONTROL: "bbr"}, 1500, DELTA)
    assert list(found) == ["congestion-control=reno", "congestion-control=cubic"]


def test_frames_that_a_link_does_not_carry_are_not_tried() -> None:
    assert "mtu=9000" not in network_variants([FAR], NOW, 8999, DELTA)
    assert "mtu=9000" not in network_variants([FAR], NOW | {MTU: "9000"}, ANY_MTU, DELTA)
    assert "mtu=9000" in network_variants([FAR], NOW | {MTU: "1500 9000"}, 9000, DELTA)


def test_headers_alone_are_worth_a_trial_where_their_share_matters() -> None:
    assert list(network_variants([NEAR], NOW, ANY_MTU, 0.02)) == ["mtu=9000"]


def test_pauses_matter_where_the_window_does_and_is_given_up() -> None:
    assert pause_variants([NEAR, FAR], NOW) == {"slow-start-after-idle=0": ((AFTER_IDLE, "0"),)}
    assert pause_variants([LOSSY], NOW) == {}
    assert pause_variants([FAR], NOW | {AFTER_IDLE: "0"}) == {}
    assert pause_variants([FAR], NOW | {CONGESTION_CONTROL: "bbr"}) == {}


def test_pacing_is_tried_with_its_queueing_discipline_and_else_its_lack_is_told() -> None:
    fair = NOW | {QUEUE: "fq", PACING[0]: "200", PACING[1]: "120"}
    assert "pacing=gentler" in network_variants([LOSSY], fair, ANY_MTU, DELTA)
    assert "pacing=gentler" not in network_variants([LOSSY], NOW, ANY_MTU, DELTA)
    assert not any("fq" in why for why in left_out([FAR], fair))
    assert any("fq" in why for why in left_out([FAR], NOW))


def test_a_kernel_that_lacks_everything_is_asked_for_nothing() -> None:
    assert network_variants([FAR, LOSSY], {}, ANY_MTU, DELTA) == {}
    assert pause_variants([FAR], {}) == {}
    assert any("offers no other" in why for why in left_out([FAR], {}))
    assert manual_advice({}) == ""


def test_every_variant_has_its_cost_in_words() -> None:
    variants = network_variants([FAR], NOW, ANY_MTU, DELTA) | pause_variants([FAR], NOW)
    assert all(cost_of(settings) for settings in variants.values())
    assert "8972" in cost_of(variants["mtu=9000"])


def test_what_root_can_do_by_hand() -> None:
    now = NOW | {"net.ipv4.tcp_rmem": "4096 131072 6291456", "net.ipv4.tcp_wmem": "4096 16384 4194304"}
    words = manual_advice(now)
    for part in ("6 MiB and 4 MiB", "16.8 ms at 1 Gbit/s", "sudo sysctl -w net.ipv4.tcp_rmem=", "bbr", AFTER_IDLE):
        assert part in words
    assert AFTER_IDLE not in manual_advice(now | {AFTER_IDLE: "0"})


def test_a_message_that_fills_the_longest_path() -> None:
    assert product_size([NEAR, FAR], 65536, 1 << 30) == 1 << 20  # of 1.36 MB
    assert product_size([NEAR, FAR], 65536, 1 << 18) == 1 << 18
    assert product_size([NEAR, UNKNOWN], 65536, 1 << 20) == 65536


def test_all_that_is_needed_is_read() -> None:
    assert {CONGESTION_CONTROL, AVAILABLE, AFTER_IDLE, QUEUE, MTU, *PACING} <= set(variants.READ_FROM_HOSTS)
