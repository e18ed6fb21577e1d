"""Profiles as competitors: an implementation with a profile stands beside the same one without."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from rankwise.core.records import Cell, Launch
from rankwise.core.tuning import DEFAULT


def variant(implementation: str, profile: str) -> str:
    """What the pair is called in a comparison: `mpich-5.0.2`, or `mpich-5.0.2 + wan`."""
    return implementation if profile == DEFAULT else f"{implementation} + {profile}"


def by_profile(launches: Iterable[Launch]) -> list[Launch]:
    """The launches with each profile's implementation under the name of its own, so that they are compared."""
    return [_renamed(launch) for launch in launches]


def _renamed(launch: Launch) -> Launch:
    profile = next((cell.profile for cell in cells_of(launch)), DEFAULT)
    renamed = launch if profile == DEFAULT else with_cells(launch, as_variant)
    return replace(renamed, implementation=variant(launch.implementation, profile))


def without_profiles(launches: Iterable[Launch]) -> list[Launch]:
    """The launches as if none had loaded anything: for runs in which each MPI is measured in one way only."""
    return [with_cells(launch, plain_cell) for launch in launches]


def plain_cell(cell: Cell) -> Cell:
    """The cell without its profile."""
    return replace(cell, profile=DEFAULT)


def implementation_of(name: str) -> str:
    """Whose variant this is."""
    return name.partition(" + ")[0]


def cells_of(launch: Launch) -> list[Cell]:
    """The cells that the launch has anything to say of."""
    measured, failed = [one.cell for one in launch.series], [one.cell for one in launch.failures]
    return [*measured, *failed, *launch.verified]


def with_cells(launch: Launch, changed: Callable[[Cell], Cell]) -> Launch:
    """The launch with `changed(cell)` in place of each cell."""
    return replace(
        launch,
        series=tuple(replace(one, cell=changed(one.cell)) for one in launch.series),
        failures=tuple(replace(one, cell=changed(one.cell)) for one in launch.failures),
        timelines=tuple(replace(one, cell=changed(one.cell)) for one in launch.timelines),
        verified=tuple(map(changed, launch.verified)),
    )


def as_variant(cell: Cell) -> Cell:
    """The cell of the renamed implementation; its profile has gone into the name."""
    return replace(cell, implementation=variant(cell.implementation, cell.profile), profile=DEFAULT)
