"""`rankwise study` from stored runs: what needs no MPI and no testbed."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from rankwise.cli import measuring
from rankwise.cli.study import command
from rankwise.core.errors import HostError, InputError, InterruptedRun, UnknownNameError
from rankwise.store.store import Store
from rankwise.studies import base
from studies import simulated, test_hablot2007
from support import stored

STUDY = base.find("hablot2007")


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """All four runs of a quick study."""
    path = tmp_path / "results.sqlite"
    with Store(path) as opened:
        simulated.store(opened, STUDY, test_hablot2007.as_published)
    return path


@pytest.fixture
def never_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    def measure(*_: Any) -> int:
        raise AssertionError("all is stored: nothing is to be measured")

    monkeypatch.setattr(measuring, "measure", measure)
    monkeypatch.setattr(measuring, "resume", measure)


def study(store: Path, *arguments: str) -> Result:
    words = [*arguments, "--store", str(store), "--report", str(store.with_name("page.html"))]
    return CliRunner().invoke(command, words, env={"COLUMNS": "80"})


@pytest.mark.usefixtures("never_measured")
def test_the_page_of_stored_runs(store: Path) -> None:
    result = study(store, "hablot2007", "--quick", "--from", "1,2,3,4")
    assert result.exit_code == 0, result.exception
    assert max(map(len, result.stdout.splitlines())) <= 80
    lines = [" ".join(line.split()) for line in result.stdout.splitlines()]
    assert "✓ holds “All the implementations reach 940 Mbps that is the maximum goodput" in lines
    assert any(line.startswith("True of TCP (") for line in lines)
    assert "Of 17 statements of the paper" in result.stdout
    assert "Warnings about these measurements, told on the page: too-few-launches (4)" in result.stdout
    assert "runs: 1,2,3,4 " in result.stderr
    assert "Comparison and tuning" in store.with_name("page.html").read_text()


@pytest.mark.usefixtures("never_measured")
def test_json(store: Path) -> None:
    answer = json.loads(study(store, "hablot2007", "--quick", "--from", "1,2,3,4", "--json").stdout)
    assert answer["runs"] == {"cluster": 1, "grid-untuned": 2, "grid-tuned": 3, "slow-start": 4}
    verdicts = {one["key"]: one["verdict"] for one in answer["statements"]}
    assert verdicts["overhead-cluster"] == "holds"
    assert verdicts["messages-of-16M"] == "undecided", "not part of a quick study"
    assert answer["tables"][0]["rows"][0]["head"] == "TCP"
    assert Path(answer["report"]).is_file()


def test_without_a_name_the_studies_are_listed(store: Path) -> None:
    result = study(store)
    assert "hablot2007" in result.stdout
    assert "eickermann1999" in result.stdout
    names = [one["name"] for one in json.loads(study(store, "--json").stdout)]
    assert names == ["eickermann1999", "hablot2007"]


def test_only_what_is_missing_is_measured(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[measuring.Request] = []

    def measure(request: measuring.Request, opened: Store, _: Any) -> int:
        asked.append(request)
        return simulated.store(opened, STUDY, lambda label: _only("grid-untuned", label))["grid-untuned"]

    monkeypatch.setattr(measuring, "measure", measure)
    result = study(store, "hablot2007", "--quick", "--from", "1,3,4", "--mpi", "mpich,openmpi", "--time", "3m")
    assert result.exit_code == 0, result.exception
    assert "[2/4] Rennes to Nancy, TCP buffers of 2007" in result.stderr
    (request,) = asked
    assert request.testbed.name == "hablot2007-grid-untuned"
    assert request.benchmarks == ("pingpong", "tcp_pingpong")
    assert request.placements == ("across-sites",)
    assert request.implementations == ("mpich", "openmpi")
    assert request.time_budget_seconds == pytest.approx(180 * 120 / 710)
    assert "runs: 1,3,4,5 " in result.stderr


def _only(wanted: str, label: str) -> simulated.Speeds | None:
    return test_hablot2007.as_published(label) if label == wanted else None


def _interrupt_after(launches: int, error: Callable[[], BaseException]) -> Callable[..., int]:
    """Begins the run that is asked for, stores so many launches of something, and ends with the error."""

    def measure(request: measuring.Request, opened: Store, _: Any) -> int:
        run_id = opened.begin_run("rankwise study", request.testbed.name, stored.PLAN)
        for number in range(launches):
            opened.add_launch(run_id, stored.make_launch(number))
        opened.finish_run(run_id, "interrupted", "Ctrl-C")
        raise error()

    return measure


@pytest.mark.parametrize("error", [lambda: InterruptedRun("interrupted: 2 launches kept"), KeyboardInterrupt])
def test_an_interruption_says_how_to_go_on(
    store: Path, monkeypatch: pytest.MonkeyPatch, error: Callable[[], BaseException]
) -> None:
    monkeypatch.setattr(measuring, "measure", _interrupt_after(2, error))
    result = study(store, "hablot2007", "--quick", "--from", "1")
    assert isinstance(result.exception, InterruptedRun)
    assert result.exception.remedy == "go on with: rankwise study hablot2007 --quick --from 1,5"
    assert not store.with_name("page.html").exists()


def test_an_interrupted_run_is_finished(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Store(store) as opened:
        opened.finish_run(2, "interrupted", "Ctrl-C")
    resumed: list[int] = []

    def resume(run_id: int, opened: Store, _: Any) -> None:
        resumed.append(run_id)
        opened.finish_run(run_id, "complete", "max launches")

    monkeypatch.setattr(measuring, "resume", resume)
    result = study(store, "hablot2007", "--quick", "--from", "1,2,3,4")
    assert result.exit_code == 0, result.exception
    assert resumed == [2]


def test_a_network_on_which_nothing_works_does_not_end_the_study(
    store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(measuring, "measure", _interrupt_after(0, lambda: HostError("not one cell gave a result")))
    result = study(store, "hablot2007", "--quick", "--from", "1,3,4")
    assert result.exit_code == 0, result.exception
    assert "warning: Rennes to Nancy, TCP buffers of 2007: not one cell" in " ".join(result.stderr.split())
    assert "Not measured." in result.stdout


def test_a_host_that_lacks_something_ends_it(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def measure(*_: Any) -> int:
        raise HostError("there is no /dev/net/tun", "modprobe tun")

    monkeypatch.setattr(measuring, "measure", measure)
    result = study(store, "hablot2007", "--quick", "--from", "1")
    assert isinstance(result.exception, HostError)
    assert result.exception.remedy == "modprobe tun\nthen: rankwise study hablot2007 --quick --from 1"


def test_runs_of_something_else_are_refused(store: Path) -> None:
    with Store(store) as opened:
        other = stored.measured(opened, launches=1)
    result = study(store, "hablot2007", "--from", f"1,{other}")
    assert isinstance(result.exception, InputError)
    assert "was measured on local" in str(result.exception)
    assert isinstance(study(store, "hablot2007", "--from", "77").exception, UnknownNameError)
    assert isinstance(study(store, "hablot").exception, UnknownNameError)
    assert study(store, "hablot2007", "--from", "one").exit_code == 2
