"""Figures of a prediction: what each rank does over time, and how busy links are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rankwise.analysis.predict.load import LinkLoads
from rankwise.core.units import format_size
from rankwise.report.canvas import Figure, Trace, blank_figure, plain, short, time_words, trace
from rankwise.report.colours import PAPER, Style
from rankwise.simulation.timeline import Timeline

MOST_RANKS = 64
MOST_MESSAGES = 1500
"""More lines than these are a blot."""
LOAD = "load"
ACTIVITIES = {"compute": "computes", "send": "sends", "receive": "receives"}
MESSAGE = "message"


def timeline_figure(timeline: Timeline, nodes_of_ranks: Sequence[str], styles: Mapping[str, Style]) -> Figure:
    """Draw a row a rank: what its processor does as bars, its messages as lines from row to row."""
    figure = blank_figure()
    ranks = min(len(nodes_of_ranks), MOST_RANKS)
    width = max(2.0, min(14.0, 320.0 / max(ranks, 1)))
    passages = [passage for passage in timeline.passages if passage.from_rank < ranks and passage.to_rank < ranks]
    if len(passages) <= MOST_MESSAGES:
        segments = [
            ((passage.begin_seconds, passage.from_rank), (passage.end_seconds, passage.to_rank),
             f"{passage.from_rank} to {passage.to_rank}, {format_size(passage.size_bytes)}: "
             f"{time_words(passage.end_seconds - passage.begin_seconds)}")
            for passage in passages
        ]  # fmt: skip
        figure["data"].append(_segments(MESSAGE, segments, styles[MESSAGE], 1.2))
    for what, phrase in ACTIVITIES.items():
        segments = [
            ((activity.begin_seconds, activity.rank), (activity.end_seconds, activity.rank),
             f"rank {activity.rank} {phrase} for {time_words(activity.end_seconds - activity.begin_seconds)}")
            for activity in timeline.activities
            if activity.what == what and activity.rank < ranks and activity.end_seconds > activity.begin_seconds
        ]  # fmt: skip
        if segments:
            figure["data"].append(_segments(what, segments, styles[what], width))
    layout = figure["layout"]
    layout["hovermode"] = "closest"
    layout["xaxis"].update(tickformat="~s", ticksuffix="s", rangemode="tozero")
    step = max(1, ranks // 16)
    shown = range(0, ranks, step)
    layout["yaxis"].update(
        range=[ranks - 0.4, -0.6],
        tickvals=list(shown),
        ticktext=[plain(f"{rank} on {nodes_of_ranks[rank]}") for rank in shown],
        showgrid=False,
    )
    return figure


def _segments(
    name: str, segments: Sequence[tuple[tuple[float, float], tuple[float, float], str]], style: Style, width: float
) -> Trace:
    x: list[float | None] = []
    y: list[float | None] = []
    text: list[str] = []
    for (x0, y0), (x1, y1), label in segments:
        x += [short(x0, 7), short(x1, 7), None]
        y += [y0, y1, None]
        text += [label, label, ""]
    return trace(
        x=x, y=y, mode="lines", line={"color": style.light, "width": width}, name=name, text=text,
        hovertemplate="%{text}<extra></extra>", meta={"baseline": name},
    )  # fmt: skip


def load_figure(loads: LinkLoads, styles: Mapping[str, Style]) -> Figure:
    """Draw a heat map: a row for a link or one direction of a NIC, time to the right, its load as colour."""
    figure = blank_figure()
    bins = loads.shares.shape[1]
    middles = [(number + 0.5) * loads.bin_seconds for number in range(bins)]
    text = [
        [
            f"{plain(link)}, {time_words(middle)}: {min(share, 1.0):.0%}"
            for middle, share in zip(middles, row, strict=True)
        ]
        for link, row in zip(loads.links, loads.shares, strict=True)
    ]
    figure["data"].append({
        "type": "heatmap",
        "x": [short(middle, 6) for middle in middles],
        "y": list(range(len(loads.links))),
        "z": [[round(float(share), 3) for share in row] for row in loads.shares.clip(max=1.0)],
        "zmin": 0,
        "zmax": 1,
        "colorscale": [[0, PAPER], [1, styles[LOAD].light]],
        "colorbar": {"tickformat": ".0%", "thickness": 12, "outlinewidth": 0},
        "xgap": 1,
        "ygap": 2,
        "text": text,
        "hovertemplate": "%{text}<extra></extra>",
        "name": LOAD,
        "meta": {"baseline": LOAD},
    })  # fmt: skip
    layout = figure["layout"]
    layout["hovermode"] = "closest"
    layout["xaxis"].update(tickformat="~s", ticksuffix="s", rangemode="tozero")
    layout["yaxis"].update(
        autorange="reversed", tickvals=list(range(len(loads.links))),
        ticktext=[plain(link) for link in loads.links], showgrid=False,
    )  # fmt: skip
    return figure
