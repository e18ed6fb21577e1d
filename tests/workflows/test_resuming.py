"""`resume` goes on as the verb that began a run would; `--resume` of another verb is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from rankwise.cli import main
from rankwise.core.errors import InputError
from rankwise.core.records import RunKind
from rankwise.store.store import Store
from rankwise.workflows import measure, resuming, study
from rankwise.workflows.events import Silent
from rankwise.workflows.tune import tuner
from support import stored


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "results.sqlite"


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, int]]:
    """What was resumed, by which workflow."""
    found: list[tuple[str, int]] = []
    for name, module in (("measure", measure), ("tune", tuner), ("study", study)):
        monkeypatch.setattr(module, "resume", lambda run_id, *_, name=name: found.append((name, run_id)))
    monkeypatch.setattr(tuner, "say", lambda *_: None)
    return found


def begun(path: Path, kind: RunKind, parent: int = 0, status: Any = "interrupted") -> int:
    with Store(path) as store:
        run_id = store.begin_run(f"rankwise {kind}", "local", stored.PLAN, kind=kind, parent=parent)
        store.finish_run(run_id, status, "Ctrl-C")
    return run_id


@pytest.mark.parametrize(
    ("kind", "workflow"),
    [
        ("compare", "measure"), ("bench", "measure"), ("guidelines", "measure"), ("search", "tune"),
        ("validation", "tune"), ("study", "study"),
    ],
)  # fmt: skip
def test_each_kind_goes_on_with_its_own_workflow(
    path: Path, asked: list[tuple[str, int]], kind: RunKind, workflow: str
) -> None:
    run_id = begun(path, kind)
    assert resuming.resume_run(run_id, path, Silent()) == run_id
    assert asked == [(workflow, run_id)]


def test_a_run_of_a_study_goes_on_with_the_study(path: Path, asked: list[tuple[str, int]]) -> None:
    parent = begun(path, "study")
    resuming.resume_run(begun(path, "compare", parent), path, Silent())
    assert asked == [("study", parent)]


def test_the_newest_interrupted_run_is_meant_by_default(path: Path, asked: list[tuple[str, int]]) -> None:
    begun(path, "compare")
    newest = begun(path, "guidelines")
    begun(path, "bench", status="complete")
    assert resuming.resume_run(0, path, Silent()) == newest
    assert resuming.resume_run(0, path, Silent(), kind="compare") == 1


@pytest.mark.parametrize("kind", ["search", "validation", "guidelines", "bench"])
def test_compare_refuses_a_run_of_another_kind_and_names_the_line(
    path: Path, kind: RunKind, capsys: pytest.CaptureFixture[str], asked: list[tuple[str, int]]
) -> None:
    run_id = begun(path, kind)
    assert main.run(["compare", "--resume", str(run_id), "--store", str(path)]) == 2
    assert f"remedy: rankwise resume {run_id}" in capsys.readouterr().err
    with Store(path) as store:
        assert store.run(run_id).status == "interrupted", "it can still go on"
    assert asked == []


def test_what_is_complete_is_not_resumed(path: Path, asked: list[tuple[str, int]]) -> None:
    with pytest.raises(InputError, match="run 1 is complete"):
        resuming.resume_run(begun(path, "compare", status="complete"), path, Silent())
    with pytest.raises(InputError, match="no run was interrupted"):
        resuming.resume_run(0, path, Silent())
    assert asked == []


def test_a_complete_tuning_goes_on_with_what_it_could_not_validate(
    path: Path, asked: list[tuple[str, int]]
) -> None:
    """Whether there is anything left knows the tuner alone."""
    run_id = begun(path, "search", status="complete")
    assert resuming.resume_run(run_id, path, Silent(), seconds=120.0) == run_id
    assert asked == [("tune", run_id)]


def test_a_complete_tuning_without_anything_left_is_refused(path: Path) -> None:
    with Store(path) as store:
        run_id = store.begin_run("rankwise tune", "local", stored.PLAN, kind="search", request="{}")
        store.finish_run(run_id, "complete", "searched")
    with pytest.raises(InputError, match="is complete"):
        resuming.resume_run(run_id, path, Silent(), seconds=120.0)


def test_only_a_tuning_takes_a_time(path: Path, asked: list[tuple[str, int]]) -> None:
    with pytest.raises(InputError, match="--time"):
        resuming.resume_run(begun(path, "compare"), path, Silent(), seconds=120.0)
    with pytest.raises(InputError, match="--time"):
        resuming.resume_run(begun(path, "search", begun(path, "study")), path, Silent(), seconds=120.0)
    assert asked == []
