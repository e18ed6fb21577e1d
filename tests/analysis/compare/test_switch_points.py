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
    assert any(
        "b switches protocol or algorithm in pingpong" in s and "16 KiB and 64 KiB" in s for s in sentences(found)
    )
