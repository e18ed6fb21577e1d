"""How cells, options and placement are called: the same words in sentences, tables and figures."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import fields

from rankwise.core.records import Cell, Options
from rankwise.core.units import format_size
from rankwise.stats.crossover import Crossover

ONLY_WHERE_VARIED = ("congestion_control", "placement")
"""Belong to the run as a whole unless it has several: any other option is named wherever it is not the default."""


def varied(settings: Iterable[tuple[Options, str]]) -> frozenset[str]:
    """Return which of ONLY_WHERE_VARIED have more than one value among these options and placements."""
    values: dict[str, set[str]] = {name: set() for name in ONLY_WHERE_VARIED}
    for options, placement in settings:
        values["congestion_control"].add(options.congestion_control)
        values["placement"].add(placement)
    return frozenset(name for name, settings_of in values.items() if len(settings_of) > 1)


def words(options: Options, placement: str, several: frozenset[str] = frozenset()) -> list[str]:
    """Return what a label names: `layout vector`, `cold cache`, `placement cyclic`; `several`: what varies."""
    parts = []
    for entry in fields(Options):
        value = getattr(options, entry.name)
        if value == entry.default or (entry.name in ONLY_WHERE_VARIED and entry.name not in several):
            continue
        name = entry.name.replace("_", " ")
        parts.append(name if value is True else f"{name} {value}")
    return [*parts, f"placement {placement}"] if "placement" in several else parts


def cell_words(cell: Cell) -> str:
    """Name a cell in a sentence: `in bcast of 64 KiB on 2 groups of 4 ranks, placement block`."""
    of = f"{cell.benchmark} of {format_size(cell.size_bytes)}" if cell.size_bytes else cell.benchmark
    groups = cell.options.groups
    on = f"{groups} groups of {cell.ranks // groups} ranks" if groups > 1 else f"{cell.ranks} ranks"
    return f"in {of} on {on}, placement {cell.placement}"


def crossover_words(crossover: Crossover) -> str:
    """Say up to where eager is faster: `up to 64 KiB (95 %: 48 KiB to 90 KiB)`."""
    if crossover.low_bytes == math.inf:
        return "at every size measured"
    if crossover.high_bytes == 0:
        return "at no size measured"
    ends = [
        "no size" if end == 0 else "every size" if end == math.inf else format_size(end)
        for end in (crossover.low_bytes, crossover.high_bytes)
    ]
    at = {0: "at no size", math.inf: "at every size measured"}.get(
        crossover.at_bytes, f"up to {format_size(crossover.at_bytes)}"
    )
    return f"{at} (95 %: {ends[0]} to {ends[1]})"
