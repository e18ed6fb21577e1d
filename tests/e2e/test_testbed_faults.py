"""What goes wrong on a testbed during a run: it is told and stored, the run goes on, and nothing is left."""

import json
import os
import signal
import sqlite3
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from rankwise.core import paths
from rankwise.testbeds import running
from rankwise.testbeds.link_control import LinkControl
from support.command_line import launches, rankwise, started, wait_for_launches
from support.emulated import leftovers_of, needs_emulation, parts_of, processes_naming, supervisor_of, wait_until
from support.mpis import FOUND

MPI = next(
    (one.id for one in FOUND if one.family == "mpich" and one.source == "pypi"), FOUND[-1].id if FOUND else ""
)
pytestmark = [pytest.mark.mpi, pytest.mark.skipif(not MPI, reason="no MPI here"), needs_emulation]
NAME = f"mortal{os.getpid()}"
COMPARE = ["compare", MPI, "--testbed", "mortal.toml", "--bench", "pingpong", "--sizes", "1:64", "-q"]
QUICK = ["--time", "1s"]
LONG = ["--time", "60s", "--precision", "0.00001"]


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Path]:
    """A folder with the description of a testbed that no one else has; nothing of it is left afterwards."""
    one_each = "[site.north]\nnodes = 1\n[site.south]\nnodes = 1\n"
    (tmp_path / "mortal.toml").write_text(f'include = "two-clusters"\nname = "{NAME}"\n{one_each}')
    yield tmp_path
    try:
        assert leftovers_of(NAME) == []
        assert processes_naming(str(tmp_path)) == []
    finally:
        running.stop(paths.runtime_folder() / NAME)


def folder_of_run() -> Path:
    """Of the testbed that the one run which goes on has brought up for itself."""
    (folder,) = paths.runtime_folder().glob(f"{NAME}-*")
    return folder


def wait_for_ranks(folder: Path) -> None:
    """Until a launch is under way on this testbed: the harness runs on a node."""
    wait_until(
        lambda: any("/rankwise-harness" in line.partition(" ")[0] for line in processes_naming(f"{folder}/")), 30
    )


def interrupt(compare: subprocess.Popen[str]) -> None:
    """Ctrl-C, which keeps what was measured."""
    compare.send_signal(signal.SIGINT)
    _, stderr = compare.communicate(timeout=30)
    assert compare.returncode == 130, stderr
    assert "rankwise resume" in stderr and "Traceback" not in stderr


def shown(home: Path) -> dict[str, Any]:
    """The newest run, as `rankwise show` tells it."""
    done = rankwise("show", "--json", home=home)
    assert done.returncode == 0, done.stderr
    return dict(json.loads(done.stdout))


def only_failure(home: Path) -> dict[str, Any]:
    """The one launch of the run that has not finished; some before it and some after it have."""
    stored = shown(home)["launches"]
    statuses = [one["status"] for one in stored]
    assert statuses[0] == statuses[-1] == "finished", stored
    failed = [one for one in stored if one["status"] != "finished"]
    assert len(failed) == 1, stored
    return dict(failed[0])


FAULTS: dict[str, tuple[Callable[[Path], int], str]] = {
    "emulator": (lambda folder: parts_of(folder)["link"], "the link emulator was ended by signal 9 (Killed)"),
    "agent": (
        lambda folder: parts_of(folder)["south-1"],
        "the agent of node south-1 was ended by signal 9 (Killed)",
    ),
    "supervisor": (supervisor_of, "its supervisor was ended"),
}


@pytest.mark.parametrize(
    "part", ["agent", *(pytest.param(one, marks=pytest.mark.nightly) for one in FAULTS if one != "agent")]
)
def test_a_part_killed_in_mid_run_fails_that_launch_and_the_plan_goes_on(part: str, home: Path) -> None:
    victim, reason = FAULTS[part]
    with started(*COMPARE, *LONG, home=home) as compare:
        wait_for_launches(home, 1, compare)
        folder = folder_of_run()
        wait_for_ranks(folder)
        os.kill(victim(folder), signal.SIGKILL)
        wait_for_launches(home, launches(home) + 2, compare)
        interrupt(compare)
    failed = only_failure(home)
    assert (failed["status"], failed["reason"]) == ("failed", reason)
    told = [one["message"] for one in shown(home)["notices"] if one["kind"] == "testbed-broke"]
    assert told == [f"the testbed broke down, nothing of that launch is kept: {reason}"]


@pytest.mark.nightly
def test_a_partition_ends_the_launch_at_its_limit_and_the_next_one_works(home: Path) -> None:
    with started(*COMPARE, *LONG, "--sizes", "1,64", "--limit", "4s", home=home) as compare:
        wait_for_launches(home, 1, compare)
        folder = folder_of_run()
        wait_for_ranks(folder)
        before = launches(home)
        LinkControl(folder / "link").set_link("north>south", False)
        wait_for_launches(home, before + 1, compare)
        LinkControl(folder / "link").set_link("north>south", True)
        wait_for_launches(home, before + 2, compare)
        interrupt(compare)
    failed = only_failure(home)
    assert failed["seconds"] < 10
    assert failed["reason"].startswith("timed out after 4 s")


