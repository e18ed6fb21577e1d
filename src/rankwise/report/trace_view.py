"""A trace in the terminal, and its communication matrix as a page."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from html import escape

import numpy as np
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from rankwise.analysis.trace.matrix import Matrix
from rankwise.analysis.trace.sites import SiteUse
from rankwise.analysis.trace.summary import Summary
from rankwise.core.units import at_most, format_share, format_size, format_time

_SHOWN = 12
_KEPT = {
    "all": "all times", "statistics": "times as statistics of each call", "summary": "statistics alone",
}  # fmt: skip


def trace_parts(summary: Summary, sites: Sequence[SiteUse] = ()) -> Iterator[RenderableType]:
    """Yield the tables of a trace in short."""
    total = sum(summary.mpi_seconds)
    everything = total + sum(summary.computing_seconds)
    yield Text(
        f"{summary.ranks} ranks, {format_time(summary.seconds)}, {summary.calls} calls; "
        f"{format_share(total / everything if everything else 0.0)} of the time in MPI"
    )
    yield Text(_imbalance(summary))
    yield Text(
        f"kept: {_KEPT[summary.keep]}; {format_size(summary.structure_bytes)} for the order of calls, "
        f"{format_size(summary.time_bytes)} for times"
    )
    if summary.clock_error_seconds:
        yield Text(f"clocks of the ranks differ by at most {format_time(summary.clock_error_seconds)}")
    if sites:
        yield _sites(sites)
    yield _functions(summary, total)
    if summary.sizes:
        yield _sizes(summary)
    if len(summary.communicators) > 1:
        yield _communicators(summary)
    if summary.regions:
        yield _regions(summary)
    if summary.skews:
        yield _skews(summary)
    for problem in summary.problems:
        yield Text(f"note: {problem}", "yellow")


def _imbalance(summary: Summary) -> str:
    computing, mpi = summary.computing_seconds, summary.mpi_seconds
    imbalance = "" if math.isnan(summary.imbalance) else f" (longest {summary.imbalance:.0%} above the mean)"
    return (
        f"computing: {format_time(min(computing))} to {format_time(max(computing))} a rank{imbalance}; "
        f"in MPI: {format_time(min(mpi))} to {format_time(max(mpi))}"
    )


def _table(title: str, first: str, *others: str) -> Table:
    table = Table(title=title, title_justify="left", box=None, header_style="bold", title_style="bold")
    table.add_column(first)
    for name in others:
        table.add_column(name, justify="right")
    return table


def _sites(sites: Sequence[SiteUse]) -> Table:
    table = _table(
        "\nBy site", "site", "MPI", "ranks", "hosts", "messages within", "bytes", "to other sites", "bytes"
    )
    for one in sites:
        hosts = ", ".join(one.hosts[:3]) + (", ..." if len(one.hosts) > 3 else "")
        table.add_row(
            one.site, one.implementation, f"{one.first}" + (f" to {one.last}" if one.ranks > 1 else ""), hosts,
            str(one.messages_within), format_size(one.bytes_within), str(one.messages_to_others),
            format_size(one.bytes_to_others),
        )  # fmt: skip
    return table


def _functions(summary: Summary, total: float) -> Table:
    table = _table("\nTime by call, over all ranks", "call", "calls", "time", "of MPI", "longest", "bytes")
    for one in summary.functions[:_SHOWN]:
        idle = f" +{one.idle_calls} unsuccessful" if one.idle_calls else ""
        table.add_row(
            one.function, f"{one.calls}{idle}", format_time(one.seconds),
            format_share(one.seconds / total if total else 0.0), format_time(one.longest_seconds),
            format_size(one.bytes) if one.bytes else "",
        )  # fmt: skip
    rest = summary.functions[_SHOWN:]
    if rest:
        table.add_row(f"{len(rest)} more", str(sum(one.calls for one in rest)),
                      format_time(sum(one.seconds for one in rest)))  # fmt: skip
    return table


def _sizes(summary: Summary) -> Table:
    table = _table("\nMessages by size", "bytes", "messages", "bytes in all", "collective calls", "bytes in all")
    for one in summary.sizes:
        table.add_row(
            at_most(one.size_bytes) if one.size_bytes else "0", str(one.messages or ""),
            format_size(one.bytes) if one.messages else "", str(one.collective_calls or ""),
            format_size(one.collective_bytes) if one.collective_calls else "",
        )  # fmt: skip
    return table


def _communicators(summary: Summary) -> Table:
    table = _table("\nBy communicator", "ranks of MPI_COMM_WORLD", "calls", "time")
    for one in summary.communicators[:_SHOWN]:
        shown = ", ".join(map(str, one.members[:8])) + (", ..." if one.ranks > 8 else "")
        table.add_row(f"{one.ranks}: {shown}", str(one.calls), format_time(one.seconds))
    return table


def _regions(summary: Summary) -> Table:
    table = _table("\nBy region, over all ranks", "region", "entered", "time", "in MPI", "calls")
    for one in summary.regions[:_SHOWN]:
        table.add_row(
            one.name, str(one.entered), format_time(one.seconds), format_time(one.mpi_seconds), str(one.calls)
        )
    return table


def _skews(summary: Summary) -> Table:
    table = _table(
        "\nHow much later the last rank came than the first", "collective", "calls", "median", "longest"
    )
    for one in summary.skews:
        table.add_row(
            one.function, str(one.calls), format_time(one.median_seconds), format_time(one.longest_seconds)
        )
    return table


def matrix_page(matrix: Matrix) -> str:
    """Return a page with the bytes between ranks as a heat map, which needs nothing else: cells are SVG."""
    ranks = len(matrix.bytes)
    side = max(4, min(40, 800 // max(ranks, 1)))
    most = max(int(matrix.bytes.max(initial=0)), 1)
    cells = []
    for source, destination in np.argwhere(matrix.messages).tolist():
        size, count = int(matrix.bytes[source, destination]), int(matrix.messages[source, destination])
        depth = math.log1p(size) / math.log1p(most)
        told = escape(f"{source} to {destination}: {count} messages, {format_size(size)}")
        cells.append(
            f'<rect x="{destination * side}" y="{source * side}" width="{side}" height="{side}" '
            f'fill="hsl(210 70% {92 - 62 * depth:.0f}%)"><title>{told}</title></rect>'
        )
    data = json.dumps({"messages": matrix.messages.tolist(), "bytes": matrix.bytes.tolist()})
    return (
        '<!doctype html><html lang="en"><meta charset="utf-8"><title>Communication matrix</title>'
        "<style>body{font:14px system-ui,sans-serif;margin:2rem;color-scheme:light dark}</style>"
        f"<h1>Communication matrix</h1><p>Rows send, columns receive; the darker, the more bytes (logarithmic, at "
        f"most {format_size(most)} between two ranks). Messages within collectives are not among them.</p>"
        f'<svg role="img" aria-label="bytes between {ranks} ranks" width="{ranks * side}" height="{ranks * side}" '
        f'style="background:color-mix(in srgb,currentColor 8%,transparent)">{"".join(cells)}</svg>'
        f'<script type="application/json" id="matrix">{data}</script></html>'
    )
