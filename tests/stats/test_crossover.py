"""The crossover of two protocols lies where their times meet, and its interval covers that size."""

from __future__ import annotations

import math

import numpy as np
import pytest

from rankwise.core.records import FloatArray
from rankwise.stats.crossover import Crossover, crossover

SIZES = 4.0 ** np.arange(3, 12)
TRUE = 5e-5 / 5e-10
"""The copy of an eager message takes as long as the handshake of a rendezvous: 100 kB."""


def curves(generator: np.random.Generator, spread: float, rounds: int = 10) -> tuple[FloatArray, FloatArray]:
    eager = 2.5e-5 + SIZES * 1.5e-9
    rendezvous = 7.5e-5 + SIZES * 1e-9
    noise = np.exp(spread * generator.standard_normal((2, SIZES.size, rounds)))
    noise *= np.exp(spread * generator.standard_normal((2, 1, rounds)))  # a launch disturbs all its sizes
    return eager[:, None] * noise[0], rendezvous[:, None] * noise[1]


@pytest.mark.parametrize("spread", [0.01, 0.04])
def test_the_interval_covers_the_truth_about_as_often_as_it_says(spread: float) -> None:
    generator = np.random.default_rng(0)
    found = [crossover(SIZES, *curves(generator, spread), seed=seed) for seed in range(100)]
    covered = np.mean([one.low_bytes <= TRUE <= one.high_bytes for one in found])
    assert covered >= 0.89
    assert all(one.low_bytes <= one.at_bytes <= one.high_bytes for one in found)
    assert np.median([abs(math.log(one.at_bytes / TRUE)) for one in found]) < 0.1


def test_more_noise_a_wider_interval() -> None:
    quiet, loud = (crossover(SIZES, *curves(np.random.default_rng(1), spread)) for spread in (0.005, 0.05))
    assert quiet.high_bytes / quiet.low_bytes < loud.high_bytes / loud.low_bytes


def test_one_protocol_faster_everywhere() -> None:
    eager, _ = curves(np.random.default_rng(2), 0.01)
    assert crossover(SIZES, eager, 2 * eager) == Crossover(math.inf, math.inf, math.inf)
    assert crossover(SIZES, 2 * eager, eager) == Crossover(0.0, 0.0, 0.0)


def test_one_size_out_of_line_does_not_decide() -> None:
    eager, rendezvous = curves(np.random.default_rng(3), 0.005)
    eager[2] = 1.1 * rendezvous[2]
    assert crossover(SIZES, eager, rendezvous).at_bytes == pytest.approx(TRUE, rel=0.1)


def test_launches_that_lack_a_size() -> None:
    eager, rendezvous = curves(np.random.default_rng(4), 0.01)
    eager[3:, 0] = np.nan
    rendezvous[:, 1] = np.nan
    assert crossover(SIZES, eager, rendezvous).at_bytes == pytest.approx(TRUE, rel=0.1)
