"""A validation that was interrupted goes on with its own launches, and what was searched is not searched again."""

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
from rankwise.workflows.tune.search import Found, StagedSearch
from rankwise.workflows.tune.spec import spec_of
from support.mpis import FOUND

OURS = next((one.id for one in FOUND if one.family == "mpich" and one.source == "pypi"), "")
pytestmark = [pytest.mark.mpi, pytest.mark.skipif(not OURS, reason="needs the MPICH of PyPI")]

STORED = 3
"""Launches, until somebody presses Ctrl-C."""
KNOB = "eager-threshold-shm"


def ends_in_a_validation(folder: Path, path: Path, patch: pytest.MonkeyPatch) -> InterruptedRun:
    """Tune with a search that has found something; Ctrl-C comes once the validation has stored some launches."""
    add_launch = Store.add_launch

    def add_and_interrupt(store: Store, run_id: int, launch: Launch, *more: Any) -> None:
        add_launch(store, run_id, launch, *more)
        if store.run(run_id).launches == STORED:
            raise KeyboardInterrupt

    found = Found(Tuning((Setting(KNOB, "131072"),)), launches=7)
    spec, _ = spec_of([KNOB], LocalTestbed())
    options = tuner.TuneOptions("shm", str(folder), spec, 20.0, (OURS,))
    with patch.context() as during:
        during.setattr(StagedSearch, "run", lambda *_: {OURS: found})
        during.setattr(Store, "add_launch", add_and_interrupt)
        with pytest.raises(InterruptedRun) as caught:
            tuner.carry_out(tuner.TuneRequest(options, LocalTestbed(), "rankwise tune"), path, Silent())
    return caught.value


@pytest.mark.nightly
def test_it_goes_on_without_another_search(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "results.sqlite"
    told = ends_in_a_validation(tmp_path / "profiles", path, monkeypatch)
    with Store(path) as store:
        runs = {run.id: (run.kind, run.parent, run.status, run.launches) for run in store.runs()}
        before = store.launches(2)
    assert runs == {1: ("search", 0, "complete", 0), 2: ("validation", 1, "interrupted", STORED)}
    assert "rankwise resume 2" in told.remedy

    def searched_again(*_: object) -> None:
        raise AssertionError("it searches again")

    monkeypatch.setattr(StagedSearch, "run", searched_again)
    assert resuming.resume_run(0, path, Silent()) == 2
    with Store(path) as store:
        after = store.launches(2)
        assert [run.status for run in store.runs() if run.id < 3] == ["complete", "complete"]
        assert store.run(1).launches == 0
    assert [one.started_at for one in after[:STORED]] == [one.started_at for one in before]
    assert len(after) > STORED
    own = [{part.configuration for part in one.segments} for one in after if not one.verifying]
    checked = [{part.configuration for part in one.segments} for one in after if one.verifying]
    assert after[0].verifying and len(checked) == len({*map(frozenset, checked)}) == 2  # each one's data, once
    assert set().union(*checked) == set().union(*own)
    (part,) = profile_file.read(tmp_path / "profiles" / "shm").profile.parts
    assert (part.implementation, part.launches) == (OURS, 7)
