"""`rankwise study --only` and `--class`: what is measured of a study, and which runs get onto its page."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from rankwise.cli.study import command
from rankwise.core.errors import InputError, UnknownNameError
from rankwise.core.programs import Program, StoredProgram
from rankwise.core.records import Cell, Implementation, Notice, Plan
from rankwise.core.tuning import Native, Tuning
from rankwise.mpi import select
from rankwise.profiles import writing
from rankwise.store.store import Store
from rankwise.studies import base
from rankwise.workflows import measure, study_further, study_runs
from rankwise.workflows.configurations import ProfileChoice
from rankwise.workflows.study_runs import START_SECONDS
from studies import simulated, test_hablot2007
from studies.test_hablot2007 import MPICH, OPENMPI
from support import profiles

STUDY = base.find("hablot2007")


@pytest.fixture(autouse=True)
def nothing_is_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    one = Implementation(OPENMPI, "openmpi", "5.0.11", "/usr", "mpicc", "mpirun", "debian")
    monkeypatch.setattr(select, "working", lambda *_: ([one], []))
    monkeypatch.setattr(measure, "measure", lambda *_: pytest.fail("it was not asked for"))


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """All six runs of a quick study, of which the sixth has tuned the MPIs of the grid."""
    folder = tmp_path / "profiles" / "hablot2007-grid-mpi"
    parts = (profiles.part(one, Native(), Tuning()) for one in (OPENMPI, MPICH))
    writing.write(profiles.profile(*parts, name=folder.name), folder.parent)
    with Store(tmp_path / "results.sqlite") as opened:
        simulated.store(opened, STUDY, test_hablot2007.as_published, profiles={"grid-mpi": folder})
    return tmp_path / "results.sqlite"


def study(store: Path, *arguments: str) -> Result:
    words = [*arguments, "--store", str(store), "--report", str(store.with_name("page.html"))]
    return CliRunner().invoke(command, words, env={"COLUMNS": "80"})


class _Applications:
    """In place of hours: keeps what it was asked, and begins the run."""

    asked: Sequence[tuple[base.Applications, measure.Request, tuple[Notice, ...]]] = ()

    @classmethod
    def measured(
        cls, applications: base.Applications, request: measure.Request, opened: Store, _: Any,
        notices: tuple[Notice, ...] = (),
    ) -> int:  # fmt: skip
        cls.asked = (*cls.asked, (applications, request, notices))
        program = Program(("rankwise-apps", "cg", "--class", applications.each[0].class_name))
        return opened.begin_run(
            "rankwise study", request.testbed.name, Plan((), 0, 1.0), kind="program",
            request=StoredProgram(program, (), ()).text,
        )  # fmt: skip


@pytest.fixture
def applications(monkeypatch: pytest.MonkeyPatch) -> type[_Applications]:
    fresh = type("Fresh", (_Applications,), {})
    monkeypatch.setattr(study_runs, "measure_applications", fresh.measured)
    return fresh


def test_only_runs_that_were_named_are_measured(store: Path, applications: type[_Applications]) -> None:
    words = ("hablot2007", "--only", "npb-cluster,npb-grid", "--time", "10m")
    result = study(store.with_name("empty.sqlite"), *words)
    assert result.exit_code == 0, result.exception
    assert [request.testbed.name for _, request, _ in applications.asked] == [
        "hablot2007-npb-grid", "hablot2007-npb-cluster",
    ]  # fmt: skip
    budgets = [request.time_budget_seconds for _, request, _ in applications.asked]
    assert sum(budgets) + 2 * START_SECONDS == pytest.approx(
        600 * (1 + 5400 / 12600), rel=0.05
    )  # the first ends at once
    assert "--only leaves out: cluster, grid-untuned, " in " ".join(result.stderr.split())
    counted = [bool(asked.messages) for asked, *_ in applications.asked]
    assert counted == [True, False] and {asked.each[0].class_name for asked, *_ in applications.asked} == {"B"}


@pytest.mark.parametrize(
    ("words", "error", "said"),
    [
        (("hablot2007", "--only", "npb"), UnknownNameError, "npb"),
        (("hablot2007", "--quick", "--only", "npb-grid"), InputError, "npb-grid is not part of a quick study"),
        (("eickermann1999", "--class", "S"), InputError, "nothing that comes in classes"),
    ],
)
def test_what_cannot_be_measured_is_said(
    store: Path, words: tuple[str, ...], error: type[Exception], said: str
) -> None:
    result = study(store, *words)
    assert isinstance(result.exception, error) and said in str(result.exception)


def test_another_class_is_told_and_never_mixed(store: Path, applications: type[_Applications]) -> None:
    result = study(store, "hablot2007", "--only", "npb-grid", "--class", "s")
    assert result.exit_code == 0, result.exception
    ((asked, *_),) = applications.asked
    assert {one.class_name for one in asked.each} == {"S"} and not asked.messages
    assert "of class S here, where the paper has B" in store.with_name("page.html").read_text()
    assert "run 8 was measured in class S" in str(study(store, "hablot2007", "--from", "8").exception)
    again = study(store, "hablot2007", "--only", "npb-grid", "--class", "S", "--from", "8")
    assert again.exit_code == 0 and len(applications.asked) == 1, "it is stored"


def test_applications_are_measured_with_all_that_they_might_gain_by(
    store: Path, applications: type[_Applications], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(study_further, "mapped_placement", lambda *_: ("hosts=nancy-1", "half"))
    words = ("hablot2007", "--only", "npb-gains")
    (store.parent / "elsewhere").mkdir()
    assert study(store.parent / "elsewhere" / "empty.sqlite", *words).exit_code == 0
    ((_, request, notices),) = applications.asked
    assert request.profiles == (ProfileChoice(), ProfileChoice("overlay", overlay=True))
    assert [one.message for one in notices] == [f"no profile of grid-mpi for {OPENMPI}", "half"]
    result = study(store, *words, "--from", "6")
    assert result.exit_code == 0, result.exception
    _, (_, request, notices) = applications.asked
    folder = store.with_name("profiles") / "hablot2007-grid-mpi"
    assert request.profiles[2] == ProfileChoice("hablot2007-grid-mpi", str(folder))
    assert [one.kind for one in notices] == ["mapped"]
    assert request.placements == ("block", "hosts=nancy-1")
    wanted = [
        (label, placement)
        for label in ("default", "overlay", "hablot2007-grid-mpi", "another")
        for placement in request.placements
        if request.wanted and request.wanted(Cell(OPENMPI, "cg", 0, 16, label=label, placement=placement))
    ]
    assert wanted == [
        ("default", "block"), ("default", "hosts=nancy-1"), ("overlay", "block"), ("hablot2007-grid-mpi", "block"),
    ]  # fmt: skip
