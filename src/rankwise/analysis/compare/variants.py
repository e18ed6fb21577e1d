"""Profiles as competitors: an implementation with a profile stands beside the same one without."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from rankwise.core.records import Cell, Launch

DEFAULT = "default"


def variant(implementation: str, profile: str) -> str:
    """What the pair is called in a comparison: `mpich-5.0.2`, or `mpich-5.0.2 + wan`."""
    return implementation if profile == DEFAULT else f"{implementation} + {profile}"


def by_profile(launches: Iterable[Launch]) -> list[Launch]:
    """The launches with each profile's implementation under the name of its own, so that they are compared."""
    return [_renamed(launch) for launch in launches]


def _renamed(launch: Launch) -> Launch:
    cells = [one.cell for one in (*launch.series, *launch.failures, *launch.timelines)] + list(launch.verified)
    profile = cells[0].profile if cells else DEFAULT
    if profile == DEFAULT:
        return launch
    return replace(
        launch,
        implementation=variant(launch.implementation, profile),
        series=tuple(replace(one, cell=as_variant(one.cell)) for one in launch.series),
        failures=tuple(replace(one, cell=as_variant(one.cell)) for one in launch.failures),
        timelines=tuple(replace(one, cell=as_variant(one.cell)) for one in launch.timelines),
        verified=tuple(map(as_variant, launch.verified)),
    )


def as_variant(cell: Cell) -> Cell:
    """The cell of the renamed implementation; its profile has gone into the name."""
    return replace(cell, implementation=variant(cell.implementation, cell.profile), profile=DEFAULT)
