"""`rankwise study` sets stored runs beside the paper, and measures only what is missing."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from rankwise.cli.study import command
from rankwise.core.errors import HostError, InputError, InterruptedRun, UnknownNameError
from rankwise.core.records import Cell, Implementation, Plan
from rankwise.core.tuning import Native, Profile, Setting, Tuning
from rankwise.mpi import select
from rankwise.profiles import writing
from rankwise.store.store import Store
from rankwise.studies import base
from rankwise.workflows import measure
from rankwise.workflows.configurations import ProfileChoice
from rankwise.workflows.events import Silent
from rankwise.workflows.study import resume
from rankwise.workflows.study_runs import START_SECONDS
from rankwise.workflows.tune import tuner
from studies import simulated, test_hablot2007
from support import profiles, stored

STUDY = base.find("hablot2007")
OPENMPI = test_hablot2007.OPENMPI
ALL = "1,2,3,4,5,6"


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """All six runs of a quick study; the last two have tuned the MPIs."""
    path = tmp_path / "results.sqlite"
    with Store(path) as opened:
        folders = {label: tmp_path / "profiles" / f"hablot2007-{label}" for label in ("cluster-mpi", "grid-mpi")}
        for label, folder in folders.items():
            writing.write(_profile(label), folder.parent)
        simulated.store(opened, STUDY, test_hablot2007.as_published, profiles=folders)
    return path


def _profile(label: str, **changes: Any) -> Profile:
    parts = (
        profiles.part(OPENMPI, Native(), Tuning((Setting("eager-threshold", str(32 << 20)),))),
        profiles.part(test_hablot2007.MPICH, Native(), Tuning()),
    )
    return replace(profiles.profile(*parts, name=f"hablot2007-{label}"), **changes)


@pytest.fixture(autouse=True)
def one_that_works(monkeypatch: pytest.MonkeyPatch) -> None:
    one = Implementation(OPENMPI, "openmpi", "5.0.11", "/usr", "mpicc", "mpirun", "debian")
    monkeypatch.setattr(select, "working", lambda *_: ([one], []))


@pytest.fixture
def never_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    def measured(*_: Any) -> int:
        raise AssertionError("all is stored: nothing is to be measured")

    monkeypatch.setattr(measure, "measure", measured)
    monkeypatch.setattr(measure, "resume", measured)


def study(store: Path, *arguments: str) -> Result:
    words = [*arguments, "--store", str(store), "--report", str(store.with_name("page.html"))]
    return CliRunner().invoke(command, words, env={"COLUMNS": "80"})


@pytest.mark.usefixtures("never_measured")
def test_the_page_of_stored_runs(store: Path) -> None:
    result = study(store, "hablot2007", "--quick", "--from", ALL)
    assert result.exit_code == 0, result.exception
    assert max(map(len, result.stdout.splitlines())) <= 80
    lines = [" ".join(line.split()) for line in result.stdout.splitlines()]
    assert "✓ holds “All the implementations reach 940 Mbps that is the maximum goodput" in lines
    assert any(line.startswith("True of TCP (") for line in lines)
    assert "Of 21 statements of the paper" in result.stdout
    assert "Warnings about these measurements, listed on the page: too-few-launches (6)" in result.stdout
    assert "runs: 1,2,3,4,5,6\n" in result.stderr
    assert "Comparison and tuning" in store.with_name("page.html").read_text()


@pytest.mark.usefixtures("never_measured")
def test_json(store: Path) -> None:
    answer = json.loads(study(store, "hablot2007", "--quick", "--from", ALL, "--json").stdout)
    assert answer["runs"] == {
        "cluster": 1,
        "grid-untuned": 2,
        "grid-tuned": 3,
        "slow-start": 4,
        "cluster-mpi": 5,
        "grid-mpi": 6,
    }
    verdicts = {one["key"]: one["verdict"] for one in answer["statements"]}
    assert verdicts["overhead-cluster"] == "holds"
    assert verdicts["messages-of-16M"] == "undecided", "not part of a quick study"
    assert {one["key"]: one["verdict"] for one in answer["aims"]}["aim-no-dip"] == "holds"
    assert answer["tables"][0]["rows"][0]["head"] == "TCP"
    assert Path(answer["report"]).is_file()


def test_without_a_name_the_studies_are_listed(store: Path) -> None:
    result = study(store)
    assert "hablot2007" in result.stdout
    assert "eickermann1999" in result.stdout
    names = [one["name"] for one in json.loads(study(store, "--json").stdout)]
    assert names == ["eickermann1999", "hablot2007", "martinasso2006", "mcclements2006"]


def test_only_what_is_missing_is_measured(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[measure.Request] = []

    def measured(request: measure.Request, opened: Store, _: Any) -> int:
        asked.append(request)
        return simulated.store(opened, STUDY, lambda label: _only("grid-untuned", label))["grid-untuned"]

    monkeypatch.setattr(measure, "measure", measured)
    result = study(store, "hablot2007", "--quick", "--from", "1,3,4,5,6", "--mpi", "mpich,openmpi", "--time", "3m")
    assert result.exit_code == 0, result.exception
    assert "[2/6] Rennes to Nancy, TCP buffers of 2007" in result.stderr
    assert "--quick leaves out: slow-start-16M, npb-grid, " in " ".join(result.stderr.split())
    (request,) = asked
    assert request.testbed.name == "hablot2007-grid-untuned"
    assert request.benchmarks == ("pingpong", "tcp_pingpong")
    assert request.placements == ("across-sites",)
    assert request.implementations == ("mpich", "openmpi")
    quick = STUDY.runs[1].quick
    assert quick is not None
    whole = 180 * quick.time_budget_seconds / STUDY.seconds(quick=True)
    assert request.time_budget_seconds == pytest.approx(whole - START_SECONDS, abs=1.0)
    assert "runs: 1,3,4,5,6,8\n" in result.stderr


def _only(wanted: str, label: str) -> simulated.Speeds | None:
    return test_hablot2007.as_published(label) if label == wanted else None


def _interrupt_after(launches: int, error: Callable[[], BaseException]) -> Callable[..., int]:
    """Begins the run that is asked for, stores so many launches of something, and ends with the error."""

    def measured(request: measure.Request, opened: Store, _: Any) -> int:
        run_id = opened.begin_run("rankwise study", request.testbed.name, stored.PLAN)
        for number in range(launches):
            opened.add_launch(run_id, stored.make_launch(number))
        opened.finish_run(run_id, "interrupted", "Ctrl-C")
        raise error()

    return measured


@pytest.mark.parametrize("error", [lambda: InterruptedRun("interrupted: 2 launches kept"), KeyboardInterrupt])
def test_an_interruption_says_how_to_go_on(
    store: Path, monkeypatch: pytest.MonkeyPatch, error: Callable[[], BaseException]
) -> None:
    monkeypatch.setattr(measure, "measure", _interrupt_after(2, error))
    result = study(store, "hablot2007", "--quick", "--from", "1")
    assert isinstance(result.exception, InterruptedRun)
    assert result.exception.remedy == "continue: rankwise resume 7"
    with Store(store) as opened:
        assert (opened.run(7).kind, opened.run(7).status, opened.run(8).parent) == ("study", "interrupted", 0)
    assert not store.with_name("page.html").exists()


def test_an_interrupted_run_is_finished(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Store(store) as opened:
        opened.finish_run(2, "interrupted", "Ctrl-C")
    resumed: list[int] = []

    def resume(run_id: int, opened: Store, _: Any) -> None:
        resumed.append(run_id)
        opened.finish_run(run_id, "complete", "max launches")

    monkeypatch.setattr(measure, "resume", resume)
    result = study(store, "hablot2007", "--quick", "--from", ALL)
    assert result.exit_code == 0, result.exception
    assert resumed == [2]


def test_a_network_on_which_nothing_works_does_not_end_the_study(
    store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(measure, "measure", _interrupt_after(0, lambda: HostError("not one cell gave a result")))
    result = study(store, "hablot2007", "--quick", "--from", "1,3,4,5,6")
    assert result.exit_code == 0, result.exception
    assert "warning: Rennes to Nancy, TCP buffers of 2007: not one cell" in " ".join(result.stderr.split())
    assert re.search(r"could not be decided, \d+ of them not measured", " ".join(result.stdout.split()))
    assert "Not measured." not in result.stdout


def test_a_host_that_lacks_something_ends_it(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def measured(*_: Any) -> int:
        raise HostError("there is no /dev/net/tun", "modprobe tun")

    monkeypatch.setattr(measure, "measure", measured)
    result = study(store, "hablot2007", "--quick", "--from", "1")
    assert isinstance(result.exception, HostError)
    assert result.exception.remedy == "modprobe tun\nthen: rankwise resume 7"


def test_runs_of_something_else_are_refused(store: Path) -> None:
    with Store(store) as opened:
        other = stored.measured(opened, launches=1)
    result = study(store, "hablot2007", "--from", f"1,{other}")
    assert isinstance(result.exception, InputError)
    assert "was measured on local" in str(result.exception)
    assert isinstance(study(store, "hablot2007", "--from", "77").exception, UnknownNameError)
    assert isinstance(study(store, "hablot").exception, UnknownNameError)
    assert study(store, "hablot2007", "--from", "one").exit_code == 2


# Runs that tune


def _rows(store: Path, *arguments: str) -> dict[str, list[str]]:
    answer = json.loads(study(store, "hablot2007", "--quick", "--from", ALL, "--json", *arguments).stdout)
    table = next(one for one in answer["tables"] if one["title"] == "Up to which size messages go eagerly")
    return {row["head"]: row["cells"] for row in table["rows"]}


@pytest.mark.usefixtures("never_measured")
def test_thresholds_are_those_of_the_profiles(store: Path) -> None:
    rows = _rows(store)
    assert rows[OPENMPI][1:3] == ["32 MiB", "32 MiB"]
    assert rows[test_hablot2007.MPICH][1:3] == ["as it was", "as it was"]


@pytest.mark.usefixtures("never_measured")
def test_a_profile_that_is_gone_is_no_error(store: Path) -> None:
    """Nor one that somebody has put in its place since."""
    folder = store.with_name("profiles")
    (folder / "hablot2007-cluster-mpi").rename(folder / "elsewhere")
    writing.write(_profile("grid-mpi", created_at=4e9), folder, force=True)
    assert _rows(store)[OPENMPI][1:3] == ["–", "–"]
    page = store.with_name("page.html").read_text()
    assert "Two nodes of a cluster, each MPI&#39;s threshold tuned: the profile that was measured is gone" in page
    assert "leave run 6 out of --from" in page


class _Tuner:
    """In place of a search of minutes: keeps what it was asked, begins the runs that one begins, and ends."""

    asked: Sequence[tuner.TuneRequest] = ()

    def __init__(self, request: tuner.TuneRequest, opened: Store, _: Any) -> None:
        self.request, self.store = request, opened
        type(self).asked = (*self.asked, request)

    def run(self) -> tuner.TuneResult:
        request, options = self.request, self.request.options
        where = (request.command_line, request.testbed.name)
        search = self.store.begin_run(*where, Plan((), 0, 60.0), kind="search", parent=request.study)
        self.store.finish_run(search, "complete", "searched")
        validation = self.store.begin_run(*where, stored.PLAN, kind="validation", parent=search)
        self.store.finish_run(validation, "complete", "max launches")
        profile = _profile(options.name.removeprefix("hablot2007-"))
        return tuner.TuneResult(profile, writing.write(profile, Path(options.parent), force=options.force), {})


@pytest.fixture
def tunings(monkeypatch: pytest.MonkeyPatch) -> type[_Tuner]:
    fresh = type("Fresh", (_Tuner,), {})
    monkeypatch.setattr(tuner, "Tuner", fresh)
    return fresh


def test_a_run_that_tunes_is_measured_with_its_profile(
    store: Path, tunings: type[_Tuner], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[measure.Request] = []

    def measured(request: measure.Request, opened: Store, _: Any) -> int:
        asked.append(request)
        (own, default) = request.profiles
        assert (own.label, default) == ("hablot2007-grid-mpi", ProfileChoice())
        folder = own.folder
        return simulated.store(
            opened, STUDY, lambda label: _only("grid-mpi", label), profiles={"grid-mpi": Path(folder)}
        )["grid-mpi"]

    monkeypatch.setattr(measure, "measure", measured)
    result = study(store, "hablot2007", "--quick", "--from", "1,2,3,4,5", "--mpi", OPENMPI)
    assert result.exit_code == 0, result.exception
    (tuning,), (request,) = tunings.asked, asked
    quick = next(run.quick for run in STUDY.runs if run.label == "grid-mpi")
    assert quick is not None
    assert tuning.options.spec.knobs == ("socket-buffers", "transport", "eager-threshold")
    assert tuning.options.spec.collectives == ()
    assert tuning.testbed.name == request.testbed.name == tuning.options.name == "hablot2007-grid-mpi"
    assert [host.name for host in tuning.testbed.hosts()] == ["rennes-1", "nancy-1"]
    assert tuning.options.parent == str(store.with_name("profiles"))
    assert tuning.options.implementations == (OPENMPI,)
    assert tuning.options.time_budget_seconds == pytest.approx(
        quick.tuning_share * quick.time_budget_seconds, abs=1.0
    )
    passed = quick.time_budget_seconds - START_SECONDS - request.time_budget_seconds
    assert 0 <= passed < 60  # what went by before, on a busy machine too
    wanted = request.wanted
    assert wanted is not None
    cells = [
        Cell(OPENMPI, benchmark, 1, 2, label=profile)
        for benchmark in request.benchmarks
        for profile in (tuning.options.name, "default")
    ]
    assert [(one.benchmark, one.label) for one in cells if wanted(one)] == [
        ("pingpong", "hablot2007-grid-mpi"), ("tcp_pingpong", "default"),
    ]  # fmt: skip
    assert "tuning first: socket-buffers, transport, eager-threshold; at most" in " ".join(result.stderr.split())
    assert "runs: 1,2,3,4,5,10\n" in result.stderr


def test_an_interrupted_search_goes_on(
    store: Path, tunings: type[_Tuner], monkeypatch: pytest.MonkeyPatch
) -> None:
    def run(self: _Tuner) -> Any:
        if not self.request.search:
            search = self.store.begin_run(
                self.request.command_line, self.request.testbed.name, Plan((), 0, 60.0), kind="search",
                parent=self.request.study,
            )  # fmt: skip
            self.store.finish_run(search, "interrupted", "Ctrl-C")
        raise InterruptedRun("interrupted: 12 launches are kept", "continue: rankwise resume 8")

    monkeypatch.setattr(tunings, "run", run)
    first = study(store, "hablot2007", "--quick", "--from", "1,2,3,4,5", "--mpi", "mpich,openmpi").exception
    assert isinstance(first, InterruptedRun)
    assert first.remedy == "continue: rankwise resume 7"
    with Store(store) as opened, pytest.raises(InterruptedRun) as second:
        resume(7, opened, Silent())
    assert [(one.search, one.study) for one in tunings.asked] == [(0, 7), (8, 7)]
    assert tunings.asked[1].options.implementations == ("mpich", "openmpi")
    assert second.value.remedy == "continue: rankwise resume 7"


def test_an_interruption_after_tuning_goes_on_from_the_search(
    store: Path, tunings: type[_Tuner], monkeypatch: pytest.MonkeyPatch
) -> None:
    def measured(*_: Any) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr(measure, "measure", measured)
    error = study(store, "hablot2007", "--quick", "--from", "1,2,3,4,5").exception
    assert isinstance(error, InterruptedRun)
    assert error.remedy == "continue: rankwise resume 7"
    assert len(tunings.asked) == 1


def test_a_measurement_goes_on_whatever_became_of_its_profile(
    store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What it loads is stored with it."""
    resumed: list[int] = []

    def again(run_id: int, opened: Store, _: Any) -> None:
        resumed.append(run_id)
        opened.finish_run(run_id, "complete", "max launches")

    monkeypatch.setattr(measure, "resume", again)
    with Store(store) as opened:
        opened.finish_run(6, "interrupted", "Ctrl-C")
    writing.write(_profile("grid-mpi", created_at=4e9), store.with_name("profiles"), force=True)
    assert study(store, "hablot2007", "--quick", "--from", ALL).exit_code == 0
    assert resumed == [6]


def test_a_validation_alone_cannot_go_on(store: Path) -> None:
    with Store(store) as opened:
        validation = opened.begin_run("rankwise study", "hablot2007-grid-mpi", stored.PLAN, kind="validation")
    error = study(store, "hablot2007", "--quick", "--from", f"{ALL},{validation}").exception
    assert isinstance(error, InputError)
    assert f"run {validation} is the validation of a tuning" in str(error)


@pytest.mark.usefixtures("never_measured")
def test_a_profile_that_could_not_be_written_is_said_before_anything_is_measured(
    store: Path, tunings: type[_Tuner]
) -> None:
    mine = store.with_name("profiles") / "hablot2007-grid-mpi" / "notes.txt"
    mine.write_text("mine")
    error = study(store, "hablot2007", "--quick", "--from", "1,2,3,4,5").exception
    assert isinstance(error, InputError)
    assert "notes.txt is not part of the profile" in str(error)
    assert tunings.asked == ()
    assert mine.read_text() == "mine"
