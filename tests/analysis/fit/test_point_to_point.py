"""The fit finds the parameters that made-up measurements were made with, and names what these do not tell."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankwise.analysis.fit.curves import Curve, Curves
from rankwise.analysis.fit.point_to_point import (
    ALL_EAGER,
    eager_limit,
    fit_class,
    named_after,
    predicted_seconds,
)
from rankwise.core.platform import CostRange, PairClass
from rankwise.core.records import FloatArray

SIZES = np.array([1 << k for k in range(21)], dtype=np.float64)
MESSAGES = 8


def made_up(pairs: PairClass, noise: float = 0.0, launches: int = 10, seed: int = 0) -> Curves:
    """What would be measured of such a class, with log-normal noise in each launch."""
    generator = np.random.default_rng(seed)

    def curve(seconds: FloatArray) -> Curve:
        return Curve(SIZES, seconds * np.exp(noise * generator.standard_normal((launches, SIZES.size))))

    costs = [next(r for r in pairs.ranges if r.up_to_bytes is None or s <= r.up_to_bytes) for s in SIZES]

    def each(name: str) -> FloatArray:
        return np.array([getattr(one, name) for one in costs])

    one_way = predicted_seconds(pairs, SIZES)
    back = predicted_seconds(pairs, np.zeros(1))[0]
    gap = each("gap_seconds") + each("gap_seconds_per_byte") * SIZES
    sending = each("send_overhead_seconds") + each("send_overhead_seconds_per_byte") * SIZES
    receiving = each("receive_overhead_seconds") + each("receive_overhead_seconds_per_byte") * SIZES
    eager = pairs.eager_below_bytes > SIZES
    return Curves(
        curve(one_way), curve(one_way + back), curve(one_way + back + (MESSAGES - 1) * gap), curve(sending),
        curve(np.where(eager, receiving, 2 * one_way)), curve(np.where(eager, sending, 1e-3 + 2 * one_way)),
        MESSAGES, launches,
    )  # fmt: skip


@st.composite
def classes(draw: st.DrawFn) -> PairClass:
    """Classes as networks have them: eager up to 64 KiB, with a larger o_s beyond 1 KiB, then rendezvous."""
    latency = draw(st.floats(5e-6, 5e-3))
    byte = draw(st.floats(1e-10, 1e-7))
    share = st.floats(0.02, 0.3)
    o_s, o_r, g = (latency * draw(share) for _ in range(3))
    o_s_byte = byte * draw(share)
    small = CostRange(65535, latency, o_s, o_s_byte, o_r, 0.0, g, byte)
    large = CostRange(None, latency, o_s, 0.0, 0.0, 0.0, g, byte)
    return PairClass("made up", (small, large), 65536)


@given(classes())
def test_what_was_put_in_is_found(pairs: PairClass) -> None:
    found = fit_class("made up", made_up(pairs, launches=1))  # without noise all launches are alike
    assert found.pair_class.eager_below_bytes == 65536
    assert found.misfit < 1e-3
    own, last = pairs.ranges[0], found.pair_class.ranges[-1]
    first = found.pair_class.ranges[0]
    for name in ("latency_seconds", "send_overhead_seconds", "receive_overhead_seconds", "gap_seconds"):
        assert getattr(first, name) == pytest.approx(getattr(own, name), rel=1e-3, abs=1e-12)
    assert last.gap_seconds_per_byte == pytest.approx(own.gap_seconds_per_byte, rel=1e-3)
    assert last.latency_seconds == pytest.approx(own.latency_seconds, rel=1e-2)
    assert found.gap_seconds_per_byte == pytest.approx(own.gap_seconds_per_byte, rel=1e-3)
    assert found.plogp.gap_seconds[-1] == pytest.approx(
        predicted_seconds(pairs, SIZES[-1:])[0]
        - predicted_seconds(pairs, SIZES[:1])[0]
        + own.gap_seconds
        + own.gap_seconds_per_byte,
        rel=1e-6,
    )


TYPICAL = PairClass(
    "lan",
    (
        CostRange(65535, 5e-5, 2e-6, 1e-10, 3e-6, 0.0, 4e-6, 8e-8),
        CostRange(None, 5e-5, 2e-6, 0.0, 0.0, 0.0, 4e-6, 8e-8),
    ),
    65536,
)


def test_intervals_cover_what_was_put_in_despite_noise() -> None:
    keys = [
        ("ranges.0.latency_seconds", 5e-5),
        ("ranges.0.send_overhead_seconds", 2e-6),
        ("ranges.0.receive_overhead_seconds", 3e-6),
    ]
    covered = tried = 0
    for seed in range(10):
        found = fit_class("lan", made_up(TYPICAL, 0.03, 8, seed))
        assert found.pair_class.eager_below_bytes == 65536
        assert found.misfit < 0.05
        last = len(found.pair_class.ranges) - 1
        for key, true in [*keys, (f"ranges.{last}.gap_seconds_per_byte", 8e-8)]:
            tried += 1
            interval = found.intervals[key]
            covered += interval.low <= true <= interval.high
            assert interval.high - interval.low < 0.5 * true
    assert covered / tried > 0.85


def test_a_library_that_never_waits() -> None:
    eager = replace(TYPICAL, eager_below_bytes=ALL_EAGER, ranges=(replace(TYPICAL.ranges[0], up_to_bytes=None),))
    found = fit_class("lan", made_up(eager, 0.01))
    assert found.pair_class.eager_below_bytes == ALL_EAGER
    assert "eager_below_bytes" in found.not_identified
    assert "eager_below_bytes" not in found.intervals


def test_one_late_eager_sender_is_no_rendezvous() -> None:
    curves = made_up(TYPICAL)
    curves.waiting.seconds[:, 3] = 1.0
    assert eager_limit(curves) == (65536, {})


def test_what_is_not_told_is_named() -> None:
    found = named_after(fit_class("lan", made_up(TYPICAL)))
    last = len(found.pair_class.ranges) - 1
    key = f"classes.lan.ranges.{last}.receive_overhead_seconds"
    assert "late receiver" in found.not_identified[key]
    assert key not in found.intervals
    assert found.pair_class.ranges[last].receive_overhead_seconds == 0.0


def test_overheads_that_overlap_with_the_transfer_do_not_add_to_it() -> None:
    curves = made_up(TYPICAL)
    curves = replace(curves, sending=Curve(SIZES, curves.sending.seconds + 8e-8 * SIZES))
    found = fit_class("lan", curves)
    assert found.misfit < 1e-3


def test_a_protocol_switch_within_what_is_eager_is_found() -> None:
    one, two = TYPICAL.ranges
    ranges = (replace(one, up_to_bytes=1023), replace(one, latency_seconds=9e-5), two)
    found = fit_class("lan", made_up(PairClass("lan", ranges, 65536), 0.005))
    assert [r.up_to_bytes for r in found.pair_class.ranges] == [1023, 65535, None]
    assert found.pair_class.ranges[1].latency_seconds == pytest.approx(9e-5, rel=0.05)
