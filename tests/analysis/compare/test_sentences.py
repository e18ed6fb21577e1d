"""Sentences of a comparison say what was shown, and claim nothing that was not."""

from __future__ import annotations

import numpy as np

from analysis.compare.simulated import benchmarks, run
from rankwise.analysis.compare import compare, sentences
from rankwise.analysis.compare.sentences import headline
from rankwise.core.records import Cell, CellFailure
from rankwise.core.results import Comparison

KNOWN = benchmarks(pingpong="point-to-point", bcast="collective")


def comparison(rounds: int = 14) -> Comparison:
    """`fast` takes 0.8 of the time of `base` up to 1 KiB in pingpong, `alike` is the same everywhere."""
    launches = run(
        np.random.default_rng(4), ["base", "fast", "alike"], ["pingpong", "bcast"], rounds, launch_effect=0.01,
        factor=lambda name, bench, size: 0.8 if name == "fast" and bench == "pingpong" and size <= 1024 else 1.0,
    )  # fmt: skip
    failed = CellFailure(Cell("alike", "bcast", 8, 2), "timed out")
    return compare(launches, KNOWN, "base", implementations=["base", "fast", "alike"], failures=[failed])


def test_the_answer_in_words() -> None:
    found = comparison()
    said = sentences(found)
    assert said[0] == "Significantly fastest: fast in 3 of 12 cells."
    unbeaten = "fast in 12 of 12 cells, base in 9 of 12 cells and alike in 9 of 12 cells."
    assert said[1] == f"Not significantly slower than any other: {unbeaten}"
    (row,) = (
        row
        for row in found.summary
        if (row.implementation, row.category, row.size_class) == ("fast", "point-to-point", "small")
    )
    numbers = f"fast {row.ratio:.2f} ({row.ratio_low:.2f}-{row.ratio_high:.2f}) times the time of base"
    assert said[2] == f"Point-to-point, small (up to 1 KiB): {numbers}; within 5% of base: alike."
    assert "Collective, large: within 5% of base: alike and fast." in [
        sentence.replace("fast and alike", "alike and fast") for sentence in said
    ]
    assert any(sentence.startswith("Cell by cell against base, of 24 comparisons: 3 faster") for sentence in said)
    assert said[-1] == "Failed cells: 1 of alike."


def test_the_headline_says_who_is_fastest_and_how_much_is_shown() -> None:
    said = headline(comparison())
    assert said.startswith("Fastest: fast in 3 of 12 cells; a difference is shown in 3 of 24 comparisons")
    said = headline(comparison(rounds=2))
    assert said.startswith("A difference is shown in 0 of 24 comparisons") and "24 undecided" in said


def test_nothing_is_claimed_from_two_launches() -> None:
    said = sentences(comparison(rounds=2))
    assert said[0] == "No implementation is shown to be faster than another in any cell."
    assert "fewer than 4 launches" in said[1]
    assert "24 undecided" in said[2]
    assert not any("times the time" in sentence for sentence in said)
