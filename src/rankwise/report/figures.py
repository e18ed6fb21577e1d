"""Plotly figures as pure functions of the records, in light colours; nothing here knows of a page.

Every trace that belongs to an implementation says so in `meta.implementation`, so that a page can switch it off.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from rankwise.core.results import Curve, CurvePoint, Overlap, SwitchPoint
from rankwise.core.units import format_bandwidth, format_size
from rankwise.report.canvas import (
    EMPTY_MESSAGE_AT,
    Figure,
    Trace,
    blank_figure,
    log_axis,
    plain,
    short,
    sized_figure,
    time_words,
    trace,
)
from rankwise.report.colours import REFERENCE, Style
from rankwise.report.groups import Group, GroupedComparison
from rankwise.report.lines import interval_words, line_with_band


def group_figures(grouped: GroupedComparison, group: Group, styles: Mapping[str, Style]) -> dict[str, Figure]:
    """Return the figures of one group: `latency`, and `bandwidth` and `overlap` where they mean something."""
    curves = grouped.curves(group)
    if not curves:
        return {}
    if _sizes(curves) == {0}:
        return {"latency": single_size_figure(curves, styles)}
    references, switches = grouped.references(group), grouped.switch_points(group)
    figures = {"latency": latency_figure(curves, styles, references, switches)}
    if any(_moving(curve).points for curve in curves):
        figures["bandwidth"] = bandwidth_figure(curves, styles, references)
    if overlaps := grouped.overlaps(group):
        figures["overlap"] = overlap_figure(overlaps, styles)
    return figures


def latency_figure(
    curves: Sequence[Curve],
    styles: Mapping[str, Style],
    references: Sequence[Curve] = (),
    switches: Sequence[SwitchPoint] = (),
) -> Figure:
    """Draw the median time against size on logarithmic axes, with 95 % intervals and protocol switches."""
    figure = sized_figure(_sizes(curves))
    times = [p.median_seconds for curve in (*curves, *references) for p in curve.points]
    figure["layout"]["yaxis"].update(log_axis(times, time_words))
    for curve in references:
        figure["data"].append(_reference(curve, [p.median_seconds for p in curve.points], time_words))
    for curve in curves:
        low = [p.low_seconds for p in curve.points]
        high = [p.high_seconds for p in curve.points]
        _add_curve(
            figure,
            curve,
            styles,
            [p.median_seconds for p in curve.points],
            interval=(low, high),
            formatter=time_words,
        )
    for curve in curves:
        _add_switches(figure, curve, switches, styles)
    return figure


def bandwidth_figure(
    curves: Sequence[Curve], styles: Mapping[str, Style], references: Sequence[Curve] = ()
) -> Figure:
    """Draw bytes per second against size, from the median time and the ends of its interval."""
    figure = sized_figure(_sizes(curves))
    rates = [rate for curve in (*curves, *references) for rate in _rates(_moving(curve))]
    figure["layout"]["yaxis"].update(log_axis(rates, format_bandwidth))
    for curve in references:
        moving = _moving(curve)
        if moving.points:
            figure["data"].append(_reference(moving, _rates(moving), format_bandwidth))
    for curve in map(_moving, curves):
        low = [p.bytes_per_sample / p.high_seconds if p.high_seconds else math.nan for p in curve.points]
        high = [p.bytes_per_sample / p.low_seconds if p.low_seconds else math.nan for p in curve.points]
        _add_curve(figure, curve, styles, _rates(curve), interval=(low, high), formatter=format_bandwidth)
    return figure


def overlap_figure(overlaps: Mapping[str, Sequence[Overlap]], styles: Mapping[str, Style]) -> Figure:
    """Draw the share of the operation that hides behind computation, against size, with 95 % intervals."""
    everything = [overlap for own in overlaps.values() for overlap in own]
    figure = sized_figure(sorted({overlap.size_bytes for overlap in everything}))
    low, high = (sorted(overlap.share for overlap in everything)[end] for end in (0, -1))
    figure["layout"]["yaxis"].update(tickformat=".0%", range=[min(low, 0) - 0.03, max(high, 1) + 0.03])
    for name, own in overlaps.items():
        interval = ([overlap.share_low for overlap in own], [overlap.share_high for overlap in own])
        places = [overlap.size_bytes or EMPTY_MESSAGE_AT for overlap in own]
        figure["data"] += line_with_band(
            name,
            styles[name],
            places,
            [overlap.share for overlap in own],
            interval=interval,
            formatter="{:.0%}".format,
        )
    return figure


def single_size_figure(curves: Sequence[Curve], styles: Mapping[str, Style]) -> Figure:
    """Return an operation without a message (barrier): one median with its interval for each implementation."""
    figure = blank_figure()
    figure["layout"]["xaxis"].update(type="category")
    figure["layout"]["yaxis"].update(rangemode="tozero", tickformat="~s", ticksuffix="s")
    for curve in curves:
        style, point = styles[curve.implementation], curve.points[0]
        figure["data"].append(
            trace(
                x=[plain(curve.implementation)],
                y=[short(point.median_seconds)],
                error_y={
                    "array": [short(point.high_seconds - point.median_seconds)],
                    "arrayminus": [short(point.median_seconds - point.low_seconds)],
                    "color": style.light,
                    "thickness": 2,
                    "width": 7,
                },
                mode="markers",
                marker={"color": style.light, "symbol": style.marker, "size": 11},
                name=plain(curve.implementation),
                text=[interval_words(point.median_seconds, point.low_seconds, point.high_seconds, time_words)],
                hovertemplate="%{text}",
                meta={"implementation": curve.implementation},
            )
        )
    figure["layout"]["hovermode"] = "closest"
    return figure


def _add_curve(
    figure: Figure,
    curve: Curve,
    styles: Mapping[str, Style],
    values: Sequence[float],
    *,
    interval: tuple[Sequence[float], Sequence[float]],
    formatter: Callable[[float], str],
) -> None:
    if not curve.points:
        return
    name, x = curve.implementation, _places(curve.points)
    figure["data"] += line_with_band(name, styles[name], x, values, interval=interval, formatter=formatter)


def _add_switches(
    figure: Figure, curve: Curve, switches: Sequence[SwitchPoint], styles: Mapping[str, Style]
) -> None:
    at = {point.size_bytes: point.median_seconds for point in curve.points}
    own = [s for s in switches if s.implementation == curve.implementation and s.at_bytes in at]
    if own:
        figure["data"].append(
            trace(
                x=[s.at_bytes for s in own],
                y=[short(at[s.at_bytes]) for s in own],
                mode="markers",
                marker={
                    "symbol": "circle-open",
                    "size": 16,
                    "color": styles[curve.implementation].light,
                    "line": {"width": 2},
                },
                name=f"{plain(curve.implementation)} switches",
                text=[
                    f"switches at {format_size(s.at_bytes)}: {s.jump_ratio:.2f} × the extrapolated time"
                    for s in own
                ],
                hovertemplate="%{text}",
                meta={"implementation": curve.implementation, "part": "switch"},
            )
        )


def _reference(curve: Curve, values: Sequence[float], formatter: Callable[[float], str]) -> Trace:
    return trace(
        x=_places(curve.points),
        y=[short(value) for value in values],
        mode="lines" if len(curve.points) > 1 else "markers",
        marker={"color": REFERENCE, "size": 6},
        line={"color": REFERENCE, "dash": "dot" if curve.benchmark == "memcpy" else "dash", "width": 1.5},
        name=plain(curve.benchmark),
        text=[formatter(value) for value in values],
        hovertemplate="%{text}",
        meta={"baseline": curve.benchmark},
    )


def _places(points: Sequence[CurvePoint]) -> list[float]:
    return [point.size_bytes or EMPTY_MESSAGE_AT for point in points]


def _sizes(curves: Sequence[Curve]) -> set[int]:
    return {point.size_bytes for curve in curves for point in curve.points}


def _moving(curve: Curve) -> Curve:
    points = tuple(point for point in curve.points if point.bytes_per_sample > 0 and point.median_seconds > 0)
    return replace(curve, points=points)


def _rates(moving: Curve) -> list[float]:
    return [point.bytes_per_sample / point.median_seconds for point in moving.points]
