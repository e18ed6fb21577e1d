"""Streams over time: the bandwidth of each message, and below it what TCP did meanwhile."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, get_args

from rankwise.analysis import labels
from rankwise.core.records import Cell, Options, TimelineQuantity
from rankwise.core.results import Comparison, StreamCurve, TimelineCurve
from rankwise.core.units import format_rate, format_size
from rankwise.report.canvas import Figure, blank_figure, time_words
from rankwise.report.colours import GREY, MUTED, Style
from rankwise.report.lines import line_with_band

RAW_TCP = "raw TCP"
_GAP = 0.07
"""Between two rows of a figure, as a share of its height; the bandwidth takes as much as all rows below it."""
_ROWS: dict[TimelineQuantity, tuple[str, Callable[[float], str]]] = {
    "congestion window": ("Window", format_size),
    "round trip": ("Round trip", time_words),
    "retransmits": ("Retransmits", lambda count: f"{count:.0f}"),
}


@dataclass(frozen=True, slots=True)
class StreamGroup:
    """The streams that share a figure: everything but the implementation is the same."""

    label: str
    streams: tuple[StreamCurve, ...]
    timelines: tuple[TimelineCurve, ...]


def stream_groups(comparison: Comparison) -> list[StreamGroup]:
    """Return streams by size, ranks, options and placement, in their order; raw TCP comes first.

    Timelines of another kind, as of flows in a pattern, are no streams.
    """
    known = [timeline for timeline in comparison.timelines if timeline.quantity in _ROWS]
    cells = [stream.cell for stream in comparison.streams] + [timeline.cell for timeline in known]
    several = labels.varied((cell.options, cell.placement) for cell in cells)
    groups = []
    for way in dict.fromkeys(map(_way, cells)):
        size_bytes, ranks, options, placement = way
        streams = [stream for stream in comparison.streams if _way(stream.cell) == way]
        streams.sort(key=lambda stream: stream.category != "baseline")
        timelines = tuple(timeline for timeline in known if _way(timeline.cell) == way)
        settings = labels.words(options, placement, several)
        parts = [f"Messages of {format_size(size_bytes)}", f"{ranks} ranks", *settings]
        groups.append(StreamGroup(", ".join(parts), tuple(streams), timelines))
    return groups


def _way(cell: Cell) -> tuple[int, int, Options, str]:
    return (cell.size_bytes, cell.ranks, cell.options, cell.placement)


def stream_figure(group: StreamGroup, styles: Mapping[str, Style]) -> Figure:
    """Draw bandwidth over the time since the first message, and a row of the same time for each timeline."""
    figure = blank_figure()
    quantities = [
        quantity
        for quantity in get_args(TimelineQuantity)
        if quantity in {line.quantity for line in group.timelines}
    ]
    _lay_out(figure, quantities, _end(group))
    for stream in group.streams:
        low, high = 8 * stream.low_bytes_per_second, 8 * stream.high_bytes_per_second
        figure["data"] += line_with_band(
            *_look(stream, styles), _listed(stream.times_seconds), _listed(8 * stream.bytes_per_second),
            interval=(_listed(low), _listed(high)), formatter=format_rate, **_meta(stream),
        )  # fmt: skip
    for timeline in group.timelines:
        axis = f"y{quantities.index(timeline.quantity) + 2}"
        figure["data"] += line_with_band(
            RAW_TCP, replace(GREY, dash="solid"), _listed(timeline.times_seconds), _listed(timeline.values),
            interval=(_listed(timeline.low_values), _listed(timeline.high_values)),
            formatter=_ROWS[timeline.quantity][1], yaxis=axis,
            meta={"baseline": RAW_TCP, "part": timeline.quantity},
        )  # fmt: skip
    return figure


def _end(group: StreamGroup) -> float:
    """The last moment that is drawn, seconds."""
    times = [stream.times_seconds for stream in group.streams] + [
        timeline.times_seconds for timeline in group.timelines
    ]
    return max(float(moments[-1]) for moments in times)


def _lay_out(figure: Figure, quantities: Sequence[TimelineQuantity], end_seconds: float) -> None:
    """The axes: one of time for all rows, which stand above one another."""
    layout = figure["layout"]
    layout["hovermode"] = "closest"
    layout["xaxis"] |= {
        "range": [0, end_seconds * 1.01],
        "ticksuffix": " s",
        "title": {"text": "Time since the first message", "font": {"color": MUTED, "size": 13}},
    }
    height = (1 - _GAP * len(quantities)) / (2 * len(quantities)) if quantities else 0.0
    bottom = len(quantities) * (height + _GAP)
    axis = dict(layout["yaxis"])
    layout["yaxis"] = {**axis, **_axis("Bandwidth", "~s", "bit/s"), "domain": [bottom, 1.0]}
    for row, quantity in enumerate(quantities):
        top = bottom - _GAP - row * (height + _GAP)
        unit = {"congestion window": "B", "round trip": "s"}.get(quantity, "")
        layout[f"yaxis{row + 2}"] = {
            **axis, **_axis(_ROWS[quantity][0], "~s", unit), "domain": [max(0.0, top - height), top], "nticks": 4,
        }  # fmt: skip
    # Time is written below the last row.
    layout["xaxis"]["anchor"] = f"y{len(quantities) + 1}" if quantities else "y"


def _axis(title: str, tick_format: str, suffix: str) -> dict[str, Any]:
    return {
        "rangemode": "tozero",
        "tickformat": tick_format,
        "ticksuffix": suffix,
        "title": {"text": title, "font": {"color": MUTED, "size": 12}},
    }


def _look(stream: StreamCurve, styles: Mapping[str, Style]) -> tuple[str, Style]:
    name = stream.cell.variant
    return (RAW_TCP, GREY) if stream.category == "baseline" else (name, styles[name])


def _meta(stream: StreamCurve) -> dict[str, Any]:
    return {"meta": {"baseline": RAW_TCP}} if stream.category == "baseline" else {}


def _listed(values: Iterable[float]) -> list[float]:
    """Plain numbers of six digits, for JSON."""
    return [float(f"{value:.6g}") for value in values]
