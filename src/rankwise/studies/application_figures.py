"""What runs of applications have measured: figures by implementation and name, over launches."""

from __future__ import annotations

from collections.abc import Collection

from rankwise.studies.base import Results
from rankwise.studies.ranges import Range, over_launches

NUMBER = r"([0-9.e+-]+)"
"""The regular expression that finds a number as the applications print them."""


def figures_of(
    results: Results | None, names: Collection[str], placement: str = ""
) -> dict[str, dict[str, Range]]:
    """Return these figures of a run by implementation and name; `placement` '': however the ranks were placed."""
    values: dict[str, dict[str, list[float]]] = {}
    for launch in results.launches if results else ():
        for series in launch.series:
            if series.cell.benchmark in names and placement in ("", series.cell.placement):
                own = values.setdefault(series.cell.implementation, {})
                own.setdefault(series.cell.benchmark, []).extend(map(float, series.samples_seconds))
    return {one: {name: over_launches(found) for name, found in own.items()} for one, own in values.items()}
