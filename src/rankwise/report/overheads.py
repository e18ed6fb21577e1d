"""MPI's overhead over raw TCP, drawn: as a ratio of times and as a difference, against size."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from rankwise.analysis.compare.tcp_sentences import ratio_words
from rankwise.core.results import Overhead
from rankwise.report.canvas import EMPTY_MESSAGE_AT, Figure, log_axis, sized_figure, time_words, trace
from rankwise.report.colours import REFERENCE, Style
from rankwise.report.groups import Group, GroupedComparison
from rankwise.report.lines import band, line, line_with_band
from rankwise.report.views import difference_interval, signed_time


@dataclass(frozen=True, slots=True)
class OverheadTable:
    """An overhead table has a row a size and a cell an implementation, which is None where not measured."""

    group: Group
    names: tuple[str, ...]
    rows: tuple[tuple[int, float, tuple[Overhead | None, ...]], ...]
    """Size in bytes, raw TCP's seconds, cells."""
    unpaired: bool
    """Some cells set whole medians against each other."""


def overhead_tables(grouped: GroupedComparison) -> list[OverheadTable]:
    """Return one a group, implementations in their order."""
    tables = []
    for group, overheads in grouped.overheads.items():
        present = {name for _, name in overheads}
        names = tuple(name for name in grouped.comparison.implementations if name in present)
        rows = []
        for size in sorted({size for size, _ in overheads}):
            cells = tuple(overheads.get((size, name)) for name in names)
            rows.append((size, next(cell.tcp_seconds for cell in cells if cell), cells))
        unpaired = not all(overhead.paired for overhead in overheads.values())
        tables.append(OverheadTable(group, names, tuple(rows), unpaired))
    return tables


def overhead_figures(table: OverheadTable, styles: Mapping[str, Style]) -> dict[str, Figure]:
    """Return `ratio`, and `difference` where MPI takes longer anywhere: its axis is logarithmic."""
    sizes = [size for size, _, _ in table.rows]
    lines = {
        name: [overhead for overhead in (cells[column] for _, _, cells in table.rows) if overhead]
        for column, name in enumerate(table.names)
    }
    figures = {"ratio": _ratio_figure(sizes, lines, styles)}
    if any(overhead.difference_seconds > 0 for overhead in chain(*lines.values())):
        figures["difference"] = _difference_figure(sizes, lines, styles)
    return figures


def _ratio_figure(
    sizes: Sequence[int], lines: Mapping[str, Sequence[Overhead]], styles: Mapping[str, Style]
) -> Figure:
    figure = sized_figure(sizes)
    everyone = list(chain(*lines.values()))
    ends = [
        end
        for overhead in everyone
        for end in (overhead.ratio_low, overhead.ratio, overhead.ratio_high)
        if math.isfinite(end)
    ]
    ends.append(1.0)
    # Over less than half a decade the ticks of a logarithmic axis would be too few.
    wide = max(ends) > 3.2 * max(min(ends), 1e-9)
    axis = log_axis(ends, lambda ratio: f"{ratio:g} ×") if wide else {"tickformat": "~r", "ticksuffix": " ×"}
    figure["layout"]["yaxis"].update(axis)
    figure["data"].append(
        trace(
            x=[max(size, EMPTY_MESSAGE_AT) for size in sizes],
            y=[1.0] * len(sizes),
            mode="lines",
            line={"color": REFERENCE, "dash": "dash", "width": 1.5},
            hoverinfo="skip",
            meta={"baseline": "raw TCP"},
        )
    )
    for name, own in lines.items():
        interval = [overhead.ratio_low for overhead in own], [overhead.ratio_high for overhead in own]
        ratios = [overhead.ratio for overhead in own]
        figure["data"] += line_with_band(
            name,
            styles[name],
            _places(own),
            ratios,
            interval=interval,
            formatter=lambda ratio: f"{ratio_words(ratio)} ×",
        )
    return figure


def _difference_figure(
    sizes: Sequence[int], lines: Mapping[str, Sequence[Overhead]], styles: Mapping[str, Style]
) -> Figure:
    figure = sized_figure(sizes)
    figure["layout"]["yaxis"].update(
        log_axis([overhead.difference_seconds for overhead in chain(*lines.values())], time_words)
    )
    for name, own in lines.items():
        longer = [overhead for overhead in own if overhead.difference_seconds > 0]
        # An end below 0 has no place on the axis: the band then reaches down to a hundredth of the difference.
        low = [max(overhead.difference_low_seconds, overhead.difference_seconds / 100) for overhead in longer]
        high = [overhead.difference_high_seconds for overhead in longer]
        differences = [overhead.difference_seconds for overhead in longer]
        texts = [
            f"{signed_time(overhead.difference_seconds)}  {difference_interval(overhead)}" for overhead in longer
        ]
        figure["data"].append(band(name, styles[name], _places(longer), (low, high)))
        figure["data"].append(line(name, styles[name], _places(longer), differences, texts))
    return figure


def _places(overheads: Sequence[Overhead]) -> list[float]:
    return [overhead.size_bytes or EMPTY_MESSAGE_AT for overhead in overheads]
