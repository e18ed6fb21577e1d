"""What goes wrong on a testbed during a run: it is told and stored, the run goes on, and nothing is left."""

import json
import os
import signal
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from rankwise.core import paths, process
from rankwise.testbed import running
from rankwise.testbed.link_control import LinkControl
from support.command_line import launches, rankwise, said, started, wait_for_launches
from support.emulated import left_of, needs_emulation, parts_of, processes_naming, supervisor_of, wait_until
from support.mpis import FOUND

MPI = next((one.id for one in FOUND if one.family == "mpich" and one.source == "pypi"), FOUND[-1].id if FOUND else "")
pytestmark = [pytest.mark.mpi, pytest.mark.skipif(not MPI, reason="no MPI here"), needs_emulation]
NAME = f"mortal{os.getpid()}"
ARGV = ["compare", MPI, "--testbed", "mortal.toml", "--bench", "pingpong", "--sizes", "1:4K", "-q"]
LONG = ["--time", "60s", "--precision", "0.00001"]


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Path]:
    """A folder with the description of a testbed that no one else has; nothing of which is left afterwards."""
    (tmp_path / "mortal.toml").write_text(f'include = "two-clusters"\nname = "{NAME}"\n')
    yield tmp_path
    lasting = paths.runtime_folder() / NAME
    try:
        assert left_of(NAME) == []
        assert processes_naming(str(tmp_path)) == []
    finally:
        running.stop(lasting)


def folder_of_run() -> Path:
    """Of the testbed that the one run which goes on has brought up for itself."""
    (folder,) = paths.runtime_folder().glob(f"{NAME}-*")
    return folder


def wait_for_ranks(folder: Path) -> None:
    """Until a launch is under way on this testbed: the harness runs on a node."""
    harness = "rankwise-harness"
    wait_until(lambda: any(harness in line.split()[0] for line in processes_naming(f"{folder}/") if line.strip()), 30)


def shown(home: Path) -> dict[str, Any]:
    """The newest run."""
    done = rankwise("show", "--json", home=home)
    assert done.returncode == 0, done.stderr
    return dict(json.loads(done.stdout))


def kill(pid: int) -> None:
    os.kill(pid, signal.SIGKILL)


FAULTS: list[tuple[Callable[[Path], int], str]] = [
    (lambda folder: parts_of(folder)["link"], "the link emulator was ended by signal 9 (Killed)"),
    (lambda folder: parts_of(folder)["south-1"], "the agent of node south-1 was ended by signal 9 (Killed)"),
    (supervisor_of, "its supervisor was ended"),
]


def test_a_part_killed_in_mid_run_fails_that_launch_and_the_plan_goes_on(home: Path) -> None:
    with started(*ARGV, "--time", "14s", "--precision", "0.00001", "--json", home=home) as running_one:
        stored = 0
        for victim, _ in FAULTS:
            wait_for_launches(home, stored + 2, running_one)
            folder = folder_of_run()
            wait_for_ranks(folder)
            stored = launches(home)
            kill(victim(folder))
            wait_for_launches(home, stored + 1, running_one)
            stored = launches(home)
        stdout, stderr = running_one.communicate(timeout=60)
    assert running_one.returncode == 0, stderr
    run = shown(home)
    print([(one["status"], one["reason"]) for one in run["launches"]], run["failures"], stdout)
    assert False
