"""Distribution figures hold every cell's quantiles as they were measured."""

from __future__ import annotations

from itertools import pairwise

import plotly.graph_objects as go
import pytest

from rankwise.report.colours import styles_for
from rankwise.report.distributions import ecdf_frame, ecdf_nanoseconds
from rankwise.report.groups import GroupedComparison
from report import samples

STYLES = styles_for(samples.IMPLEMENTATIONS)


def test_frame_has_a_line_and_a_p99_marker_for_each_implementation() -> None:
    parts = [(trace["meta"]["implementation"], trace["meta"]["part"]) for trace in ecdf_frame(STYLES)["data"]]
    assert parts == [(name, part) for name in sorted(samples.IMPLEMENTATIONS) for part in ("ecdf", "p99")]


def test_frame_follows_plotlys_schema() -> None:
    go.Figure(ecdf_frame(STYLES))


def test_heights_rise_and_give_the_tail_room() -> None:
    frame = ecdf_frame(STYLES)
    heights = frame["data"][0]["y"]
    assert len(heights) == 101
    assert all(low < high for low, high in pairwise(heights))
    assert heights[50] == pytest.approx(0, abs=1e-9)
    assert heights[99] - heights[90] > heights[60] - heights[51]
    low, high = frame["layout"]["yaxis"]["range"]
    assert low < heights[0] < heights[100] < high


def test_quantiles_are_nanoseconds_of_each_size_and_implementation() -> None:
    comparison = samples.comparison()
    grouped = GroupedComparison(comparison)
    found = ecdf_nanoseconds(grouped, grouped.groups[0])
    assert tuple(found) == samples.SIZES
    assert set(found[64]) == set(samples.IMPLEMENTATIONS)
    first = comparison.distributions[0]
    assert found[1][samples.BASELINE] == pytest.approx(list(first.quantiles_seconds * 1e9), rel=1e-3)
