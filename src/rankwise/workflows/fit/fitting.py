"""The verb `fit`: its stages one after another, and the platform that they make."""

from __future__ import annotations

from pathlib import Path

from rankwise.core.errors import InputError
from rankwise.core.platform import Platform
from rankwise.platforms import platform_file
from rankwise.store.store import Store
from rankwise.workflows.events import Events
from rankwise.workflows.fit import point_to_point
from rankwise.workflows.fit.request import FitRequest, FitResult


def fit(request: FitRequest, store: Path, events: Events) -> FitResult:
    """Measure a platform. Raises InterruptedRun with the way to go on; what was measured is stored."""
    with Store(store) as opened:
        return _found(point_to_point.measured(request, opened, events), opened)


def load(run_id: int, store: Path) -> FitResult:
    """Return the platform that a stored run makes. Raises InputError for a run of another verb."""
    with Store(store, create=False) as opened:
        run = opened.run(run_id)
        if run.kind != "fit":
            raise InputError(f"run {run_id} is no run of `rankwise fit`", "rankwise runs shows which are")
        parent = run.parent and opened.run(run.parent).kind == "fit"
        return _found(run.parent if parent else run_id, opened)


def _found(run_id: int, store: Store) -> FitResult:
    return point_to_point.load(run_id, store)


def write(path: Path, platform: Platform) -> None:
    """Write `platform.toml`, whole or not at all. Raises HostError."""
    platform_file.write(path, platform_file.platform_text(platform))
