"""Coupled models in the terminal: what a step takes in a site and across two, and what the long way costs."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from rankwise.core.apps import AppResult
from rankwise.core.coupled import CoupledResult, Pattern, seconds_of
from rankwise.core.units import format_size, format_time

_MANNERS = {
    "one way": "{size} one way",
    "both ways": "{size} both ways",
    "turns": "{size} there and back",
    "hidden": "{size} both ways, hidden",
}


def coupled_parts(results: Sequence[CoupledResult]) -> Iterator[RenderableType]:
    """Yield a table for each pattern with a row for each implementation, and what is wrong."""
    across = any(coupled.across for coupled in results)
    for pattern in dict.fromkeys(coupled.pattern for coupled in results):
        own = [coupled for coupled in results if coupled.pattern == pattern]
        yield Text(_told(pattern), style="bold")
        yield _table(own, across=across)
        for coupled in own:
            for result in filter(None, (coupled.within, coupled.across)):
                if result.remark:
                    yield Text(f"{result.implementation}: {result.remark}")
        yield Text()
    yield Text("Medians over steps; exchange: of a step, in messages. " + (_WAN if across else _ONE_SITE))


_WAN = "WAN: what a step takes longer across sites; not seen where the middle halves of both runs' steps meet."
_ONE_SITE = "The testbed has one site: nothing to compare."


def _told(pattern: Pattern) -> str:
    size = _MANNERS[pattern.manner].format(size=format_size(pattern.field_bytes))
    return f"{pattern.name}: {size}; {format_time(pattern.computed_seconds)} of computing a step"


def _table(results: Sequence[CoupledResult], *, across: bool) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0))
    table.add_column("MPI")
    heads = ["step", "exchange"] + (["across: step", "exchange", "WAN"] if across else [])
    for name in (*heads, "verified"):
        table.add_column(name, justify="right")
    for coupled in results:
        cells = [*_times(coupled.within), *(_times(coupled.across) if coupled.across else ())]
        table.add_row(
            coupled.within.implementation, *cells, *([_cost(coupled)] if across else []), _verdict(coupled)
        )
    return table


def _times(result: AppResult) -> tuple[str, str]:
    return format_time(seconds_of(result, "step")), format_time(seconds_of(result, "exchange"))


def _cost(coupled: CoupledResult) -> str:
    seconds = coupled.wan_seconds
    if math.isnan(seconds):
        return "-"
    return f"{'+' if seconds >= 0 else '-'}{format_time(abs(seconds))}" if coupled.is_apart else "not seen"


def _verdict(coupled: CoupledResult) -> Text:
    runs = [result for result in (coupled.within, coupled.across) if result]
    if not all(result.has_ended for result in runs):
        return Text("failed", "bold red")
    return Text("yes") if all(result.verified for result in runs) else Text("WRONG", "bold red")
