"""The noise of a run is told in parts, the largest first, and only where it is known."""

from __future__ import annotations

import numpy as np

from analysis.compare.simulated import benchmarks, run
from rankwise.analysis.compare import compare
from rankwise.analysis.compare.noise import noise, noise_sentence
from rankwise.stats.variances import VarianceParts


def test_the_largest_part_comes_first_and_what_is_nothing_is_left_out() -> None:
    said = noise_sentence(VarianceParts(launch=0.36, cell=0.0, visit=0.62, repetition=0.02))
    assert said == (
        "of the noise, 62% comes from where a cell stands in its launch, 36% comes from launch to launch, "
        "2% comes from repetition to repetition"
    )


def test_nothing_is_said_of_nothing() -> None:
    assert noise_sentence(None) == ""
    assert noise_sentence(VarianceParts(0, 0, 0, 0)) == ""
    assert noise([]) is None


def test_a_comparison_that_is_not_precise_says_where_the_noise_comes_from() -> None:
    launches = run(np.random.default_rng(1), ["a", "b"], ["pingpong"], 12, launch_effect=0.3)
    found = compare(launches, benchmarks(pingpong="point-to-point"), "a")
    (notice,) = (one for one in found.notices if one.kind == "not-precise")
    assert "of the noise" in notice.message
    assert "comes from launch to launch" in notice.message
