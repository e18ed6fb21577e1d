"""`rankwise compare -- ./app` measures whole runs of a user's program over MPIs, placements and testbeds."""

from __future__ import annotations

import json
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest

import rankwise as api
from support.command_line import assert_error, launches, rankwise, started, wait_for_launches
from support.emulated import needs_emulation

pytestmark = pytest.mark.mpi

SOURCE = r"""
#include <mpi.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    double one = 1, sum = 0, seconds;
    int rank, size, turn;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    seconds = MPI_Wtime();
    for (turn = 0; turn < 100; turn++)
        MPI_Allreduce(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    seconds = MPI_Wtime() - seconds;
    if (rank == 0)
        printf("ranks %d\nTime in seconds = %.9f\nRate: %g\n%s\n", size, seconds + 1e-9, 100 / (seconds + 1e-9),
               sum == size ? "PASSED" : "FAILED");
    MPI_Finalize();
    return 0;
}
"""
TIME = "--metric=Time in seconds = *([0-9.]+)"
BUILD = "--build={mpicc} -O2 app.c -o {program}"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "app.c").write_text(SOURCE)
    return tmp_path


def script(home: Path, text: str) -> str:
    path = home / "job.sh"
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return "./job.sh"


def answer(done: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    assert done.stdout, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def by_variant(found: dict[str, Any], metric: str) -> dict[str, dict[str, Any]]:
    return {row["variant"]: row for row in found["metrics"] if row["metric"] == metric}


def test_one_program_is_built_and_compared_over_several_mpis(home: Path) -> None:
    words = [TIME, r"--metric=Rate: (\S+)", "--higher-is-better", "--verify-output=^PASSED$", BUILD]
    done = rankwise(
        "compare", "mpich-5", "mpich-4", "intelmpi", "-n", "2", "--time", "3s", *words, "--json", "--", "./app",
        home=home,
    )  # fmt: skip
    found = answer(done)
    times, rates = by_variant(found, "Time in seconds"), by_variant(found, "Rate")
    assert len(times) == len(rates) == 3 and not found["failed"], done.stderr
    assert found["baseline"].startswith("mpich-5") and Path(found["report"]).is_file()
    for name, time in times.items():
        assert time["launches"] == rates[name]["launches"] >= 1
        if time["launches"] == 1:
            assert time["low"] is None and time["high"] is None
        else:
            assert time["low"] <= time["median"] <= time["high"]
        assert not time["higher_is_better"] and rates[name]["higher_is_better"]
        assert time["verdict"] == rates[name]["verdict"]
    again = rankwise("report", "--json", "--baseline", "intelmpi", home=home)
    assert answer(again)["baseline"].startswith("intelmpi")
    shown = rankwise("show", "--json", home=home).stdout
    assert json.loads(shown)["run"]["kind"] == "program"
    assert "Time in seconds, 2 ranks (lower is better)" in rankwise("report", home=home).stdout


def test_failing_hanging_and_wrong_variants_are_told_and_the_others_compared(home: Path) -> None:
    program = script(home, 'case $1 in openmpi*) echo no input >&2; exit 4;; intelmpi*) sleep 77;; '
                           'mpich-4*) echo t 1 WRONG; exit;; esac; echo t 2 RIGHT')  # fmt: skip
    line = ["compare", "openmpi-5", "mpich-5", "intelmpi", "mpich-4", "-n", "1", "--time", "1s", "--limit", "2s"]
    words = [r"--metric=t (\d+)", "--verify-output=RIGHT", "--fail-on", "slower", "--json"]
    done = rankwise(*line, *words, "--", program, "{mpi}", home=home)
    assert done.returncode == 1, done.stderr
    rows = {name.partition("-20")[0]: row for name, row in by_variant(answer(done), "t").items()}
    assert rows["mpich-5.0.2"]["launches"] > 0 and rows["mpich-5.0.2"]["median"] == 2
    assert "exit code 4: last output: no input" in rows["openmpi-5.0.11"]["reason"]
    assert "timed out after 2 s" in rows["intelmpi"]["reason"]
    assert "nothing that matches 'RIGHT'" in rows["mpich-4.0.2"]["reason"]
    assert sum(row["launches"] for row in rows.values()) == rows["mpich-5.0.2"]["launches"]
    assert answer(done)["baseline"] == "mpich-5.0.2", "the first one that was named fails"
    assert {one["kind"] for one in answer(done)["failed"]} == {"failed", "wrong data"}


@needs_emulation
@pytest.mark.nightly
def test_placements_and_testbeds_of_one_mpi_are_variants(home: Path) -> None:
    subprocess.run(["mpicc.mpich", "-O2", "app.c", "-o", "app"], cwd=home, check=True)
    words = ["--placement", "block,cyclic", "--testbed", "local,two-clusters", "--time", "1s", TIME, "--json"]
    done = rankwise("compare", "-n", "2", *words, "--", "./app", home=home)
    rows = by_variant(answer(done), "Time in seconds")
    assert set(rows) == {
        f"mpich-4.0.2 + {placement}, {testbed}"
        for placement in ("block", "cyclic")
        for testbed in ("local", "two-clusters")
    }
    assert all(row["launches"] for row in rows.values()), done.stderr


@pytest.mark.nightly
def test_a_program_of_the_standard_abi_runs_on_all(home: Path) -> None:
    from support.mpis import FOUND  # noqa: PLC0415 - discovery takes a while

    mpich = next(one for one in FOUND if one.id == "mpich-5.0.2")
    subprocess.run([Path(mpich.mpicc).with_name("mpicc_abi"), "app.c", "-o", "app"], cwd=home, check=True)
    done = rankwise("compare", "-n", "2", "--time", "1s", TIME, "--json", "--", "./app", home=home)
    rows = by_variant(answer(done), "Time in seconds")
    assert set(rows) == {one.id for one in FOUND}
    assert all(row["launches"] for row in rows.values()), done.stderr


@pytest.mark.nightly
def test_an_interrupted_comparison_goes_on_with_the_same_program_only(home: Path) -> None:
    program = script(home, "sleep 0.3")
    with started("compare", "mpich-5", "-n", "1", "--time", "100s", "--", program, home=home) as running:
        wait_for_launches(home, 2, running)
        running.send_signal(signal.SIGINT)
        assert running.wait(30) == 130
    before = launches(home)
    other = home / "elsewhere"
    other.mkdir()
    script(home, "sleep 0.2")
    assert_error(rankwise("resume", home=home), 2, "job.sh has changed since run 1 began")
    script(home, "sleep 0.3")
    with started("compare", "--resume", home=home) as running:
        wait_for_launches(home, before + 2, running)
        running.send_signal(signal.SIGINT)
        assert running.wait(30) == 130
    assert "wall time, 1 rank" in rankwise("report", home=home).stdout


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["compare", "mpich-5", "--", "--mca", "btl", "tcp,self"], "--launcher '--mca btl tcp,self'"),
        (["bench", "pingpong", "--", "-x"], "rankwise bench pingpong --launcher -x"),
        (["bench", "pingpong", "--", "./app"], "rankwise compare -- ./app"),
        (["guidelines", "--", "./app"], "rankwise compare -- ./app"),
        (["compare", "--metric", "(x)"], "--metric needs a program"),
        (["compare", "mpich-5", "--sizes", "1", "--", "true"], "--sizes is for Rankwise's own benchmarks"),
        (["compare", "mpich-5", "--metric", "x", "--", "true"], "has no groups"),
        (["compare", "mpich-5", "--higher-is-better", "--", "true"], "need --metric"),
        (["compare", "mpich-5", "--", "./nothing"], "program not found: ./nothing"),
        (["compare", "mpich-5", "--output-file", "app.c", "--", "true"], "app.c already exists"),
        (["compare", "mpich-5", "--launcher", "'", "--", "true"], "quotation"),
        (["compare", "--", "true"], "true does not show which MPI it was built with"),
    ],
)
def test_what_makes_no_sense_is_said_with_the_line_that_does(words: list[str], message: str, home: Path) -> None:
    done = rankwise(*words, home=home)
    assert done.returncode == 2, done.stderr
    assert message in done.stderr


