"""Streams are grouped and drawn with the raw TCP connection that they shared the network with."""

from __future__ import annotations

import itertools
import json
from dataclasses import replace

import plotly.graph_objects as go
import pytest

from rankwise.report.colours import dark_colours, styles_for
from rankwise.report.streams import RAW_TCP, stream_figure, stream_groups
from report import grid, samples

STYLES = styles_for(samples.IMPLEMENTATIONS)
CUBIC, RENO = stream_groups(grid.comparison())


def test_a_group_for_each_congestion_control_raw_tcp_first() -> None:
    assert [group.label for group in (CUBIC, RENO)] == [
        "Messages of 1 MiB, 2 ranks, congestion control cubic",
        "Messages of 1 MiB, 2 ranks, congestion control reno",
    ]
    assert [one.category for one in CUBIC.streams] == ["baseline"] + ["point-to-point"] * len(grid.STREAMED)
    assert len(CUBIC.timelines) == 3


def test_bandwidth_in_bits_against_time_in_each_ones_look() -> None:
    figure = stream_figure(CUBIC, STYLES)
    stream = CUBIC.streams[1]
    (line,) = (t for t in figure["data"] if t["meta"] == {"implementation": grid.STREAMED[0]} and "text" in t)
    assert line["y"][50] == pytest.approx(8 * stream.bytes_per_second[50], rel=1e-5)
    assert line["x"][50] == pytest.approx(stream.times_seconds[50], rel=1e-5)
    assert line["line"]["dash"] == STYLES[grid.STREAMED[0]].dash
    assert "Mbit/s" in line["text"][50]


def test_raw_tcp_is_dashed_and_no_implementation_can_switch_it_off() -> None:
    raw = [t for t in stream_figure(CUBIC, STYLES)["data"] if t["meta"] == {"baseline": RAW_TCP}]
    assert [t["line"].get("dash") for t in raw] == [None, "dash"]


def test_timelines_share_the_time_of_the_bandwidth_and_have_rows_of_their_own() -> None:
    figure = stream_figure(CUBIC, STYLES)
    layout = figure["layout"]
    rows = [layout[name]["domain"] for name in ("yaxis", "yaxis2", "yaxis3", "yaxis4")]
    assert rows[0][1] == 1.0
    assert rows[-1][0] == pytest.approx(0.0, abs=1e-9)
    assert all(below[1] < above[0] for above, below in itertools.pairwise(rows))
    drawn = {t["meta"]["part"]: t["yaxis"] for t in figure["data"] if "part" in t["meta"]}
    assert drawn == {"congestion window": "y2", "round trip": "y3", "retransmits": "y4"}
    assert layout["xaxis"]["anchor"] == "y4"


def test_without_timelines_the_bandwidth_takes_it_all() -> None:
    figure = stream_figure(replace(CUBIC, timelines=CUBIC.timelines[1:2]), STYLES)
    assert {t.get("yaxis", "y") for t in figure["data"]} == {"y", "y2"}
    alone = stream_figure(replace(CUBIC, timelines=()), STYLES)
    assert alone["layout"]["yaxis"]["domain"] == [0, 1]
    assert "yaxis2" not in alone["layout"]


def test_timelines_without_streams_are_drawn() -> None:
    (group,) = stream_groups(replace(grid.comparison(), streams=(), timelines=CUBIC.timelines))
    assert {t["meta"]["part"] for t in stream_figure(group, STYLES)["data"]} == {
        "congestion window", "round trip", "retransmits",
    }  # fmt: skip


def test_plotlys_schema_and_the_dark() -> None:
    known = set(dark_colours(STYLES.values()))
    figure = stream_figure(CUBIC, STYLES)
    go.Figure(figure)
    assert {word for word in json.dumps(figure["data"]).split('"') if word.startswith("#")} <= known


def test_nothing() -> None:
    assert stream_groups(samples.comparison()) == []
