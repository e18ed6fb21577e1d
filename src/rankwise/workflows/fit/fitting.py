"""The verb `fit`: its stages one after another, and the platform that they make."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from rankwise.core.errors import HostError, InputError
from rankwise.core.platform import Platform
from rankwise.core.records import Notice
from rankwise.platforms import platform_file
from rankwise.store.store import Store
from rankwise.workflows.events import Events
from rankwise.workflows.fit import between_sites, contention, point_to_point
from rankwise.workflows.fit.request import FitRequest, FitResult


def fit(request: FitRequest, store: Path, events: Events) -> FitResult:
    """Measure a platform. Raises InterruptedRun with the way to go on; what was measured is stored."""
    budget = contention.budget_of(request)
    single = request
    if request.time_budget_seconds:
        patterns = budget.seconds if isinstance(budget, contention.Budget) else 0.0
        left = request.time_budget_seconds - patterns - between_sites.seconds_of(request)
        single = replace(request, time_budget_seconds=left)
    with Store(store) as opened:
        run_id = point_to_point.measured(single, opened, events)
        why = _patterns(request, budget, run_id, opened, events)
        notices = _between_sites(request, run_id, opened, events)
        result = _found(run_id, opened)
        result = replace(result, notices=(*result.notices, *notices))
        return replace(result, platform=contention.unknown(result.platform, why)) if why else result


def _patterns(
    request: FitRequest, budget: contention.Budget | str, run_id: int, store: Store, events: Events
) -> str:
    """Measure what concurrent messages share; '' or why that could not be."""
    if isinstance(budget, str):
        return budget
    try:
        contention.measured(request, budget, run_id, store, events)
    except HostError as error:  # what single messages cost is known nonetheless
        return str(error)
    return ""


def _between_sites(request: FitRequest, run_id: int, store: Store, events: Events) -> tuple[Notice, ...]:
    """Measure what sites share between them; what is to be said where that could not be."""
    try:
        between_sites.measured(request, run_id, store, events)
    except HostError as error:
        return (Notice("no-links", f"what sites share between them: {error}", error.remedy),)
    return ()


def load(run_id: int, store: Path) -> FitResult:
    """Return the platform that a stored run makes. Raises InputError for a run of another verb."""
    with Store(store, create=False) as opened:
        run = opened.run(run_id)
        if run.kind != "fit":
            raise InputError(f"run {run_id} is not a run of `rankwise fit`", "rankwise runs shows which are")
        parent = run.parent and opened.run(run.parent).kind == "fit"
        return _found(run.parent if parent else run_id, opened)


def _found(run_id: int, store: Store) -> FitResult:
    return between_sites.added(contention.added(point_to_point.load(run_id, store), store), store)


def write(path: Path, platform: Platform) -> None:
    """Write `platform.toml`, whole or not at all. Raises HostError."""
    platform_file.write(path, platform_file.platform_text(platform))
