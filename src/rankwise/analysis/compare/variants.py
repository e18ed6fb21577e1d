"""Variants: an implementation with a profile stands beside the same one without."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from rankwise.core.records import DEFAULT, Cell, Launch


def variants_of(launch: Launch) -> list[str]:
    """Return the variants that the launch has anything to say of; its implementation if it came to no cell."""
    return list(dict.fromkeys(cell.variant for cell in cells_of(launch))) or [launch.implementation]


def without_labels(launches: Iterable[Launch]) -> list[Launch]:
    """Return the launches as if none had loaded anything: for runs that measure each MPI in one way only."""
    return [with_cells(launch, plain_cell) for launch in launches]


def plain_cell(cell: Cell) -> Cell:
    """Return the cell without its label."""
    return replace(cell, label=DEFAULT)


def cells_of(launch: Launch) -> list[Cell]:
    """Return the cells that the launch has anything to say of."""
    measured, failed = [series.cell for series in launch.series], [failure.cell for failure in launch.failures]
    return [*measured, *failed, *launch.verified]


def with_cells(launch: Launch, changed: Callable[[Cell], Cell]) -> Launch:
    """Return the launch with `changed(cell)` in place of each cell."""
    return replace(
        launch,
        series=tuple(replace(series, cell=changed(series.cell)) for series in launch.series),
        failures=tuple(replace(failure, cell=changed(failure.cell)) for failure in launch.failures),
        timelines=tuple(replace(timeline, cell=changed(timeline.cell)) for timeline in launch.timelines),
        verified=tuple(map(changed, launch.verified)),
    )
