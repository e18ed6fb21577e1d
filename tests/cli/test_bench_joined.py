"""`rankwise bench --join` and `compare --join --bench`: our benchmarks on a job over several sites."""

from __future__ import annotations

import json
import signal
import sqlite3
from pathlib import Path

import pytest

from support.abi import needs_compiler, prepare
from support.command_line import assert_error, rankwise, started, wait_for_launches
from support.emulated import needs_emulation

pytestmark = [pytest.mark.mpi, needs_compiler, pytest.mark.timeout(600)]
JOIN = "a=mpich-5:1,b=openmpi-5:1"
KINDS = ("point-to-point", "collective", "nonblocking", "persistent", "neighbourhood", "start-up")


@pytest.fixture(scope="module", autouse=True)
def _prepared() -> None:
    prepare("openmpi-5", "mpich-5")


def test_benchmarks_run_on_a_joined_job_and_its_segments_are_stored(tmp_path: Path) -> None:
    line = ["bench", "pingpong", "allreduce", "put", "bcast.binomial", "--sizes", "8,64K", "--per-cell", "5ms"]
    done = rankwise(*line, "--join", JOIN, "--launches", "1", "--json", home=tmp_path)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    measured = {(row["benchmark"], row["size_bytes"]) for row in found["cells"]}
    names = ("pingpong", "allreduce", "bcast.binomial")
    assert measured == {(name, size) for name in names for size in (8, 65536)}
    assert {one["cell"]["benchmark"]: one["reason"] for one in found["failed"]}["put"].startswith("windows: ")
    with sqlite3.connect(tmp_path / "results.sqlite") as stored:
        segments = stored.execute(
            "SELECT segment.implementation, ranks FROM segment"
            " JOIN configuration ON configuration.id = segment.configuration ORDER BY 1"
        ).fetchall()
    assert [(name.rpartition(".")[0], ranks) for name, ranks in segments] == [("mpich-5.0", 1), ("openmpi-5.0", 1)]


@pytest.mark.parametrize(
    ("kinds", "least"),
    [
        (("sendrecv", "bandwidth", "alltoallw", "scan", "ireduce", "gatherv_persistent", "comm_split"), 7),
        pytest.param(KINDS, 90, marks=pytest.mark.nightly),
    ],
)
def test_data_are_right_in_what_a_joined_job_can_do(kinds: tuple[str, ...], least: int, tmp_path: Path) -> None:
    join = "a=mpich-5:1,b=openmpi-5:2"
    line = ["bench", *kinds, "--verify", "--sizes", "1K", "--join", join, "--launches", "1"]
    done = rankwise(*line, "--json", home=tmp_path)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert {one["kind"] for one in found["failed"]} <= {"unsupported"}, found["failed"]
    assert len(found["verified"]) >= least


@needs_emulation
def test_a_joined_job_beside_one_mpi(tmp_path: Path) -> None:
    join = "north=mpich-5:2,south=openmpi-5:2"
    line = ["compare", "mpich-5", "--join", join, "--testbed", "two-clusters", "--bench", "bcast,tcp_pingpong"]
    done = rankwise(*line, "--sizes", "1K", "--time", "8s", "--json", home=tmp_path)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert not found["failed"], found["failed"]
    judged = [(one["benchmark"], one["ranks"], one["candidate"]) for one in found["verdicts"]]
    assert len(judged) == 1 and judged[0][:2] == ("bcast", 4), "a baseline is measured once"
    assert judged[0][2].startswith("north=mpich-5.0"), judged
    with sqlite3.connect(tmp_path / "results.sqlite") as stored:
        clocks = {row[0] for row in stored.execute("SELECT clock FROM launch WHERE status = 'finished'")}
    assert clocks == {"shared"}, "all nodes are on this host, and see that"


def test_such_a_run_goes_on(tmp_path: Path) -> None:
    line = ["bench", "barrier", "--join", JOIN, "--launches", "3", "--per-cell", "10ms"]
    with started(*line, home=tmp_path) as running:
        wait_for_launches(tmp_path, 1, running)
        running.send_signal(signal.SIGINT)
        assert running.wait(60) == 130
    done = rankwise("resume", home=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "a=mpich-5" in rankwise("show", home=tmp_path).stdout


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--relay"], "--relay is for a job over several sites"),
        (["-n", "3", "--join", JOIN], "2 and 3 ranks cannot be compared"),
        (["--placement", "cyclic", "--join", JOIN], "--placement is for jobs of one MPI"),
        (["--join", JOIN, "--join", "a=mpich-5:2,b=mpich-5:2"], "2 and 4 ranks cannot be compared"),
    ],
)
def test_what_cannot_be_measured_is_said(words: list[str], said: str, tmp_path: Path) -> None:
    assert_error(rankwise("bench", "barrier", *words, home=tmp_path), 2, said)
