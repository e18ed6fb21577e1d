"""Options of a cell are named where they differ from the default or within the run, and nowhere else."""

from __future__ import annotations

from dataclasses import replace

from rankwise.analysis.labels import cell_words, varied, words
from rankwise.core.records import Cell, Options

CUBIC = Options(congestion_control="cubic")


def test_options_are_named_where_they_are_not_the_default() -> None:
    assert words(Options(), "block") == []
    assert words(Options(layout="vector", cold_cache=True, window=8), "block") == [
        "layout vector",
        "cold cache",
        "window 8",
    ]


def test_what_a_whole_run_has_is_named_only_where_there_are_several() -> None:
    assert varied([(CUBIC, "cyclic"), (CUBIC, "cyclic")]) == frozenset()
    assert words(CUBIC, "cyclic") == []
    several = varied([(CUBIC, "cyclic"), (Options(congestion_control="reno"), "block")])
    assert words(CUBIC, "cyclic", several) == ["congestion control cubic", "placement cyclic"]
    assert words(Options(), "block", several) == ["placement block"]


def test_nothing_varies_in_nothing() -> None:
    assert varied([]) == frozenset()


def test_a_cell_in_a_sentence() -> None:
    cell = Cell("mpi-1", "bcast", 64, 8, placement="block")
    assert cell_words(cell) == "in bcast of 64 B on 8 ranks, placement block"
    groups = replace(cell, size_bytes=0, options=Options(groups=2))
    assert cell_words(groups) == "in bcast on 2 groups of 4 ranks, placement block"
