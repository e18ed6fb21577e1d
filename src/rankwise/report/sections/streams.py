"""Streams of messages over time, and what TCP did meanwhile."""

from __future__ import annotations

from collections.abc import Mapping

from rankwise.core.results import Comparison
from rankwise.report.colours import Style
from rankwise.report.page import Choice, Section
from rankwise.report.streams import stream_figure, stream_groups


def streams(comparison: Comparison, styles: Mapping[str, Style]) -> Section | None:
    """Return a figure and a table for each set of streams; None where no stream was measured."""
    groups = stream_groups(comparison)
    if not groups:
        return None
    return Section(
        "streams",
        {"streams": groups, "timelines": comparison.timelines},
        link="Streams",
        choices={"stream": [Choice(one.label, {"bandwidth": stream_figure(one, styles)}) for one in groups]},
    )
