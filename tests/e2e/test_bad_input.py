"""What goes wrong at a user's: a message, a remedy, the right exit code, nothing lost, nothing left running."""

import json
import os
import shutil
import signal
import sqlite3
import subprocess
from pathlib import Path

import psutil
import pytest

from rankwise.cli import main
from rankwise.core import process
from support.bare_host import bare_host
from support.command_line import COMMAND, assert_error, environment, launches, rankwise, started, wait_for_launches
from support.mpis import FOUND

MPI = next((one for one in FOUND if one.family == "mpich"), FOUND[0] if FOUND else None)
pytestmark = [pytest.mark.mpi, pytest.mark.skipif(MPI is None, reason="no MPI here")]
NAME = MPI.id if MPI else ""
QUICK = ["--bench", "pingpong", "--sizes", "1", "--time", "1s", "-q"]
LONG = ["--bench", "pingpong,bcast", "--sizes", "1:64K", "--time", "90s", "--precision", "0.00001", "-q"]


def marked_processes(home: Path) -> list[str]:
    """Those that descend from launches of verbs which keep their results in this folder."""
    found = []
    for one in psutil.process_iter(["name"]):
        try:
            variables = one.environ()
            if process.MARK in variables and variables.get("RANKWISE_STORE", "").startswith(f"{home}/"):
                found.append(f"{one.pid} {one.info['name']}")
        except (psutil.AccessDenied, psutil.NoSuchProcess):
            continue
    return found


def test_no_mpi_at_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    bare_host(tmp_path, monkeypatch)
    monkeypatch.setenv("RANKWISE_STORE", str(tmp_path / "results.sqlite"))
    assert main.run(["compare"]) == 3
    stderr = capsys.readouterr().err
    assert "no MPI implementation was found" in stderr
    assert "remedy: rankwise mpis install" in stderr


