"""Runs of applications in the terminal: times, rates, whether results are right, and messages."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from rankwise.core.apps import AppResult, Messages
from rankwise.core.units import exact_size, format_time

_VERDICTS = {True: Text("yes"), False: Text("WRONG", "bold red"), None: Text("–")}


def apps_parts(results: Sequence[AppResult]) -> Iterator[RenderableType]:
    """Yield a table with a row a run, what is wrong, and messages if they were counted."""
    table = _table("kernel", "class", "MPI")
    for name in ("ranks", "time", "Mop/s", "verified"):
        table.add_column(name, justify="right")
    for result in results:
        mops = "–" if math.isnan(result.mops) else f"{result.mops:.4g}"
        table.add_row(
            result.kernel,
            result.class_name,
            result.implementation,
            str(result.ranks),
            format_time(result.seconds),
            mops,
            _verdict(result),
        )
    yield table
    for result in results:
        if result.remark:
            yield Text(f"{result.kernel}, {result.implementation}: {result.remark}")
    counted = {(result.kernel, result.ranks): result for result in results if result.messages}
    if counted:
        yield Text()
        yield _messages(list(counted.values()))


def master_worker_parts(results: Sequence[AppResult]) -> Iterator[RenderableType]:
    """Yield a table with a row a run of ray2mesh, the rays of each worker, and what is wrong."""
    table = _table("MPI")
    for name in ("ranks", "tracing", "merging", "total", "verified"):
        table.add_column(name, justify="right")
    for result in results:
        times = [dict(result.figures).get(f"{part}_seconds", math.nan) for part in ("tracing", "merging")]
        table.add_row(
            result.implementation, str(result.ranks), *map(format_time, (*times, result.seconds)), _verdict(result)
        )
    yield table
    for result in results:
        rays = [f"{value:g}" for name, value in result.figures if name.startswith("rays_of_rank_")]
        if rays:
            yield Text(f"{result.implementation}, rays by worker from rank 1: {' '.join(rays)}")
        if result.remark:
            yield Text(f"{result.implementation}: {result.remark}")


def _verdict(result: AppResult) -> Text:
    return _VERDICTS[result.verified] if result.has_ended else Text("failed", "bold red")


def _table(*names: str) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0))
    for name in names:
        table.add_column(name)
    return table


def _messages(results: Sequence[AppResult]) -> Table:
    """They are the same with every implementation."""
    table = _table("kernel", "messages of")
    table.add_column("number", justify="right")
    table.add_column("bytes", justify="right")
    for result in results:
        for messages in result.messages:
            table.add_row(result.kernel, messages.call, str(messages.number), _sizes(messages))
    return table


def _sizes(messages: Messages) -> str:
    first, last = exact_size(messages.smallest), exact_size(messages.largest)
    return first if messages.smallest == messages.largest else f"{first} to {last}"
