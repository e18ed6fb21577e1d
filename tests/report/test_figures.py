"""Figures show the medians and intervals of the records, and nothing where nothing was measured."""

from __future__ import annotations

import json
import math
from typing import Any

import plotly.graph_objects as go
import pytest

from rankwise.core.results import Comparison
from rankwise.report.colours import BAND_OPACITY, dark_colours, styles_for
from rankwise.report.figures import group_figures
from rankwise.report.groups import GroupedComparison
from report import edges, samples

STYLES = styles_for(samples.IMPLEMENTATIONS)


def figures(benchmark: str, comparison: Comparison | None = None) -> dict[str, Any]:
    grouped = GroupedComparison(comparison or samples.comparison())
    (group,) = (group for group in grouped.groups if group.benchmark == benchmark)
    return group_figures(grouped, group, STYLES)


def lines(figure: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """The main line of each implementation: neither a band nor the rings of its switches."""
    return {
        trace["meta"]["implementation"]: trace
        for trace in figure["data"]
        if "implementation" in trace["meta"] and "fill" not in trace and "part" not in trace["meta"]
    }


@pytest.mark.parametrize(
    ("benchmark", "names"),
    [
        ("pingpong", ["latency", "bandwidth"]),
        ("bcast", ["latency"]),
        ("barrier", ["latency"]),
        ("iallreduce", ["latency", "overlap"]),
    ],
)
def test_a_benchmark_has_the_figures_that_mean_something(benchmark: str, names: list[str]) -> None:
    assert list(figures(benchmark)) == names


def test_latency_draws_the_medians_of_every_implementation_in_its_own_look() -> None:
    drawn = lines(figures("pingpong")["latency"])
    assert set(drawn) == set(samples.IMPLEMENTATIONS)
    for name, trace in drawn.items():
        assert trace["line"]["color"] == STYLES[name].light
        assert trace["marker"]["symbol"] == STYLES[name].marker
        assert tuple(trace["x"]) == samples.SIZES
    expected = samples.comparison().curves[0].points[3].median_seconds
    assert drawn[samples.BASELINE]["y"][3] == pytest.approx(expected, rel=1e-3)


def test_bands_hold_the_interval_above_and_below() -> None:
    curve = samples.comparison().curves[0]
    band = next(t for t in figures("pingpong")["latency"]["data"] if "fill" in t)
    high, low = band["y"][0], band["y"][-1]
    assert high == pytest.approx(curve.points[0].high_seconds, rel=1e-3)
    assert low == pytest.approx(curve.points[0].low_seconds, rel=1e-3)
    assert band["x"][0] == band["x"][-1] == 1


def test_switch_points_are_ringed_where_the_new_protocol_begins() -> None:
    rings = [t for t in figures("pingpong")["latency"]["data"] if t["meta"].get("part") == "switch"]
    found = {ring["meta"]["implementation"]: list(ring["x"]) for ring in rings}
    assert found == {name: [speed.switch_bytes] for name, speed in samples.SPEEDS.items()}
    assert not [t for t in figures("bcast")["latency"]["data"] if t["meta"].get("part") == "switch"]


def test_references_are_grey_and_broken() -> None:
    references = [t for t in figures("pingpong")["bandwidth"]["data"] if "baseline" in t["meta"]]
    assert [t["name"] for t in references] == ["tcp_pingpong", "memcpy"]
    assert all(t["line"]["dash"] != "solid" for t in references)
    assert all(t["line"]["color"] not in {s.light for s in STYLES.values()} for t in references)


def test_bandwidth_is_bytes_over_time() -> None:
    point = samples.comparison().curves[0].points[-1]
    drawn = lines(figures("pingpong")["bandwidth"])[samples.BASELINE]
    assert drawn["y"][-1] == pytest.approx(point.size_bytes / point.median_seconds, rel=1e-3)


def test_overlap_is_drawn_as_it_was_found() -> None:
    drawn = lines(figures("iallreduce")["overlap"])
    assert "lammpi-7.1.4" not in drawn
    own = (one for one in samples.comparison().overlaps if one.benchmark == "iallreduce")
    expected = [one.share for one in own if one.implementation == samples.BASELINE]
    assert drawn[samples.BASELINE]["y"] == pytest.approx(expected, abs=1e-3)
    low, high = figures("iallreduce")["overlap"]["layout"]["yaxis"]["range"]
    assert low < min(expected) < 0 and high > 1  # what disturbs is drawn below 0


def test_an_empty_message_has_a_place_on_the_logarithmic_axis() -> None:
    comparison = edges.with_empty_message(samples.comparison())
    figure = figures("pingpong", comparison)["latency"]
    drawn = lines(figure)[samples.BASELINE]
    assert all(x > 0 and math.isfinite(x) for x in drawn["x"])
    assert "0" in figure["layout"]["xaxis"]["ticktext"]


def test_every_figure_follows_plotlys_schema() -> None:
    for benchmark in samples.BENCHMARKS:
        for figure in figures(benchmark).values():
            go.Figure(figure)  # raises ValueError at any property that Plotly does not know


def test_every_colour_of_an_implementation_is_known_to_the_dark() -> None:
    dark = dark_colours(STYLES.values())
    for benchmark in samples.BENCHMARKS:
        text = json.dumps({name: figure["data"] for name, figure in figures(benchmark).items()})
        colours = {word for word in text.split('"') if word.startswith("#") or f",{BAND_OPACITY})" in word}
        assert colours
        assert colours <= set(dark)
