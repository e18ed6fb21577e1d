"""What runs of applications have measured: figures by implementation and name, over launches."""

from __future__ import annotations

from collections.abc import Callable, Collection

from rankwise.core.records import Cell
from rankwise.studies.base import Results
from rankwise.studies.ranges import Range, over_launches

NUMBER = r"([0-9.e+-]+)"
"""The regular expression that finds a number as the applications print them."""


def figures_of(
    results: Results | None, names: Collection[str], placement: str = ""
) -> dict[str, dict[str, Range]]:
    """Return these figures of a run by implementation and name; `placement` '': however the ranks were placed."""
    return figures_where(results, names, lambda cell: placement in ("", cell.placement))


def figures_where(
    results: Results | None, names: Collection[str], wanted: Callable[[Cell], bool]
) -> dict[str, dict[str, Range]]:
    """Return these figures of the cells that are wanted, by implementation and name."""
    values: dict[str, dict[str, list[float]]] = {}
    for launch in results.launches if results else ():
        for (cell, _), value in launch.values().items():
            if cell.benchmark in names and wanted(cell):
                values.setdefault(cell.implementation, {}).setdefault(cell.benchmark, []).append(value)
    return {
        implementation: {name: over_launches(series) for name, series in own.items()}
        for implementation, own in values.items()
    }
