"""Lines and bands have the values and words of what they show."""

from __future__ import annotations

import math

import plotly.graph_objects as go

from rankwise.report.colours import GREY, dark_colours
from rankwise.report.lines import MARKED_POINTS, interval_words, line_with_band

X = [1.0, 2.0, 3.0]


def test_a_band_goes_there_and_back_below_its_line() -> None:
    band, line = line_with_band("a", GREY, X, [2.0, 3.0, 4.0], interval=([1, 2, 3], [5, 6, 7]), formatter=str)
    assert (band["x"], band["y"]) == ([1, 2, 3, 3, 2, 1], [5, 6, 7, 3, 2, 1])
    assert line["y"] == [2, 3, 4]
    assert line["text"][0] == "2.0  [1, 5]"
    assert band["meta"] == line["meta"] == {"implementation": "a"}
    go.Figure([band, line])


def test_a_ratio_keeps_its_thousandths() -> None:
    _, line = line_with_band("a", GREY, [1.0], [1.00042], interval=([1.0], [1.1]))
    assert line["y"] == [1.00042]


def test_many_points_are_not_marked() -> None:
    many = [float(k) for k in range(MARKED_POINTS + 1)]
    _, line = line_with_band("a", GREY, many, many, interval=(many, many))
    assert (line["mode"], "marker" in line) == ("lines", False)


def test_what_is_unknown_is_a_gap_and_said() -> None:
    band, _ = line_with_band("a", GREY, [1.0], [2.0], interval=([math.nan], [math.nan]))
    assert band["x"] == band["y"] == []
    assert interval_words(2.0, math.nan, math.nan, str) == "2.0, no interval"


def test_the_dark_knows_grey_lines_and_their_bands() -> None:
    assert {GREY.light, GREY.band} <= set(dark_colours([]))
