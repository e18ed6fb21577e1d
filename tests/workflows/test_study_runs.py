"""A study takes no longer than it says: what one run needs less, or takes too long, the others make up for."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from rankwise.core.records import Implementation, Plan
from rankwise.mpi import select
from rankwise.store.store import Store
from rankwise.studies import base
from rankwise.studies.base import Study
from rankwise.workflows import measure
from rankwise.workflows.events import Silent
from rankwise.workflows.study_options import StudyOptions, StudyRequest
from rankwise.workflows.study_runs import LEAST_SECONDS, START_SECONDS, StudyRuns

STUDY = base.find("hablot2007")
UNTUNED = replace(STUDY, runs=tuple(run for run in STUDY.runs if not run.tune and run.quick))
MOST_QUICK_SECONDS = 12 * 60


def mpi(name: str, version: str) -> Implementation:
    return Implementation(f"{name}-{version}", name, version, "/usr", "mpicc", "mpirun", "debian")


FOUND = [mpi("mpich", "4.0.2"), mpi("openmpi", "5.0.11"), mpi("openmpi", "5.0.9"), mpi("mpich", "5.0.2")]


@pytest.fixture(autouse=True)
def found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(select, "working", lambda *_: (FOUND, []))


def budgets(
    study: Study, store: Path, monkeypatch: pytest.MonkeyPatch, *, takes: float, **options: Any
) -> tuple[list[float], float, list[bool]]:
    """What each run is given if it takes `takes` times that, when all ends, and which runs look at data."""
    now, given, looks = [1000.0], list[float](), list[bool]()

    def measured(request: measure.Request, opened: Store, _: Any) -> int:
        given.append(request.time_budget_seconds)
        looks.append(request.verify_first)
        now[0] += takes * request.time_budget_seconds + START_SECONDS
        return opened.begin_run("rankwise study", request.testbed.name, Plan((), 0, 1.0))

    monkeypatch.setattr(measure, "measure", measured)
    asked = StudyOptions(study.name, profiles=str(store.parent), **options)
    with Store(store) as opened:
        StudyRuns(study, StudyRequest(asked, "rankwise study"), opened, Silent(), lambda: now[0]).measure_missing()
    return given, now[0] - 1000.0, looks


def test_a_quick_study_takes_twelve_minutes_at_most() -> None:
    assert STUDY.seconds(quick=True) <= MOST_QUICK_SECONDS


@pytest.mark.parametrize("takes", [0.3, 1.0, 1.05])
def test_all_runs_together_take_the_time_of_the_study(
    takes: float, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given, taken, _ = budgets(UNTUNED, tmp_path / "s.sqlite", monkeypatch, takes=takes, quick=True)
    assert len(given) == len(UNTUNED.runs)
    assert taken <= 1.05 * UNTUNED.seconds(quick=True)
    if takes == 1.0:
        assert taken == pytest.approx(UNTUNED.seconds(quick=True))
        efforts = [run.quick.time_budget_seconds for run in UNTUNED.runs if run.quick]
        assert given == pytest.approx([seconds - START_SECONDS for seconds in efforts])


def test_who_is_very_late_still_measures_something(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    given, _, _ = budgets(UNTUNED, tmp_path / "s.sqlite", monkeypatch, takes=10.0, quick=True)
    assert given[-1] == LEAST_SECONDS


def test_a_time_that_was_asked_for_is_shared_alike(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    given, taken, _ = budgets(
        UNTUNED, tmp_path / "s.sqlite", monkeypatch, takes=1.0, quick=False, time_budget_seconds=600.0
    )
    assert taken == pytest.approx(600.0)
    assert len(given) == len(UNTUNED.runs)


@pytest.mark.parametrize("quick", [True, False])
def test_a_quick_study_looks_at_data_once(quick: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _, _, looks = budgets(UNTUNED, tmp_path / "s.sqlite", monkeypatch, takes=1.0, quick=quick)
    assert looks == [True] + [not quick] * (len(looks) - 1)


@pytest.mark.parametrize(
    ("named", "quick", "wanted"),
    [((), True, ("mpich-5.0.2", "openmpi-5.0.11")), ((), False, ()), (("mpich",), True, ("mpich",))],
)
def test_a_quick_study_measures_the_newest_of_each_family(
    named: tuple[str, ...], quick: bool, wanted: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = list[measure.Request]()

    def measured(request: measure.Request, opened: Store, _: Any) -> int:
        asked.append(request)
        return opened.begin_run("rankwise study", request.testbed.name, Plan((), 0, 1.0))

    monkeypatch.setattr(measure, "measure", measured)
    options = StudyOptions(UNTUNED.name, quick, str(tmp_path), implementations=named)
    with Store(tmp_path / "s.sqlite") as opened:
        StudyRuns(UNTUNED, StudyRequest(options, "rankwise study"), opened, Silent()).measure_missing()
    assert {request.implementations for request in asked} == {wanted}
