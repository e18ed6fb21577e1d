"""Where memory lacks for a cell, that cell fails and says how many bytes it wanted; the others are measured."""

import itertools
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from support.real_harness import LAUNCH_ENVIRONMENT, SANITIZED, build, records

CELLS = ["bcast:1000", "tcp_pingpong:8", "put:8", "stream:8"]
WRAPPED = ("malloc", "calloc", "mmap", "MPI_Win_allocate")
FAILING = Path(__file__).with_name("failing_memory.c")
BEFORE_THE_CELLS = 4
"""Allocations of a rank at the start: two for the names of the hosts, two for the clock."""

pytestmark = [
    pytest.mark.mpi,
    pytest.mark.skipif(not shutil.which("mpicc.openmpi"), reason="Debian's Open MPI is not here"),
]


@pytest.fixture(scope="module")
def program() -> Path:
    wrapped = tuple(f"-Wl,--wrap={name}" for name in WRAPPED)
    return build(FAILING, compiler="mpicc.openmpi", flags=SANITIZED, libraries=wrapped)


def launch(program: Path, fail: str) -> subprocess.CompletedProcess[str]:
    flags = ["--yield", "--limit", "20", "--seconds", "0", "--messages", "5"]
    argv = ["mpiexec.openmpi", "-n", "3", str(program), *flags, *CELLS]
    environment = {**os.environ, **LAUNCH_ENVIRONMENT, "RANKWISE_FAIL": fail, "ASAN_OPTIONS": "detect_leaks=0"}
    return subprocess.run(argv, capture_output=True, text=True, check=False, env=environment, timeout=40)


def others(benchmark: str) -> list[str]:
    return [name for name in (cell.split(":")[0] for cell in CELLS) if name != benchmark]


@pytest.mark.nightly
def test_every_allocation_of_a_cell_may_fail(program: Path) -> None:
    failed = []
    for call in itertools.count(BEFORE_THE_CELLS + 1):
        done = launch(program, f"1:{call}")
        assert done.returncode == 0, done.stderr
        assert records(done, "end")
        if not records(done, "failure"):
            break
        (failure,) = records(done, "failure")
        assert failure["kind"] == "failed"
        assert re.match(r"rank 1 cannot allocate [1-9]\d* bytes", failure["reason"])
        assert [series["benchmark"] for series in records(done, "series")] == others(failure["benchmark"])
        failed.append(failure["benchmark"])
    assert {name: failed.count(name) for name in failed} == {
        "bcast": 5, "tcp_pingpong": 6, "put": 7, "stream": 5
    }  # fmt: skip


@pytest.mark.nightly
def test_a_window_that_the_library_cannot_allocate_fails_its_cell(program: Path) -> None:
    done = launch(program, "window")
    (failure,) = records(done, "failure")
    assert failure["benchmark"] == "put"
    assert re.match(r"rank 0 cannot allocate a window of [1-9]\d* bytes", failure["reason"])
    assert [series["benchmark"] for series in records(done, "series")] == others("put")
    assert records(done, "end")


@pytest.mark.parametrize("call", range(1, BEFORE_THE_CELLS + 1))
@pytest.mark.nightly
def test_before_the_first_cell_the_job_ends_and_says_why(program: Path, call: int) -> None:
    done = launch(program, f"2:{call}")
    assert done.returncode not in (0, 124)
    assert re.search(r"before the first cell: (cannot allocate \d+ bytes|no memory) for", done.stderr)


@pytest.mark.nightly
def test_no_memory_for_the_list_of_cells_is_said_before_mpi_starts(program: Path) -> None:
    done = launch(program, "-1:1")
    assert done.returncode == 2
    assert re.search(r"cannot allocate \d+ bytes for the list of cells", done.stderr)
