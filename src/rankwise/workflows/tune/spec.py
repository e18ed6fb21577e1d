"""From what a user names to what is to be tuned."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rankwise.analysis import application
from rankwise.analysis.application import Application
from rankwise.analysis.recordings import base as recordings
from rankwise.analysis.tune.race import SearchCriteria
from rankwise.core.errors import UnknownNameError
from rankwise.core.records import Notice
from rankwise.testbeds.base import TestbedKind
from rankwise.workflows.tune.stages import (
    COLLECTIVE_SIZES,
    COLLECTIVES,
    KNOBS,
    OF_COLLECTIVES,
    OPERATIONS,
    POINT_TO_POINT,
    Collective,
    TuneSpec,
)

GROUPS = {"p2p": POINT_TO_POINT, "collectives": (*COLLECTIVES, *OF_COLLECTIVES)}


def spec_of(
    names: Sequence[str], testbed: TestbedKind, ranks: Sequence[int] = (),
    sizes_bytes: tuple[int, ...] = COLLECTIVE_SIZES, placements: tuple[str, ...] = ("block",), *,
    eager_memory_bytes: int = 1 << 30, delta: float = 0.05, quantile: float = 0.5, schedules: bool = True,
) -> tuple[TuneSpec, tuple[Notice, ...]]:  # fmt: skip
    """Return what the names mean, and what is to be said of it.

    `names` are groups (`p2p`, `collectives`), knobs, operations, or files of what an application does; none: both
    groups. Operations are tuned for all `ranks` (none: one a slot) and `sizes_bytes`, an application's at its own.
    `quantile` of a launch's repetitions is what counts. `schedules`: ours are tried too, between sites.
    Raises UnknownNameError, InputError for a file that cannot be read.
    """
    counts = tuple(ranks) or (max(sum(host.slots for host in testbed.hosts()), 2),)
    knobs: dict[str, None] = {}
    collectives: dict[tuple[str, int], Collective] = {}
    applications: list[Application] = []
    for name in names or tuple(GROUPS):
        if "." in name or "/" in name:
            applications.append(_application(Path(name)))
            does = _collectives(applications[-1])
        elif name in (*GROUPS, *KNOBS, *OPERATIONS):
            members = GROUPS.get(name, (name,))
            knobs.update(dict.fromkeys(member for member in members if member in KNOBS))
            does = [
                Collective(member, n, sizes_bytes) for member in members if member in OPERATIONS for n in counts
            ]
        else:
            raise UnknownNameError("tuning target", name, (*GROUPS, *KNOBS, *OPERATIONS))
        if any(collective.operation == application.POINT_TO_POINT for collective in does):
            knobs.update(dict.fromkeys(POINT_TO_POINT))
        collectives |= {
            (collective.operation, collective.ranks): collective
            for collective in does
            if collective.operation in OPERATIONS
        }
    spec = TuneSpec(
        tuple(knobs), tuple(collectives.values()), eager_memory_bytes,
        SearchCriteria(delta=delta, quantile=quantile), placements, application.together(applications), schedules,
    )  # fmt: skip
    return spec, tuple(notice for app in applications for notice in app.notices)


def _application(path: Path) -> Application:
    """What it does, from any recording that has totals. Raises InputError."""
    totals = recordings.read(path).need_totals()
    tunable = (application.POINT_TO_POINT, *OPERATIONS)
    return application.of_rows(totals.rows, str(path), tunable, totals.notices)


def _collectives(app: Application) -> list[Collective]:
    """Its operations at its own ranks and sizes."""
    kinds = dict.fromkeys((use.operation, use.ranks) for use, _ in app.counts)
    return [Collective(operation, ranks, app.sizes_bytes(operation, ranks)) for operation, ranks in kinds]
