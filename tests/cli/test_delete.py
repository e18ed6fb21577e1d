"""`rankwise delete` deletes only the runs that were named, and asks first."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from rankwise.cli.delete import command
from rankwise.core.errors import InputError, UnknownNameError
from rankwise.store.store import Store
from support import stored


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "results.sqlite"
    with Store(path) as store:
        for _ in range(3):
            stored.measured(store, launches=1)
    return path


def delete(path: Path, *arguments: str, answer: str = "") -> Result:
    return CliRunner().invoke(command, [*arguments, "--store", str(path)], input=answer, standalone_mode=False)


def left(path: Path) -> list[int]:
    with Store(path) as store:
        return [run.id for run in store.runs()]


def test_several_runs_without_asking(path: Path) -> None:
    result = delete(path, "1", "3", "1", "--yes")
    assert (result.return_value, result.stdout) == (0, "")
    assert "deleted 2 runs" in result.stderr
    assert left(path) == [2]


def test_it_shows_what_it_would_delete_and_takes_no_for_an_answer(path: Path) -> None:
    result = delete(path, "2", answer="n\n")
    assert result.return_value == 1
    assert "run 2: rankwise compare --time 1m (complete, launches: 1)" in result.stderr
    assert left(path) == [1, 2, 3]
    assert delete(path, "2", answer="y\n").return_value == 0
    assert left(path) == [1, 3]


def test_nobody_there_to_answer(path: Path) -> None:
    result = delete(path, "2")
    assert isinstance(result.exception, InputError)
    assert "--yes" in result.exception.remedy
    assert left(path) == [1, 2, 3]


def test_one_unknown_run_and_none_is_deleted(path: Path) -> None:
    result = delete(path, "1", "9", "--yes")
    assert isinstance(result.exception, UnknownNameError)
    assert left(path) == [1, 2, 3]


def test_a_run_that_is_measured_stays(path: Path) -> None:
    with Store(path) as store:
        run_id = stored.begin(store)
        result = delete(path, str(run_id), "--yes")
    assert isinstance(result.exception, InputError)
    assert run_id in left(path)
