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
    for one in results:
        mops = "–" if math.isnan(one.mops) else f"{one.mops:.4g}"
        table.add_row(
            one.kernel,
            one.class_name,
            one.implementation,
            str(one.ranks),
            format_time(one.seconds),
            mops,
            _verdict(one),
        )
    yield table
    for one in results:
        if one.remark:
            yield Text(f"{one.kernel}, {one.implementation}: {one.remark}")
    counted = {(one.kernel, one.ranks): one for one in results if one.messages}
    if counted:
        yield Text()
        yield _messages(list(counted.values()))


def master_worker_parts(results: Sequence[AppResult]) -> Iterator[RenderableType]:
    """Yield a table with a row a run of ray2mesh, the rays of each worker, and what is wrong."""
    table = _table("MPI")
    for name in ("ranks", "tracing", "merging", "total", "verified"):
        table.add_column(name, justify="right")
    for one in results:
        times = [dict(one.figures).get(f"{part}_seconds", math.nan) for part in ("tracing", "merging")]
        table.add_row(one.implementation, str(one.ranks), *map(format_time, (*times, one.seconds)), _verdict(one))
    yield table
    for one in results:
        rays = [f"{value:g}" for name, value in one.figures if name.startswith("rays_of_rank_")]
        if rays:
            yield Text(f"{one.implementation}, rays by worker from rank 1: {' '.join(rays)}")
        if one.remark:
            yield Text(f"{one.implementation}: {one.remark}")


def _verdict(one: AppResult) -> Text:
    return _VERDICTS[one.verified] if one.has_ended else Text("failed", "bold red")


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
        for one in result.messages:
            table.add_row(result.kernel, one.call, str(one.number), _sizes(one))
    return table


def _sizes(one: Messages) -> str:
    first, last = exact_size(one.smallest), exact_size(one.largest)
    return first if one.smallest == one.largest else f"{first} to {last}"
