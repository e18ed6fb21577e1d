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
    for use in sites:
        hosts = ", ".join(use.hosts[:3]) + (", ..." if len(use.hosts) > 3 else "")
        table.add_row(
            use.site, use.implementation, f"{use.first}" + (f" to {use.last}" if use.ranks > 1 else ""), hosts,
            str(use.messages_within), format_size(use.bytes_within), str(use.messages_to_others),
            format_size(use.bytes_to_others),
        )  # fmt: skip
    return table


def _functions(summary: Summary, total: float) -> Table:
    table = _table("\nTime by call, over all ranks", "call", "calls", "time", "of MPI", "longest", "bytes")
    for function in summary.functions[:_SHOWN]:
        idle = f" +{function.idle_calls} unsuccessful" if function.idle_calls else ""
        table.add_row(
            function.function, f"{function.calls}{idle}", format_time(function.seconds),
            format_share(function.seconds / total if total else 0.0), format_time(function.longest_seconds),
            format_size(function.bytes) if function.bytes else "",
        )  # fmt: skip
    rest = summary.functions[_SHOWN:]
    if rest:
        table.add_row(f"{len(rest)} more", str(sum(function.calls for function in rest)),
                      format_time(sum(function.seconds for function in rest)))  # fmt: skip
    return table


def _sizes(summary: Summary) -> Table:
    table = _table("\nMessages by size", "bytes", "messages", "bytes in all", "collective calls", "bytes in all")
    for bucket in summary.sizes:
        table.add_row(
            at_most(bucket.size_bytes) if bucket.size_bytes else "0", str(bucket.messages or ""),
            format_size(bucket.bytes) if bucket.messages else "", str(bucket.collective_calls or ""),
            format_size(bucket.collective_bytes) if bucket.collective_calls else "",
        )  # fmt: skip
    return table


def _communicators(summary: Summary) -> Table:
    table = _table("\nBy communicator", "ranks of MPI_COMM_WORLD", "calls", "time")
    for communicator in summary.communicators[:_SHOWN]:
        shown = ", ".join(map(str, communicator.members[:8])) + (", ..." if communicator.ranks > 8 else "")
        table.add_row(f"{communicator.ranks}: {shown}", str(communicator.calls), format_time(communicator.seconds))
    return table


def _regions(summary: Summary) -> Table:
    table = _table("\nBy region, over all ranks", "region", "entered", "time", "in MPI", "calls")
    for region in summary.regions[:_SHOWN]:
        table.add_row(
            region.name,
            str(region.entered),
            format_time(region.seconds),
            format_time(region.mpi_seconds),
            str(region.calls),
        )
    return table


def _skews(summary: Summary) -> Table:
    table = _table(
        "\nHow much later the last rank came than the first", "collective", "calls", "median", "longest"
    )
    for skew in summary.skews:
        table.add_row(
            skew.function, str(skew.calls), format_time(skew.median_seconds), format_time(skew.longest_seconds)
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
        label = escape(f"{source} to {destination}: {count} messages, {format_size(size)}")
        cells.append(
            f'<rect x="{destination * side}" y="{source * side}" width="{side}" height="{side}" '
            f'fill="hsl(210 70% {92 - 62 * depth:.0f}%)"><title>{label}</title></rect>'
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