@pytest.mark.parametrize(
    ("build", "words"),
    [
        ("echo no such file >&2; exit 1", ("the build failed", "no such file")),
        ("true", ("the build wrote no {program}",)),
        ("{mpif90} app.f90 -o {program}", ("has no mpif90 beside",)),
    ],
)
def test_a_build_that_does_not_work_says_why(build: str, words: tuple[str, ...], home: Path) -> None:
    line = build if "{program}" in build else f"{build}; : {{program}}"
    assert_error(rankwise("compare", "mpich-5", "--build", line, "--", "./app", home=home), 3, *words)


def test_python_compares_a_program_too(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(home)
    rate = api.Metric("Rate", r"Rate: (\S+)", higher_is_better=True)
    found = api.compare(
        ["mpich-5", "intelmpi"], program=["./app"], build="{mpicc} app.c -o {program}", ranks=[2], time="1s",
        metrics=[TIME.partition("=")[2], rate], where=api.Where(home / "results.sqlite"),
    )  # fmt: skip
    assert found.program is not None and {row.metric for row in found.program.rows} == {"Time in seconds", "Rate"}
    (one,) = found.samples("mpich-5.0.2", "Rate").values()
    assert len(one) >= 1 and all(values.size == 1 and values[0] > 0 for values in one)
    assert set(found.to_frame()["benchmark"]) == {"Time in seconds", "Rate"}
    assert "<ul>" in found._repr_html_() and found.report(home / "page.html").stat().st_size > 10_000
