"""The studies' figures: ours as lines, what the paper states in numbers as grey marks and lines."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rankwise.core.results import StreamCurve
from rankwise.core.units import format_size
from rankwise.report.canvas import Figure, Trace, blank_figure, plain, short, sized_figure, time_words, trace
from rankwise.report.colours import INK, MUTED, REFERENCE, Style
from rankwise.studies.base import TCP
from rankwise.studies.pingpong import BITS, Best, BestCurve
from rankwise.studies.slow_start import sustained_bits_per_second
from rankwise.studies.wording import megabits

_LEAST_BYTES = 1024
"""Where the papers' figures begin."""
Scale = tuple[float, str]
"""Bits per second in one unit of the axis, and the unit's name."""
MEGABITS: Scale = (1e6, "Mbit/s")
MEGABYTES: Scale = (8e6, "MB/s")


@dataclass(frozen=True, slots=True)
class PaperPoint:
    """A point that the paper states; `x` is bytes or seconds, as the figure's axis is."""

    x: float
    bits_per_second: float
    words: str
    side: str = ""
    """Where its words stand, in Plotly's words; '': towards the middle of the figure, where there is room."""


@dataclass(frozen=True, slots=True)
class PaperLine:
    """A bandwidth that the paper states for all sizes together: its maximum."""

    bits_per_second: float
    words: str


def bandwidth_figure(
    curves: Mapping[str, BestCurve],
    styles: Mapping[str, Style],
    lines: Sequence[PaperLine],
    points: Sequence[PaperPoint] = (),
    scale: Scale = MEGABITS,
) -> Figure:
    """Draw the best bandwidth against size, on a linear axis as in the papers: the maxima are what counts."""
    curves = {name: tuple(p for p in curve if p.size_bytes >= _LEAST_BYTES) for name, curve in curves.items()}
    sizes = [point.size_bytes for curve in curves.values() for point in curve]
    figure = sized_figure([*sizes, *(int(point.x) for point in points)] or [_LEAST_BYTES, 1 << 20])
    _bandwidth_axis(figure, scale)
    ends = (float(min(sizes)), float(max(sizes))) if sizes else (1024.0, 2.0**20)
    for line in lines:
        figure["data"].append(_paper_line(line, ends, scale))
    for name, curve in curves.items():
        places = [(float(point.size_bytes), point.bits_per_second.value) for point in curve]
        texts = [_bandwidth_words(point, scale) for point in curve]
        figure["data"].append(_line(name, places, texts, styles, scale=scale, markers=True))
    middle = math.sqrt(ends[0] * ends[1])
    figure["data"] += [_paper_point(point, scale, leftwards=point.x > middle) for point in points]
    return figure


def stream_figure(
    streams: Mapping[str, StreamCurve],
    styles: Mapping[str, Style],
    lines: Sequence[PaperLine],
    points: Sequence[PaperPoint] = (),
) -> Figure:
    """Return the bandwidth of each message against the time since the first one began."""
    figure = blank_figure()
    _bandwidth_axis(figure, MEGABITS)
    figure["layout"]["xaxis"] |= {
        "ticksuffix": " s",
        "rangemode": "tozero",
        "title": {"text": "Since the first message began", "font": {"color": MUTED, "size": 13}},
    }
    figure["layout"]["hovermode"] = "closest"
    tops = [top for top in map(sustained_bits_per_second, streams.values()) if math.isfinite(top)]
    if tops:  # bursts beyond it are cut off, or all else would lie at the bottom
        stated = [line.bits_per_second for line in lines] + [point.bits_per_second for point in points]
        highest = max(tops + stated)
        figure["layout"]["yaxis"]["range"] = [0, short(1.2 * highest / MEGABITS[0])]
    ends = [float(curve.times_seconds[-1]) for curve in streams.values() if curve.times_seconds.size]
    last = max([*ends, *(point.x for point in points)], default=1.0)
    if points:  # the beginning is what it is about: one slow stream must not press it into a corner
        last = min(last, 1.6 * max(point.x for point in points))
    figure["layout"]["xaxis"]["range"] = [0, short(1.03 * last)]
    for line in lines:
        figure["data"].append(_paper_line(line, (0.0, last), MEGABITS))
    for name, curve in streams.items():
        rates = [float(rate) * BITS for rate in curve.bytes_per_second]
        places = list(zip(map(float, curve.times_seconds), rates, strict=True))
        texts = [
            f"{plain(name)}, message {number}<br>{megabits(rate)} at {time_words(moment)}"
            for number, (moment, rate) in enumerate(places, start=1)
        ]
        figure["data"].append(_line(name, places, texts, styles, scale=MEGABITS, markers=False))
    figure["data"] += [_paper_point(point, MEGABITS, leftwards=point.x > last / 2) for point in points]
    return figure


def _bandwidth_axis(figure: Figure, scale: Scale) -> None:
    figure["layout"]["yaxis"] |= {"rangemode": "tozero", "ticksuffix": f" {scale[1]}", "separatethousands": True}


def _line(
    name: str,
    points: Sequence[tuple[float, float]],
    texts: list[str],
    styles: Mapping[str, Style],
    *,
    scale: Scale,
    markers: bool,
) -> Trace:
    """Of points (size or seconds, bits per second)."""
    properties = {
        "x": [short(value) for value, _ in points],
        "y": [short(rate / scale[0]) for _, rate in points],
        "mode": "lines+markers" if markers else "lines",
        "name": plain(name),
        "text": texts,
        "hovertemplate": "%{text}" if markers else "%{text}<extra></extra>",
    }
    if name not in styles:  # raw TCP, dashed as tuned and dotted otherwise
        line = {"color": INK, "dash": "dash" if name == TCP else "2px,3px", "width": 1.6}
        return trace(**properties, line=line, marker={"color": INK, "size": 4}, meta={"baseline": name})
    style = styles[name]
    line = {"color": style.light, "dash": style.dash, "width": 2}
    marker = {"color": style.light, "symbol": style.marker, "size": 6}
    return trace(**properties, line=line, marker=marker, meta={"implementation": name})


def _paper_line(line: PaperLine, ends: tuple[float, float], scale: Scale) -> Trace:
    y = short(line.bits_per_second / scale[0])
    return trace(
        x=list(ends),
        y=[y, y],
        mode="lines+text",
        line={"color": REFERENCE, "width": 1.5, "dash": "dot"},
        text=[plain(line.words), ""],
        textposition="top right",
        textfont={"color": MUTED, "size": 12},
        hoverinfo="skip",
        meta={"baseline": "the paper"},
    )


def _paper_point(point: PaperPoint, scale: Scale, *, leftwards: bool) -> Trace:
    return trace(
        x=[point.x],
        y=[short(point.bits_per_second / scale[0])],
        mode="markers+text",
        marker={"symbol": "circle-open", "size": 13, "color": REFERENCE, "line": {"width": 2, "color": REFERENCE}},
        text=[plain(point.words)],
        textposition=point.side or ("middle left" if leftwards else "middle right"),
        textfont={"color": MUTED, "size": 12},
        hoverinfo="skip",
        meta={"baseline": "the paper"},
    )


def _bandwidth_words(point: Best, scale: Scale) -> str:
    rate = point.bits_per_second
    return f"{rate.value / scale[0]:.4g} {scale[1]} at {format_size(point.size_bytes)}"
