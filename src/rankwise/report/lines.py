"""One line with its interval, as every figure draws it: in the look of its implementation, or grey without one."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from rankwise.report.canvas import Trace, plain, short, time_words, trace
from rankwise.report.colours import Style

DIGITS = 6
"""Of what is drawn: ratios may differ by a thousandth."""
MARKED_POINTS = 40
"""Lines of more points are drawn without markers, which would cover one another."""


def line_with_band(
    name: str,
    style: Style,
    x: Sequence[float],
    values: Sequence[float],
    *,
    interval: tuple[Sequence[float], Sequence[float]],
    formatter: Callable[[float], str] = time_words,
    **more: Any,
) -> list[Trace]:
    """Return the band of `interval`, low and high, and the line over it; hovers tell both by `formatter`."""
    low, high = interval
    texts = [interval_words(*numbers, formatter) for numbers in zip(values, low, high, strict=True)]
    return [band(name, style, x, interval, **more), line(name, style, x, values, texts, **more)]


def band(
    name: str, style: Style, x: Sequence[float], interval: tuple[Sequence[float], Sequence[float]], **more: Any
) -> Trace:
    """Return the area between low and high, where there is one, without a word when hovered."""
    known = [ends for ends in zip(x, *interval, strict=True) if all(map(math.isfinite, ends))]
    return trace(
        x=[at for at, _, _ in (*known, *reversed(known))],
        y=[short(high, DIGITS) for _, _, high in known] + [short(low, DIGITS) for _, low, _ in reversed(known)],
        mode="lines",
        line={"width": 0, "color": style.light},
        fill="toself",
        fillcolor=style.band,
        hoverinfo="skip",
        **{"meta": {"implementation": name}, **more},
    )


def line(
    name: str, style: Style, x: Sequence[float], values: Sequence[float], texts: Sequence[str], **more: Any
) -> Trace:
    """Return the line alone; `more` are further properties of the trace, such as another `meta`."""
    marks: Mapping[str, Any] = {"marker": {"color": style.light, "symbol": style.marker, "size": 6}}
    return trace(
        x=list(x),
        y=[short(value, DIGITS) for value in values],
        mode="lines+markers" if len(x) <= MARKED_POINTS else "lines",
        line={"color": style.light, "dash": style.dash, "width": 2},
        **(marks if len(x) <= MARKED_POINTS else {}),
        text=list(texts),
        hovertemplate="%{text}",
        **{"name": plain(name), "meta": {"implementation": name}, **more},
    )


def interval_words(value: float, low: float, high: float, formatter: Callable[[float], str]) -> str:
    """Return words such as `1.2 µs  [1.1 µs, 1.3 µs]`."""
    if not (math.isfinite(low) and math.isfinite(high)):
        return f"{formatter(value)}, no interval"
    return f"{formatter(value)}  [{formatter(low)}, {formatter(high)}]"
