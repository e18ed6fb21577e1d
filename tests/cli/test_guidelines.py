"""`rankwise guidelines` tells a stored run with its remedies, refuses bad input, and really measures one."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result

from analysis.compare import simulated
from rankwise.cli.guidelines import command
from rankwise.core.errors import InputError, UnknownNameError
from rankwise.core.records import Benchmark, Cell, Implementation, Launch, Plan, Segment, Series
from rankwise.core.tuning import Choice, Decision, Native, Rule, Tuning
from rankwise.profiles.writing import write
from rankwise.store.store import Store
from support.command_line import rankwise
from support.made_up_family import OURS, install
from support.mpis import FOUND
from support.profiles import part, profile
from support.stored import OPENMPI

NAMES = ("bcast", "bcast.scatter_allgather_ring", "scatter", "scatter_as_bcast")
KNOWN = [Benchmark(name, "guideline" if "_as_" in name else "collective", "") for name in NAMES]

METHODS = """
def algorithms(self, implementation):
    return {"bcast": (Algorithm("binomial", "1"), Algorithm("scatter_allgather", "8"))}

def native(self, implementation, tuning):
    (decision,) = tuning.decisions
    sizes = [rule.up_to_bytes for rule in decision.rules if rule.choice.algorithm]
    return Native(environment=(("OURS_BCAST", f"8 up to {sizes}"),))
"""


def factor(_implementation: str, name: str, size: int) -> float:
    """Broadcasts of up to 64 bytes are twice as slow as they may be, and nothing else is."""
    if name == "bcast":
        return 2.0 if size <= 64 else 0.5
    return 1.0 if name == "bcast.scatter_allgather_ring" else 0.8 if name == "scatter" else 1.0


def store_run(
    path: Path, implementations: Sequence[Implementation], law: Callable[[str, str, int], float] = factor
) -> None:
    launches = simulated.run(
        np.random.default_rng(1), [one.id for one in implementations], NAMES, 12, factor=law, sizes=(1, 64, 1024)
    )
    cells = tuple(dict.fromkeys(series.cell for launch in launches for series in launch.series))
    with Store(path) as store:
        run_id = store.begin_run(
            "rankwise guidelines", "local", Plan(cells, seed=1, time_budget_seconds=60.0),
            implementations=implementations, benchmarks=KNOWN,
        )  # fmt: skip
        for launch in launches:
            store.add_launch(run_id, launch)
        store.finish_run(run_id, "complete", "precise")


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A store whose run 1 is of the family `ours` and of an Open MPI that is not on this host."""
    install(METHODS, tmp_path, monkeypatch)
    store_run(tmp_path / "results.sqlite", [OURS, OPENMPI])
    return tmp_path / "results.sqlite"


def guidelines(path: Path, *words: str) -> Result:
    return CliRunner().invoke(command, [*words, "--store", str(path)], env={"COLUMNS": "80"})


def test_a_stored_run_is_told_in_eighty_columns(path: Path) -> None:
    result = guidelines(path, "--from", "1")
    assert result.exit_code == 0, result.exception
    assert max(map(len, result.stdout.splitlines())) <= 80
    text = " ".join(result.stdout.split())
    assert "• ours-1.0: 12 checks of 6 guidelines: " in text
    assert "✗ bcast ≤ scatter + allgather" in text
    assert "scatter + allgather by messages instead of MPI_Bcast between 1 B and 64 B (0." in text
    assert "or let a profile choose: bcast on 2 ranks scatter_allgather up to 64 B, as by default" in text
    assert "rankwise tune ours-1.0 --for bcast -n 2 --sizes 1,64" in text
    assert "OURS_BCAST=8 up to [64]" in text
    assert "✗ bcast ≤ a larger bcast" in text  # 64 B takes longer than 1 KiB
    assert "scatter ≤ bcast ✓ ✓ ✓" in text


def test_an_implementation_that_is_not_here_still_gets_a_remedy(path: Path) -> None:
    text = " ".join(guidelines(path, "openmpi", "--from", "1").stdout.split())
    assert "ours" not in text
    assert "scatter + allgather by messages instead of MPI_Bcast between 1 B and 64 B" in text


