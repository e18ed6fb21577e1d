"""Overheads over raw TCP are drawn and listed with their intervals."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import plotly.graph_objects as go
import pytest

from rankwise.report.colours import dark_colours, styles_for
from rankwise.report.groups import GroupedComparison
from rankwise.report.overheads import overhead_figures, overhead_tables
from report import grid, samples

STYLES = styles_for(samples.IMPLEMENTATIONS)
FAR, NEAR = overhead_tables(GroupedComparison(grid.comparison()))


def lines(figure: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {t["meta"]["implementation"]: t for t in figure["data"] if "text" in t}


def test_a_table_for_each_placement() -> None:
    assert [table.group.label for table in (FAR, NEAR)] == [
        "pingpong, 2 ranks, placement across-sites",
        "pingpong, 2 ranks, placement block",
    ]
    assert [size for size, _, _ in FAR.rows] == list(samples.SIZES)
    assert FAR.names == samples.IMPLEMENTATIONS
    assert FAR.unpaired


def test_the_ratio_is_drawn_with_its_interval_above_a_line_at_one() -> None:
    figure = overhead_figures(NEAR, STYLES)["ratio"]
    size, _, cells = NEAR.rows[3]
    line = lines(figure)[samples.BASELINE]
    assert line["x"][3] == size
    assert line["y"][3] == pytest.approx(cells[0].ratio, rel=1e-4)
    assert set(figure["data"][0]["y"]) == {1.0}
    assert figure["data"][0]["meta"] == {"baseline": "raw TCP"}


def test_axes_suit_what_they_show() -> None:
    near, far = (overhead_figures(table, STYLES)["ratio"]["layout"]["yaxis"] for table in (NEAR, FAR))
    assert near["type"] == "log"
    assert "type" not in far  # 0.998 to 1.03: a logarithmic axis would have one tick


def test_what_mpi_saves_is_no_part_of_what_it_adds() -> None:
    figure = overhead_figures(FAR, STYLES)["difference"]
    assert len(lines(figure)[samples.BASELINE]["y"]) == len(samples.SIZES)
    assert lines(figure)[samples.IMPLEMENTATIONS[1]]["x"][0] == 64
    assert all(y > 0 for trace in figure["data"] for y in trace["y"])


def test_without_anything_added_there_is_no_figure_of_it() -> None:
    base = grid.comparison()
    faster = tuple(replace(one, difference_seconds=-1e-6, ratio=0.9) for one in base.overheads)
    (table, _) = overhead_tables(GroupedComparison(replace(base, overheads=faster)))
    assert list(overhead_figures(table, STYLES)) == ["ratio"]


def test_an_implementation_without_a_size_leaves_a_gap() -> None:
    base = grid.comparison()
    table = overhead_tables(GroupedComparison(replace(base, overheads=base.overheads[1:12])))[0]
    assert table.names == samples.IMPLEMENTATIONS[:1]
    both = overhead_tables(GroupedComparison(replace(base, overheads=base.overheads[1:24])))[0]
    assert both.rows[0][2][0] is None
    assert both.rows[0][1] == both.rows[0][2][1].tcp_seconds


def test_plotlys_schema_and_the_dark() -> None:
    known = set(dark_colours(STYLES.values()))
    for table in (FAR, NEAR):
        for figure in overhead_figures(table, STYLES).values():
            go.Figure(figure)
            assert {word for word in json.dumps(figure["data"]).split('"') if word.startswith("#")} <= known


def test_nothing() -> None:
    assert overhead_tables(GroupedComparison(samples.comparison())) == []
