"""A schedule gets a verdict against the operation of the same MPI; one that is its equal is called so."""

from __future__ import annotations

import numpy as np
import pytest

from analysis.compare.simulated import benchmarks, launch
from rankwise.analysis.compare import compare
from rankwise.analysis.compare.beside_native import worth_showing
from rankwise.analysis.compare.sentences import sentences
from rankwise.core.records import Benchmark, Launch

MINE, OURS = "allreduce.file:mine", "allreduce.ring"
KNOWN: dict[str, Benchmark] = benchmarks(allreduce="collective") | {
    name: Benchmark(name, "schedule", name) for name in (MINE, OURS)
}
SIZES = (8, 65536)


def rounds(factors: dict[str, float], *, seed: int = 1, noise: float = 0.02) -> list[Launch]:
    """Twelve launches; a schedule takes so many times what the operation takes."""
    random = np.random.default_rng(seed)

    def seconds(size: int) -> list[float]:
        return [float((1e-6 + 1e-9 * size) * np.exp(random.normal(0, noise)))]

    return [
        launch(
            "mpi",
            {("allreduce", size): seconds(size) for size in SIZES}
            | {(name, size): [factor * seconds(size)[0]] for name, factor in factors.items() for size in SIZES},
            started_at=float(k),
        )
        for k in range(12)
    ]


@pytest.mark.parametrize(("factor", "word"), [(0.5, "faster"), (2.0, "slower"), (1.0, "equivalent")])
def test_the_verdict_is_what_was_made(factor: float, word: str) -> None:
    found = compare(rounds({MINE: factor}), KNOWN).beside_native
    assert [one.verdict.verdict for one in found] == [word] * len(SIZES)
    assert [one.verdict.ratio for one in found] == pytest.approx([factor] * len(SIZES), rel=0.05)
    assert {(one.implementation, one.schedule) for one in found} == {("mpi", MINE)}


def test_shown_are_those_of_files_and_others_that_are_faster() -> None:
    found = compare(rounds({MINE: 2.0, OURS: 2.0}), KNOWN).beside_native
    assert {one.schedule for one in found} == {MINE, OURS}
    assert {one.schedule for one in worth_showing(found)} == {MINE}
    faster = compare(rounds({OURS: 0.5}), KNOWN).beside_native
    assert worth_showing(faster) == list(faster)


def test_a_sentence_says_how_a_file_does() -> None:
    said = sentences(compare(rounds({MINE: 0.5}), KNOWN))
    assert f"mpi: {MINE} beside its own allreduce: faster at 2 of 2 sizes." in said
    assert not any("beside its own" in one for one in sentences(compare(rounds({OURS: 0.5}), KNOWN)))


def test_nothing_is_said_of_what_is_no_schedule() -> None:
    assert compare(rounds({}), KNOWN).beside_native == ()
