"""Two models exchange what a pattern says with every MPI, and a value that is lost or of another step is told."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from rankwise.artifacts import apps
from rankwise.cli.coupled import command
from rankwise.core import process
from rankwise.core.apps import AppResult, Messages
from rankwise.core.coupled import PATTERNS, Pattern
from rankwise.core.errors import InputError
from rankwise.workflows.apps import AppsRequest, run_apps
from rankwise.workflows.events import Silent
from support.mpis import FOUND, by_day

pytestmark = [pytest.mark.mpi, pytest.mark.skipif(not FOUND, reason="no MPI here")]
IDS = [one.id for one in FOUND]
BY_DAY = [one for one in IDS if one.startswith(("mpich-5", "openmpi-5"))]
SHORT = {
    one.name: replace(one, field_bytes=min(one.field_bytes, 100_000), computing_seconds=0.001, steps=6)
    for one in PATTERNS
}


def run(pattern: Pattern, ranks: int = 2, mpi: str = BY_DAY[0], *, count: bool = False) -> AppResult:
    request = AppsRequest(("coupled",), "", pattern.options, (mpi,), ranks, count=count)
    (result,) = run_apps(request, Silent())
    return result


@pytest.mark.parametrize("pattern", SHORT.values(), ids=list(SHORT))
@pytest.mark.parametrize("mpi", by_day(IDS, BY_DAY[0]))
def test_every_value_is_what_it_should_be(mpi: str, pattern: Pattern) -> None:
    for ranks in (2, 5):
        result = run(pattern, ranks, mpi)
        assert (result.remark, result.verified) == ("", True)
        figures = dict(result.figures)
        assert 0 < figures["lower_step_seconds"] <= figures["step_seconds"] <= figures["upper_step_seconds"]
        assert 0 <= figures["exchange_seconds"] <= figures["longest_exchange_seconds"]


@pytest.mark.parametrize(
    ("name", "directions"), [("groundwater", 1), ("climate", 2), ("meg", 2), ("molecular", 2)]
)
def test_what_is_sent_is_what_the_pattern_says(name: str, directions: int) -> None:
    """Two ranks are the first model and one the second: a step's field goes in two messages, in each direction."""
    one = replace(SHORT[name], field_bytes=1600)
    (sent,) = (found for found in run(one, 3, count=True).messages if found.call == "point-to-point")
    assert sent == Messages("point-to-point", directions * 2 * one.steps, 800, 800)


@pytest.mark.parametrize(
    ("name", "right", "wrong"),
    [
        ("groundwater", "m->theirs + one->first", "m->theirs"),
        pytest.param("climate", "field + one->first", "field", marks=pytest.mark.nightly),
        ("molecular", "memcpy(m->sent, m->mine", "memcpy(m->sent, m->theirs"),
        ("meg", "compute(m, seconds);\n        begun", "begun"),
    ],
)
def test_a_wrong_value_is_told(
    name: str, right: str, wrong: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = shutil.copytree(apps.SOURCES, tmp_path / "apps")
    file = folder / "coupled.c"
    assert file.read_text().count(right) == 1
    file.write_text(file.read_text().replace(right, wrong))
    monkeypatch.setattr(apps, "SOURCES", folder)
    result = run(SHORT[name], 3)
    assert result.verified is False and "a cell is" in result.remark


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"field_bytes": 8}, "coupled runs on a field of 8 bytes or more for each rank"),
        ({"steps": 0}, "coupled runs on 1 step or more"),
    ],
)
def test_what_cannot_run_is_refused(options: dict[str, int], message: str) -> None:
    with pytest.raises(InputError, match=message) as caught:
        run(replace(SHORT["climate"], **options))  # type: ignore[arg-type]
    assert caught.value.remedy == "give other sizes"


def test_on_one_site_there_is_nothing_to_compare() -> None:
    words = ["climate", "--mpi", BY_DAY[0], "--steps", "2", "--computing", "1ms", "--size", "1K"]
    done = CliRunner().invoke(command, words, standalone_mode=False, env={"COLUMNS": "80"})
    assert done.return_value == 0, done.output
    assert "climate: 1 KiB both ways; 1 ms of computing a step" in done.stdout
    assert "one site: nothing to compare" in " ".join(done.stdout.split())
    assert max(map(len, done.stdout.splitlines())) <= 80


def test_a_tracer_and_the_overlay_see_every_call() -> None:
    """What counts messages has other names: functions of MPI's names in the program would hide it from both."""
    program = apps.build(next(one for one in FOUND if one.id == BY_DAY[0]))
    names = process.run(["nm", "--defined-only", str(program)], 30.0).stdout
    assert "counted_Send" in names
    assert not [line for line in names.splitlines() if " MPI_" in line]