def test_profiles_and_searches_that_have_something_better_are_named(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    decision = Decision("bcast", 2, (Rule(64, Choice("scatter_allgather")), Rule(None, Choice())))
    own = part("ours-1.0", Native(), Tuning(decisions=(decision,)))
    write(replace(profile(own), topology=None, testbed="local"), tmp_path / "profiles")
    names = {"default": 1e-5, "bcast@2=scatter_allgather": 5e-6}
    with Store(path) as store:
        plan = Plan((), seed=1, time_budget_seconds=60.0)
        run_id = store.begin_run(
            "rankwise tune ours", "local", plan, kind="search", implementations=[OURS], benchmarks=KNOWN
        )
        for number in range(5):
            for name, seconds in names.items():
                cell = Cell("ours-1.0", "bcast", 64, 2, label=name)
                series = (Series(cell, "time", np.full(3, seconds * (1 + number / 100))),)
                segments = (Segment("ours-1.0", 2),)
                store.add_launch(
                    run_id, Launch(segments, "finished", "", (), 0.0, 1.0, series, stage="algorithms")
                )
        store.finish_run(run_id, "complete", "found")
    text = " ".join(guidelines(path, "ours", "--from", "1").stdout.split())
    assert "profile wan has scatter_allgather there" in text
    assert "rankwise run --profile wan --mpi ours-1.0 -n 2 -- ./app" in text
    assert (
        "measured in run 2: algorithms: bcast@2=scatter_allgather took 0.50 [0.49, 0.51] times the default's time"
    ) in text
    answer = json.loads(guidelines(path, "ours", "--from", "1", "--json").stdout)
    broken = next(one for one in answer["findings"] if one["guideline"] == "bcast.scatter_allgather_ring")
    assert len(broken["measured"]) == len(broken["profiles"]) == 1


def test_a_page_is_written(path: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    result = guidelines(path, "--from", "1", "--report", str(page), "--json")
    assert json.loads(result.stdout)["report"] == str(page)
    text = page.read_text()
    assert text.count('<table class="heatmap') == 2
    assert "scatter + allgather by messages instead of MPI_Bcast between 1 B and 64 B" in text
    assert "OURS_BCAST=8 up to [64]" in text


def test_json_has_every_check_and_what_mends(path: Path) -> None:
    result = guidelines(path, "ours", "--from", "1", "--json")
    answer: dict[str, Any] = json.loads(result.stdout)
    assert (answer["run"], answer["delta"], answer["failed"]) == (1, 0.05, [])
    found = {(one["guideline"], one["operation"]): one for one in answer["findings"]}
    broken = found["bcast.scatter_allgather_ring", "bcast"]
    assert broken["word"] == "violated"
    assert [check["word"] for check in broken["checks"]] == ["violated", "violated", "holds"]
    assert all({"ratio", "ratio_low", "ratio_high", "p_value"} <= set(check) for check in broken["checks"])
    assert broken["decision"]["rules"][0]["choice"]["algorithm"] == "scatter_allgather"
    assert broken["native"]["environment"] == [["OURS_BCAST", "8 up to [64]"]]
    assert any("Träff" in source for source in broken["sources"])
    holding = found["scatter_as_bcast", "scatter"]
    assert (holding["word"], holding["remedy"], holding["native"]) == ("holds", None, None)


def test_a_violation_can_fail_the_command(path: Path, tmp_path: Path) -> None:
    def exit_code(*words: str) -> int | None:
        with command.make_context("guidelines", [*words, "--from", "1", "--json"]) as context:
            result: int | None = command.invoke(context)
            return result

    assert exit_code("--store", str(path), "--fail-on", "violation") == 1
    assert exit_code("--store", str(path)) == 0
    clean = tmp_path / "clean.sqlite"
    store_run(clean, [OURS], lambda *_: 1.0)
    assert exit_code("--store", str(clean), "--fail-on", "violation") == 0


def test_bad_input_is_refused_with_a_remedy(path: Path) -> None:
    unknown = guidelines(path, "--bench", "alreduce").exception
    assert isinstance(unknown, UnknownNameError)
    assert "allreduce" in unknown.remedy
    assert isinstance(guidelines(path, "--from", "1", "--resume", "1").exception, InputError)
    assert isinstance(guidelines(path, "lam", "--from", "1").exception, UnknownNameError)
    assert isinstance(guidelines(path, "--from", "7").exception, UnknownNameError)


def test_a_run_without_any_operation_says_so(tmp_path: Path) -> None:
    with Store(tmp_path / "results.sqlite") as store:
        plan = Plan((), seed=1, time_budget_seconds=60.0)
        store.finish_run(store.begin_run("rankwise bench", "local", plan), "complete", "precise")
    error = guidelines(tmp_path / "results.sqlite", "--from", "1").exception
    assert isinstance(error, InputError)
    assert "rankwise show 1" in error.remedy


CURVES = (("scatter", "contiguous"), ("pingpong", "contiguous"), ("pingpong", "vector"))


@pytest.mark.mpi
@pytest.mark.skipif(not FOUND, reason="needs an MPI")
@pytest.mark.nightly
def test_a_real_run_measures_operations_beside_their_mockups(tmp_path: Path) -> None:
    one = next((one for one in FOUND if one.family == "mpich"), FOUND[0])
    words = ["--bench", "scatter,pingpong", "--sizes", "64,128", "--layout", "vector", "-n", "2", "--time", "6s"]
    done = rankwise("guidelines", one.id, *words, "--json", home=tmp_path)
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    assert answer["failed"] == []
    found = {(one["guideline"], one["operation"], one["options"]["layout"]) for one in answer["findings"]}
    assert found == {
        ("scatter_as_bcast", "scatter", "contiguous"),
        ("pingpong_as_pack_send_unpack", "pingpong", "vector"),
        *(("split", *curve) for curve in CURVES),
        *(("monotony", *curve) for curve in CURVES),
    }
    assert {check["ranks"] for one in answer["findings"] for check in one["checks"]} == {2}
    again = rankwise("guidelines", "--from", str(answer["run"]), "--json", home=tmp_path)
    assert json.loads(again.stdout)["findings"] == answer["findings"]
