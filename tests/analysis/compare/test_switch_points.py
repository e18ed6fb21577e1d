"""A switch of protocol is found in the curve that has it, and in no other."""

from __future__ import annotations

import numpy as np
import pytest

from analysis.compare.simulated import benchmarks, run
from rankwise.analysis.compare import compare, sentences

SIZES = tuple(4**power for power in range(12))


def test_a_rendezvous_is_found_in_the_curve_that_has_it() -> None:
    launches = run(
        np.random.default_rng(1), ["a", "b"], ["pingpong", "tcp"], 8, sizes=SIZES, launch_effect=0.01,
        factor=lambda name, _benchmark, size: 1.6 if name == "b" and size >= 65536 else 1.0,
    )  # fmt: skip
    found = compare(launches, benchmarks(pingpong="point-to-point", tcp="baseline"), "a")
    (only,) = found.switch_points
    assert (only.implementation, only.benchmark, only.below_bytes, only.at_bytes) == (
        "b",
        "pingpong",
        16384,
        65536,
    )
    assert only.jump_ratio == pytest.approx(1.6, rel=0.05)
    assert 1 < only.jump_low <= only.jump_ratio <= only.jump_high < 2
    assert any(
        "b switches protocol or algorithm in pingpong" in s and "16 KiB and 64 KiB" in s for s in sentences(found)
    )


def test_intervals_of_jumps_contain_the_truth_and_none_contains_one() -> None:
    generator, covered, found = np.random.default_rng(2), 0, 0
    for _ in range(30):
        launches = run(
            generator, ["a"], ["pingpong"], 12, sizes=SIZES, launch_effect=0.05,
            factor=lambda _name, _benchmark, size: 1.4 if size >= 65536 else 1.0,
        )  # fmt: skip
        for point in compare(launches, benchmarks(pingpong="point-to-point"), "a").switch_points:
            assert not point.jump_low <= 1 <= point.jump_high
            assert point.jump_ratio != 1
            if point.at_bytes == 65536:
                found += 1
                covered += point.jump_low <= 1.4 <= point.jump_high
    assert found >= 20
    assert covered >= 0.8 * found


def test_a_bend_without_a_jump_is_no_switch() -> None:
    launches = run(
        np.random.default_rng(3), ["a"], ["pingpong"], 10, sizes=SIZES, launch_effect=0.01,
        factor=lambda _name, _benchmark, size: 1 + max(0, size - 16384) / (size + 16384),
    )  # fmt: skip
    found = compare(launches, benchmarks(pingpong="point-to-point"), "a").switch_points
    assert all(abs(point.jump_ratio - 1) > 0.02 for point in found)