def test_no_compiler(tmp_path: Path) -> None:
    assert MPI is not None
    tools = tmp_path / "bin"
    tools.mkdir()
    for name in ("sh", "bash", "sed", "grep", "basename", "dirname", "cat", "expr", "tr", "env", "uname", "rm"):
        if found := shutil.which(name):
            (tools / name).symlink_to(found)
    done = rankwise("mpis", "--json", home=tmp_path, PATH=str(tools))
    entry = next(one for one in json.loads(done.stdout) if one["mpicc"] == MPI.mpicc)
    assert entry["status"] == "broken"
    assert "gcc" in entry["reason"] + entry["remedy"]


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with one complete run in its store."""
    home = tmp_path_factory.mktemp("measured")
    done = rankwise("compare", NAME, *QUICK, home=home)
    assert done.returncode == 0, done.stderr
    return home


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["compare", NAME, "--bench", "pingpng"], "pingpong"),
        (["compare", NAME[:-1] + "99"], NAME),
        (["compare", NAME, "--baseline", "no-such"], "no-such"),
        (["compare", "--resume", "77"], "77"),
        (["report", "77"], "77"),
        (["mpis", "install", "mpihc"], "mpich"),
        (["bench"], "no benchmark"),
        (["comprae"], "compare"),
    ],
)
def test_unknown_names_are_answered_with_the_nearest(words: list[str], message: str, measured: Path) -> None:
    assert_error(rankwise(*words, home=measured), 2, message)


@pytest.mark.parametrize("words", [["--sizes", "1:x"], ["--time", "soon"], ["-n", "two"], ["--layout", "round"]])
def test_what_cannot_be_read_names_its_option(words: list[str], tmp_path: Path) -> None:
    done = rankwise("compare", *words, home=tmp_path)
    assert done.returncode == 2
    assert words[0] in done.stderr


def fake_installation(folder: Path, mpiexec: str) -> Path:
    """A prefix with a real mpicc and a launcher of our making; it hides the library that would make both one."""
    assert MPI is not None
    (folder / "bin").mkdir(parents=True)
    for name, text in (("mpicc", f'[ "$1" = -show ] || exec {MPI.mpicc} "$@"'), ("mpiexec", mpiexec)):
        path = folder / "bin" / name
        path.write_text(f"#!/bin/sh\n{text}\n")
        path.chmod(0o755)
    return folder


@pytest.mark.nightly
def test_an_mpiexec_that_dies_half_way_is_data_and_the_others_go_on(tmp_path: Path) -> None:
    assert MPI is not None
    dying = (
        f'case "$*" in *rankwise-harness*) {MPI.mpiexec} "$@" | head -n 2; exit 9;; esac; exec {MPI.mpiexec} "$@"'
    )
    prefix = fake_installation(tmp_path / "dying", dying)
    words = ["--bench", "pingpong", "--sizes", "1,64", "--time", "4s", "-q", "--json"]
    done = rankwise("compare", "--prefix", str(prefix), "mpich", *words, home=tmp_path)
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    assert any("exit code 9" in one["reason"] for one in answer["failed"])
    shown = json.loads(rankwise("show", "--json", home=tmp_path).stdout)
    assert NAME in {cell["cell"]["implementation"] for cell in shown["cells"]}, "the others went on"
    assert marked_processes(tmp_path) == []


@pytest.mark.nightly
def test_an_mpiexec_that_hangs_is_ended_at_its_limit(tmp_path: Path) -> None:
    assert MPI is not None
    hanging = f'case "$*" in *rankwise-harness*) sleep 1000;; esac; exec {MPI.mpiexec} "$@"'
    prefix = fake_installation(tmp_path / "hanging", hanging)
    done = rankwise("compare", "--prefix", str(prefix), "mpich", *QUICK, "--limit", "2s", "--json", home=tmp_path)
    assert done.returncode == 1, done.stderr  # an MPI without any result
    assert any("timed out after 2 s" in one["reason"] for one in json.loads(done.stdout)["failed"])
    assert marked_processes(tmp_path) == []


@pytest.mark.parametrize("signal_number", [signal.SIGINT, pytest.param(signal.SIGTERM, marks=pytest.mark.nightly)])
def test_when_interrupted_what_was_measured_is_kept_and_can_go_on(tmp_path: Path, signal_number: int) -> None:
    with started("compare", NAME, *LONG, home=tmp_path) as running:
        wait_for_launches(tmp_path, 2, running)
        running.send_signal(signal_number)
        _, stderr = running.communicate(timeout=30)
    assert running.returncode == 130
    assert "rankwise resume 1" in stderr
    assert marked_processes(tmp_path) == []
    kept = launches(tmp_path)
    assert kept >= 2
    with sqlite3.connect(tmp_path / "results.sqlite") as connection:
        connection.execute("UPDATE run SET time_budget_seconds = 0.001")
    done = rankwise("compare", "--resume", "--json", home=tmp_path)
    assert done.returncode == 0, done.stderr
    assert launches(tmp_path) == kept, "its time is over"
    (run,) = json.loads(rankwise("runs", "--json", home=tmp_path).stdout)
    assert (run["status"], run["stopped_because"]) == ("complete", "time budget")


def test_after_kill_9_everything_stored_is_there_and_the_next_verb_clears_up(tmp_path: Path) -> None:
    with started("compare", NAME, *LONG, home=tmp_path) as running:
        wait_for_launches(tmp_path, 2, running)
        os.kill(running.pid, signal.SIGKILL)
        running.communicate(timeout=30)
    runs = json.loads(rankwise("runs", "--json", home=tmp_path).stdout)
    assert [(run["status"], run["launches"] >= 2) for run in runs] == [("interrupted", True)]
    assert marked_processes(tmp_path) == []


@pytest.mark.nightly
def test_two_at_once_on_one_store(tmp_path: Path) -> None:
    with (
        started("compare", NAME, *QUICK, "--report", "1.html", home=tmp_path) as one,
        started("compare", NAME, *QUICK, "--report", "2.html", home=tmp_path) as other,
    ):
        for running in (one, other):
            _, stderr = running.communicate(timeout=90)
            assert running.returncode == 0, stderr
    runs = json.loads(rankwise("runs", "--json", home=tmp_path).stdout)
    assert [run["status"] for run in runs] == ["complete", "complete"]


@pytest.mark.parametrize("content", [b"this is no database, only text\n" * 50, None])
def test_a_store_that_cannot_be_used(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "results.sqlite"
    if content is None:
        with sqlite3.connect(path) as connection:
            connection.execute("PRAGMA user_version = 999")
    else:
        path.write_bytes(content)
    assert_error(rankwise("compare", NAME, *QUICK, home=tmp_path), 3, str(path))


needs_mounts = pytest.mark.skipif(os.geteuid() != 0, reason="mounting a small disk needs root")


def on_small_disk(tmp_path: Path, mount_options: str, *words: str) -> subprocess.CompletedProcess[str]:
    """Run rankwise with its store on a tmpfs of its own, mounted in a namespace that ends with it."""
    disk = tmp_path / "disk"
    disk.mkdir()
    script = 'mount -t tmpfs -o "$1" none "$2" && shift 2 && exec "$@"'
    return subprocess.run(
        ["unshare", "--mount", "sh", "-c", script, "sh", mount_options, str(disk), str(COMMAND), *words],
        env=environment(disk), cwd=tmp_path, capture_output=True, text=True, timeout=100, check=False,
    )  # fmt: skip


@needs_mounts
@pytest.mark.nightly
def test_a_full_disk_ends_the_run_with_what_fits(tmp_path: Path) -> None:
    done = on_small_disk(tmp_path, "size=600k", "compare", NAME, *LONG)
    assert_error(done, 3, "full")
    assert marked_processes(tmp_path) == []


@needs_mounts
def test_a_read_only_folder(tmp_path: Path) -> None:
    assert_error(
        on_small_disk(tmp_path, "size=600k,ro", "compare", NAME, *QUICK), 3, "cannot open the store", "writable"
    )


def test_a_report_that_cannot_be_written_says_so(tmp_path: Path) -> None:
    page = tmp_path / "results.sqlite" / "page.html"  # the store is a file, not a folder
    assert_error(rankwise("compare", NAME, *QUICK, "--report", str(page), home=tmp_path), 3, str(page))
    (run,) = json.loads(rankwise("runs", "--json", home=tmp_path).stdout)
    assert run["status"] == "complete"
