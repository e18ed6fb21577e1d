"""The distribution of one cell's samples, as empirical distribution functions beside one another.

The vertical axis is that of probability paper (the normal quantile of the share), so that the tail has room.
"""

from __future__ import annotations

from collections.abc import Mapping
from statistics import NormalDist

from rankwise.report.canvas import Figure, blank_figure, log_axis, plain, short, time_words, trace
from rankwise.report.colours import PAPER, Style
from rankwise.report.groups import Group, GroupedComparison

_TICKS = (1, 10, 25, 50, 75, 90, 99)
_END = 0.25
"""The fastest and the slowest sample stand where 0.25 % and 99.75 % would: their own place is at infinity."""


def ecdf_frame(styles: Mapping[str, Style]) -> Figure:
    """Return the figure without its times: a line over the 101 quantiles and a marker on p99 for each MPI.

    A page fills `x` of both from `ecdf_nanoseconds`: there are as many distributions as cells, and they differ
    in nothing but that.
    """
    figure = blank_figure()
    heights = [round(_height(percent), 4) for percent in range(101)]
    names = ["fastest", *(f"{percent} %" for percent in range(1, 100)), "slowest"]
    figure["layout"]["xaxis"].update(log_axis((1e-9, 100.0), time_words, steps=(1, 2, 5)))
    figure["layout"]["yaxis"].update(
        tickvals=[heights[0], *(heights[percent] for percent in _TICKS), heights[100]],
        ticktext=["fastest", *(f"{percent} %" for percent in _TICKS), "slowest"],
        range=[heights[0] - 0.15, heights[100] + 0.15],
    )
    for name, style in styles.items():
        shared = {"name": plain(name), "hovertemplate": "%{text}: %{x:.3~s}s"}
        figure["data"].append(
            trace(
                x=[],
                y=heights,
                text=names,
                mode="lines",
                line={"color": style.light, "dash": style.dash, "width": 2},
                meta={"implementation": name, "part": "ecdf"},
                **shared,
            )
        )
        figure["data"].append(
            trace(
                x=[],
                y=[heights[99]],
                text=[names[99]],
                mode="markers",
                marker={
                    "color": style.light,
                    "symbol": style.marker,
                    "size": 10,
                    "line": {"color": PAPER, "width": 1},
                },
                meta={"implementation": name, "part": "p99"},
                **shared,
            )
        )
    figure["layout"]["hovermode"] = "closest"
    return figure


def ecdf_nanoseconds(grouped: GroupedComparison, group: Group) -> dict[int, dict[str, list[float | None]]]:
    """Return the 101 quantiles by size in bytes and implementation, in nanoseconds with four digits."""
    by_size: dict[int, dict[str, list[float | None]]] = {}
    for distribution in grouped.distributions.get(group, ()):
        cell = distribution.cell
        quantiles = [short(value * 1e9) for value in distribution.quantiles_seconds]
        by_size.setdefault(cell.size_bytes, {})[cell.variant] = quantiles
    return by_size


def _height(percent: float) -> float:
    return NormalDist().inv_cdf(min(max(percent, _END), 100 - _END) / 100)
