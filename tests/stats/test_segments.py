"""Breaks of a curve are found where they are, and seldom where there are none."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankwise.core.records import FloatArray
from rankwise.stats.segments import find_breaks

LARGEST = 4 << 20


def sizes_by(factor: int) -> FloatArray:
    sizes = [1.0]
    while sizes[-1] < LARGEST:
        sizes.append(sizes[-1] * factor)
    return np.array(sizes)


def smooth(sizes: FloatArray, generator: np.random.Generator, noise: float) -> FloatArray:
    """LogGP: 0.2 us to 100 us of latency and 0.1 to 20 GB/s, with multiplicative noise."""
    latency, gap = 10 ** generator.uniform(-6.7, -4), 10 ** generator.uniform(-10.3, -8)
    return (latency + gap * sizes) * np.exp(noise * generator.standard_normal(sizes.size))


@pytest.mark.parametrize("factor", [2, 4])
@pytest.mark.parametrize("noise", [0.005, 0.05])
def test_smooth_curves_rarely_have_breaks(factor: int, noise: float) -> None:
    generator = np.random.default_rng(11)
    sizes = sizes_by(factor)
    false = sum(bool(find_breaks(sizes, smooth(sizes, generator, noise))) for _ in range(120))
    assert false <= 3, "more than 3 % of smooth curves show a break"


@pytest.mark.parametrize("factor", [2, 4])
@pytest.mark.parametrize("at", [4096, 65536, 262144])
def test_rendezvous_jump_is_found_where_it_is(factor: int, at: int) -> None:
    generator = np.random.default_rng(12)
    sizes = sizes_by(factor)
    found = []
    for _ in range(30):
        seconds = smooth(sizes, generator, 0.02) * np.where(sizes >= at, 1.4, 1.0)
        found += [b for b in find_breaks(sizes, seconds) if b.below < at <= b.at]
    assert len(found) >= 27
    assert np.median([b.jump for b in found]) == pytest.approx(1.4, rel=0.05)


def test_exact_jump() -> None:
    sizes = sizes_by(4)
    seconds = (1e-6 + 1e-10 * sizes) * np.where(sizes >= 65536, 1.4, 1.0)
    (only,) = find_breaks(sizes, seconds)
    assert (only.below, only.at) == (16384, 65536)
    assert only.jump == pytest.approx(1.4)


def test_change_of_slope_is_a_bend_without_a_jump() -> None:
    # A quarter of the bandwidth beyond a cache of 64 KiB: the curve itself is continuous.
    sizes = sizes_by(2)
    seconds = 1e-6 + 1e-10 * sizes + 3e-10 * np.maximum(sizes - 65536, 0)
    found = find_breaks(sizes, seconds)
    assert any(b.below <= 65536 <= b.at and b.jump == 1.0 for b in found)


def test_two_protocol_changes() -> None:
    sizes = sizes_by(2)
    seconds = (1e-6 + 1e-10 * sizes) * np.where(sizes >= 1024, 1.5, 1.0) * np.where(sizes >= 131072, 1.5, 1.0)
    assert [(b.below, b.at) for b in find_breaks(sizes, seconds)] == [(512, 1024), (65536, 131072)]


@pytest.mark.parametrize("seconds", [[], [1e-6] * 5, [0.0] * 12, [float("nan")] * 12, [1e-6] * 12])
def test_nothing_to_find(seconds: list[float]) -> None:
    assert find_breaks(4.0 ** np.arange(len(seconds)), np.array(seconds)) == ()


@given(st.floats(1e-3, 1e3), st.integers(0, 1000))
def test_breaks_do_not_depend_on_the_unit(unit: float, seed: int) -> None:
    sizes = sizes_by(4)
    seconds = smooth(sizes, np.random.default_rng(seed), 0.05) * np.where(sizes >= 65536, 1.5, 1.0)
    found, scaled = find_breaks(sizes, seconds), find_breaks(sizes, unit * seconds)
    assert [(b.below, b.at) for b in found] == [(b.below, b.at) for b in scaled]
    assert [b.jump for b in found] == pytest.approx([b.jump for b in scaled])
