"""Listings name every cell that is wrong or failed, and every benchmark."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import get_args

import numpy as np
import pytest

from rankwise.analysis.listing import list_cells
from rankwise.cli.answer import print_parts
from rankwise.core.records import Benchmark, Category, Cell, Launch, Options, Segment, Series
from rankwise.report.listings import benchmark_groups, row_parts
from rankwise.report.peer_logs import text_of

KNOWN = {"pingpong": Benchmark("pingpong", "point-to-point", "there and back")}
CELL = Cell("mpich-5.0.2", "pingpong", 8, 2)


def printed(cells: Iterable[Cell], layout: str, capsys: pytest.CaptureFixture[str]) -> list[list[str]]:
    """The blocks, line by line."""
    series = tuple(Series(cell, "time", np.array([1e-6, 2e-6, 3e-6]), cell.size_bytes) for cell in cells)
    rows = list_cells([Launch((Segment("mpich-5.0.2", 2),), "finished", "", (), 0.0, 1.0, series)], KNOWN)
    if layout == "table":
        print_parts(row_parts(rows))
    text = capsys.readouterr().out if layout == "table" else text_of(rows, layout)
    return [block.splitlines() for block in text.strip().split("\n\n")]


@pytest.mark.parametrize("layout", ["table", "imb", "osu"])
def test_placements_are_blocks_of_their_own(layout: str, capsys: pytest.CaptureFixture[str]) -> None:
    cells = [replace(CELL, size_bytes=size, placement=word) for size in (8, 64) for word in ("block", "cyclic")]
    blocks = printed(cells, layout, capsys)
    assert ["placement block" in "".join(block) for block in blocks] == [True, False]
    assert ["placement cyclic" in "".join(block) for block in blocks] == [False, True]
    assert len({len(block) for block in blocks}) == 1


@pytest.mark.parametrize("layout", ["table", "imb", "osu"])
def test_one_placement_and_congestion_control_need_no_name(
    layout: str, capsys: pytest.CaptureFixture[str]
) -> None:
    cell = replace(CELL, placement="cyclic", options=Options(congestion_control="bbr", layout="vector"))
    (block,) = printed([cell], layout, capsys)
    assert "layout vector" in "".join(block)
    assert "cyclic" not in "".join(block)
    assert "bbr" not in "".join(block)


def test_a_table_has_the_percentiles_and_the_bandwidth(capsys: pytest.CaptureFixture[str]) -> None:
    ((title, _, row),) = printed([CELL], "table", capsys)
    assert title.strip() == "pingpong, 2 ranks: mpich-5.0.2"
    assert row.split()[:9] == ["8", "B", "3", "1", "us", "2", "us", "2.8", "us"]
    assert row.split()[-2:] == ["4", "MB/s"]


def test_sizes_are_ascending_and_ranks_apart(capsys: pytest.CaptureFixture[str]) -> None:
    cells = [replace(CELL, size_bytes=size, ranks=ranks) for size in (64, 8) for ranks in (2, 4)]
    blocks = printed(cells, "osu", capsys)
    assert [[line.split()[0] for line in block if line[0] != "#"] for block in blocks] == [
        ["8", "64"],
        ["8", "64"],
    ]


def test_the_list_of_benchmarks_fits_a_screen(capsys: pytest.CaptureFixture[str]) -> None:
    made = [
        Benchmark(f"{category}_{number}", category, "what it measures")
        for category in get_args(Category)
        for number in range(100)
    ]
    print_parts(benchmark_groups({"mpich-5.0.2": {one.name: one for one in made}}))
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) < 24 and max(map(len, lines)) <= 80
    for category in get_args(Category):
        assert any(line.split()[:2] == [category, "100"] for line in lines)
