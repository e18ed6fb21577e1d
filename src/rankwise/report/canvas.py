"""An empty Plotly figure as all of the report's figures begin: light paper, hairline grid, units on the axes."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from html import escape
from typing import Any

from rankwise.core.units import format_size, format_time
from rankwise.report.colours import AXIS, GRID, INK, MUTED, PAPER

EMPTY_MESSAGE_AT = 0.4
"""Where a message of 0 bytes stands on the logarithmic axis, in bytes: beside 1, and 0 when a hover rounds it."""

_FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif"
_SIZE_TICKS = tuple(1 << power for power in range(0, 41, 4))


Figure = dict[str, Any]
"""`{"data": [trace, ...], "layout": {...}}` as Plotly's JavaScript takes it: plain, because building the same
from `plotly.graph_objects` costs seconds for a page; the tests hold every figure against its schema."""
Trace = dict[str, Any]


def blank_figure() -> Figure:
    """Return a figure without traces or units; nothing in it is dragged, so that a page scrolls under a thumb."""
    axis = {
        "gridcolor": GRID,
        "linecolor": AXIS,
        "tickfont": {"color": MUTED},
        "zeroline": False,
        "automargin": True,
        "fixedrange": True,
    }
    layout = {
        "font": {"family": _FONT, "size": 13, "color": INK},
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
        "margin": {"l": 8, "r": 12, "t": 10, "b": 8},
        "hovermode": "x unified",
        "hoverlabel": {
            "bgcolor": PAPER,
            "bordercolor": AXIS,
            "font": {"color": INK, "size": 12},
            "align": "left",
        },
        "showlegend": False,
        "dragmode": False,
        "xaxis": {**axis, "showline": True, "showgrid": False},
        "yaxis": axis,
    }
    return {"data": [], "layout": layout}


def sized_figure(sizes_bytes: Iterable[int]) -> Figure:
    """Return a figure over message sizes, which are ticked in powers of 16."""
    figure = blank_figure()
    sizes = sorted(set(sizes_bytes))
    ticks = {float(size): format_size(size) for size in _SIZE_TICKS if sizes[0] <= size <= sizes[-1]}
    if len(ticks) < 2:
        ticks |= {float(size): format_size(size) for size in sizes if size > 0}
    if 0 in sizes:
        ticks[EMPTY_MESSAGE_AT] = "0"
    figure["layout"]["xaxis"] |= {
        "type": "log",
        "tickvals": list(ticks),
        "ticktext": list(ticks.values()),
        "unifiedhovertitle": {"text": "%{x:,d} B"},
        "title": {"text": "Message size", "font": {"color": MUTED, "size": 13}},
    }
    return figure


def trace(**properties: Any) -> Trace:
    """Return a scatter trace: all that the report draws is one."""
    return {"type": "scatter", **properties}


def log_axis(
    values: Iterable[float], formatter: Callable[[float], str], steps: tuple[int, ...] = ()
) -> dict[str, Any]:
    """Return a logarithmic axis over positive values, ticked at `steps` in each decade.

    Default: at powers of ten, or at 1, 2, 5 where there are few of those.
    """
    logarithms = [math.log10(value) for value in values if 0 < value < math.inf] or [0.0]
    first, last = math.floor(min(logarithms)), math.ceil(max(logarithms))
    steps = steps or ((1,) if last - first > 3 else (1, 2, 5))
    ticks = [step * 10.0**power for power in range(first, last + 1) for step in steps]
    return {
        "type": "log",
        "tickvals": [short(value) for value in ticks],
        "ticktext": [formatter(value) for value in ticks],
    }


def short(value: float, digits: int = 4) -> float | None:
    """Return four digits of a number: more can hardly be seen, and would only make the page heavier.

    Return None, a gap, for no number."""
    return float(f"{value:.{digits}g}") if math.isfinite(value) else None


def time_words(seconds: float) -> str:
    """Return a time with the sign for micro that a page can show."""
    return format_time(seconds).replace(" us", " µs")


def plain(name: str) -> str:
    """Return a name that Plotly, which reads a little HTML in its texts, shows as it is."""
    return escape(name, quote=False)