@pytest.mark.nightly
def test_an_interrupted_run_goes_on_on_the_same_testbed(home: Path) -> None:
    with started(*COMPARE, *LONG, home=home) as compare:
        wait_for_launches(home, 2, compare)
        wait_for_ranks(folder_of_run())
        interrupt(compare)
    assert leftovers_of(NAME) == []
    kept = launches(home)
    (home / "mortal.toml").unlink()
    with sqlite3.connect(home / "results.sqlite") as connection:
        connection.execute("UPDATE run SET time_budget_seconds = 6")
    done = rankwise("compare", "--resume", "-q", home=home)
    assert done.returncode == 0, done.stderr
    run = shown(home)
    assert (run["run"]["testbed"], run["run"]["status"]) == (NAME, "complete")
    assert launches(home) > kept
    assert {one["status"] for one in run["launches"]} == {"finished"}


def test_after_kill_9_everything_ends_by_itself_and_the_next_verb_clears_up(home: Path) -> None:
    with started(*COMPARE, *LONG, home=home) as compare:
        wait_for_launches(home, 1, compare)
        folder = folder_of_run()
        wait_for_ranks(folder)
        compare.kill()
        compare.communicate(timeout=30)
        wait_until(lambda: processes_naming(f"{folder}/") == [], 5)
    assert rankwise("testbed", "list", home=home).returncode == 0
    assert not folder.exists()
    assert shown(home)["run"]["status"] == "interrupted"


@pytest.mark.nightly
def test_two_at_once_on_the_same_description(home: Path) -> None:
    with (
        started(*COMPARE, *QUICK, "--report", "1.html", home=home) as one,
        started(*COMPARE, *QUICK, "--report", "2.html", home=home) as other,
    ):
        for compare in (one, other):
            _, stderr = compare.communicate(timeout=90)
            assert compare.returncode == 0, stderr
    runs = json.loads(rankwise("runs", "--json", home=home).stdout)
    assert [(run["status"], run["testbed"]) for run in runs] == [("complete", NAME)] * 2


@pytest.mark.nightly
def test_one_that_is_up_is_used_and_left_up_and_a_run_survives_that_it_is_taken_down(home: Path) -> None:
    assert rankwise("testbed", "up", "mortal.toml", home=home).returncode == 0
    folder = paths.runtime_folder() / NAME
    supervisor = supervisor_of(folder)
    done = rankwise(*COMPARE, *QUICK, home=home)
    assert done.returncode == 0, done.stderr
    with started(*COMPARE, *LONG, home=home) as compare:
        wait_for_ranks(folder)
        compare.kill()
        compare.communicate(timeout=30)
        wait_until(lambda: not any("rankwise-harness" in line for line in processes_naming(f"{folder}/")), 5)
    assert supervisor_of(folder) == supervisor
    with started(*COMPARE, *LONG, "--sizes", "1:4K", home=home) as compare:
        wait_for_ranks(folder)
        assert [*paths.runtime_folder().glob(f"{NAME}-*")] == []
        assert rankwise("testbed", "down", NAME, home=home).returncode == 0
        wait_for_launches(home, launches(home) + 2, compare)  # the one that was broken off, and one more
        assert not folder.exists() and folder_of_run().is_dir()
        interrupt(compare)
    run = [(one["status"], one["reason"]) for one in shown(home)["launches"]]
    down = run.index(("failed", "the testbed was taken down"))  # a launch may have ended before
    assert run[down + 1] == ("finished", "")


def test_a_job_of_the_users_own_ends_with_the_reason(home: Path) -> None:
    argv = ["run", "-n", "2", "--mpi", MPI, "--testbed", "mortal.toml", "-q", "--", "sleep", "96.5"]
    with started(*argv, home=home) as job:
        wait_until(
            lambda: (
                len([one for one in processes_naming("sleep\x0096.5") if one.partition(" ")[0].endswith("/sleep")])
                == 2
            ),
            30,
        )
        os.kill(parts_of(folder_of_run())["link"], signal.SIGKILL)
        _, stderr = job.communicate(timeout=30)
    assert job.returncode == 3
    assert "the testbed broke down during the run: the link emulator was ended by signal 9 (Killed)" in stderr
    assert "remedy: run it again" in stderr


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_one_that_is_interrupted_while_it_comes_up_leaves_nothing(number: int, home: Path) -> None:
    folder = paths.runtime_folder() / NAME
    with started("testbed", "up", "mortal.toml", home=home) as up:
        while not folder.exists() and up.poll() is None:
            time.sleep(0.0005)
        up.send_signal(number)
        _, stderr = up.communicate(timeout=30)
    assert up.returncode == 130, stderr
    assert leftovers_of(NAME) == []


def test_one_whose_starter_was_killed_before_it_wrote_down_whom_it_started_is_cleared(home: Path) -> None:
    assert rankwise("testbed", "up", "mortal.toml", home=home).returncode == 0
    (paths.runtime_folder() / NAME / "state.json").unlink()
    assert rankwise("testbed", "list", home=home).returncode == 0
    assert leftovers_of(NAME) == []
