"""A validation that was interrupted goes on with its own launches, and what was searched is not searched again."""

import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from rankwise.core.errors import InterruptedRun
from rankwise.core.records import Launch
from rankwise.core.tuning import Setting, Tuning
from rankwise.profiles import profile_file
from rankwise.store.store import Store
from rankwise.testbeds.local import LocalTestbed
from rankwise.workflows import resuming
from rankwise.workflows.events import Silent
from rankwise.workflows.tune import tuner
from rankwise.workflows.tune.found import Found
from rankwise.workflows.tune.search import StagedSearch, StageSearches, Turn
from rankwise.workflows.tune.spec import spec_of
from rankwise.workflows.tune.validation import Validation
from support.mpis import FOUND

OURS = next((one.id for one in FOUND if one.family == "mpich" and one.source == "pypi"), "")
pytestmark = [pytest.mark.mpi, pytest.mark.skipif(not OURS, reason="needs the MPICH of PyPI")]

STORED = 2
"""Launches, until somebody presses Ctrl-C."""
KNOB = "eager-threshold-shm"


def ends_in_a_validation(folder: Path, path: Path, patch: pytest.MonkeyPatch) -> InterruptedRun:
    """Tune with a search that has found something; Ctrl-C comes once the validation has stored some launches."""
    add_launch = Store.add_launch

    def add_and_interrupt(store: Store, run_id: int, launch: Launch, *more: Any) -> None:
        add_launch(store, run_id, launch, *more)
        if store.run(run_id).launches == STORED:
            raise KeyboardInterrupt

    with patch.context() as during:
        finds_one_setting(during)
        during.setattr(Store, "add_launch", add_and_interrupt)
        with pytest.raises(InterruptedRun) as caught:
            tuner.carry_out(asked(folder), path, Silent())
    return caught.value


def asked(folder: Path) -> tuner.TuneRequest:
    spec, _ = spec_of([KNOB], LocalTestbed())
    options = tuner.TuneOptions("shm", str(folder), spec, 20.0, (OURS,))
    return tuner.TuneRequest(options, LocalTestbed(), "rankwise tune")


def finds_one_setting(patch: pytest.MonkeyPatch) -> None:
    """One stage, which takes no time."""
    turns = [StageSearches("eager", 1.0, 1.0, {})]

    def next_turn(_: StagedSearch, __: object, ___: float, finish: float) -> Turn | None:
        return Turn(turns.pop(), finish, finish, finish) if turns else None

    patch.setattr(StagedSearch, "next_turn", next_turn)
    found = Found(proposed=Tuning((Setting(KNOB, "131072"),)), launches=7)
    patch.setattr(StagedSearch, "search", lambda *_: {OURS: found})


@pytest.mark.nightly
def test_it_goes_on_without_another_search(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "results.sqlite"
    told = ends_in_a_validation(tmp_path / "profiles", path, monkeypatch)
    with Store(path) as store:
        runs = {run.id: (run.kind, run.parent, run.status, run.launches) for run in store.runs()}
        before = store.launches(2)
    assert runs == {1: ("search", 0, "interrupted", 0), 2: ("validation", 1, "interrupted", STORED)}
    assert "rankwise resume 2" in told.remedy

    def searched_again(*_: object) -> None:
        raise AssertionError("it searches again")

    monkeypatch.setattr(StagedSearch, "search", searched_again)
    monkeypatch.setattr(StagedSearch, "next_turn", lambda *_: None)
    assert resuming.resume_run(0, path, Silent()) == 2
    with Store(path) as store:
        after = store.launches(2)
        assert [run.status for run in store.runs() if run.id < 3] == ["complete", "complete"]
        assert store.run(1).launches == 0
    assert [one.started_at for one in after[:STORED]] == [one.started_at for one in before]
    assert len(after) > STORED
    own = [{part.configuration for part in one.segments} for one in after if not one.verifying]
    checked = [{part.configuration for part in one.segments} for one in after if one.verifying]
    assert after[0].verifying and len(checked) == 1, "the data, once"
    assert set().union(*checked) < set().union(*own), "of what was found, and not of the default"
    with Store(path) as store:
        found = tuner.stored_progress(store, 1).found[OURS] if (tmp_path / "profiles").exists() else None
    if found:  # what the setting is worth on this machine is not the question
        (part,) = profile_file.read(tmp_path / "profiles" / "shm").profile.parts
        assert (part.implementation, part.launches, part.tuning) == (OURS, 7, found.tuning)


@pytest.mark.nightly
def test_what_could_not_be_validated_is_said_and_can_be_resumed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, limits = tmp_path / "results.sqlite", list[float]()
    run = Validation.run

    def without_time(one: Validation, found: Mapping[str, Found], *_: float) -> dict[str, Found]:
        return run(one, found, 0.0)

    def with_time(one: Validation, found: Mapping[str, Found], *more: float) -> dict[str, Found]:
        limits.append(more[0])
        return run(one, found, *more)

    with monkeypatch.context() as during:
        finds_one_setting(during)
        during.setattr(Validation, "run", without_time)
        result = tuner.carry_out(asked(tmp_path / "profiles"), path, Silent())
    (notice,) = [one for one in result.notices if one.kind == "not-validated"]
    assert result.folder is None and not (tmp_path / "profiles").exists(), "there is nothing to load"
    assert KNOB in notice.message and "rankwise resume 1 --time " in notice.remedy
    monkeypatch.setattr(StagedSearch, "next_turn", lambda *_: None)
    monkeypatch.setattr(Validation, "run", with_time)
    began = time.monotonic()
    assert resuming.resume_run(1, path, Silent(), seconds=15.0) == 1
    assert limits and began < limits[0] < time.monotonic() + 15.0
    with Store(path) as store:
        assert any(run.kind == "validation" and run.launches for run in store.runs())
