"""Clock, barrier and time base work in a shared library of their own, on every implementation, at 2 to 4 ranks."""

import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from rankwise.core import process
from rankwise.core.jobs import Job
from rankwise.core.records import Implementation
from rankwise.mpi.family import FamilyLauncher
from support.mpis import FOUND, by_day, working
from support.real_harness import CSRC, INCLUDES, WARNINGS, symbols

PROGRAM = Path(__file__).with_name("runtime_program.c")
SOURCES = sorted(CSRC.glob("runtime/*.c"))
LIBRARY = "librankwise-runtime.so"

pytestmark = pytest.mark.mpi


@pytest.fixture(params=[one.id for one in FOUND])
def one(request: pytest.FixtureRequest) -> Implementation:
    return working(str(request.param))


def compiled(one: Implementation, target: Path, *words: str) -> Path:
    argv = [one.mpicc, *WARNINGS, "-O2", INCLUDES[0], *words, "-o", str(target), "-lm"]
    done = process.run(argv, 60, environment=one.environment)
    assert done.returncode == 0, done.stderr
    return target


def library(one: Implementation, folder: Path, *flags: str) -> Path:
    return compiled(one, folder / LIBRARY, "-shared", "-fPIC", "-fvisibility=default", *flags, *map(str, SOURCES))


@cache
def program(implementation_id: str, folder: Path) -> Path:
    one = working(implementation_id)
    where = folder / implementation_id
    where.mkdir()
    library(one, where)
    words = [str(PROGRAM), f"-L{where}", "-lrankwise-runtime", f"-Wl,-rpath,{where}"]
    return compiled(one, where / "program", *words)


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    """A folder that others can read: LAM/MPI refuses root, and runs as an ordinary user then."""
    with tempfile.TemporaryDirectory(prefix="rankwise-runtime-") as name:
        Path(name).chmod(0o755)
        yield Path(name)


@pytest.mark.parametrize("ranks", [*(pytest.param(ranks, marks=pytest.mark.nightly) for ranks in (2, 4)), 3])
def test_a_program_uses_it_from_a_shared_library(one: Implementation, ranks: int, folder: Path) -> None:
    job = Job((str(program(one.id, folder)),), ranks, ranks > 2)
    done = process.run_steps(FamilyLauncher().steps(one, job), 60)
    assert done.returncode == 0, done.stdout + done.stderr
    lines = [line.split() for line in done.stdout.splitlines()]
    said = {words[0]: float(words[1]) for words in lines if len(words) == 2}
    assert said.pop("end") == 1
    assert said.pop("ranks") == ranks
    assert said.pop("skewed_local_seconds") > 0.4 * (ranks - 1)
    for clock in ("skewed_global_seconds", "refreshed_global_seconds"):
        assert 0 <= said.pop(clock) < 0.05  # on one host the clocks may agree to the tick
    for clock in ("plain_local_seconds", "plain_global_seconds"):
        assert said.pop(clock) < 1e-3
    assert said == {"wrong_maxima": 0, "left_early": 0, "clock_faults": 0, "unreturned_errors": 0}


def test_it_names_its_functions_apart_and_neither_prints_nor_exits(one: Implementation, folder: Path) -> None:
    found = symbols(program(one.id, folder).with_name(LIBRARY))
    defined = {name for name, kind in found if kind == "T" and not name.startswith("_")}
    used = {name.split("@")[0] for name, kind in found if kind == "U"}
    assert all(name.startswith("rw_") for name in defined), defined
    assert {"rw_clock_start", "rw_barrier_wait", "rw_time_seconds"} <= defined
    assert not used & {"printf", "puts", "putchar", "fprintf", "fputs", "perror", "exit", "_exit", "abort"}
    assert not {name for name in used if name.startswith("MPI_") and name not in MPI_2}


MPI_2 = {
    "MPI_Allgather", "MPI_Allreduce", "MPI_Bcast", "MPI_Comm_free", "MPI_Comm_rank", "MPI_Comm_size",
    "MPI_Comm_split", "MPI_Recv", "MPI_Send", "MPI_Sendrecv",
}  # fmt: skip
"""The MPI functions that it calls, all of them older than MPI-3."""


@pytest.mark.parametrize("one", by_day([one.id for one in FOUND], "openmpi-5"), indirect=True)
def test_a_library_that_intercepts_mpi_can_call_below_itself(one: Implementation, tmp_path: Path) -> None:
    below = [f"-D{name}=P{name}" for name in sorted(MPI_2)]
    used = {name for name, kind in symbols(library(one, tmp_path, *below)) if kind == "U"}
    assert not used & MPI_2
    assert {"PMPI_Sendrecv", "PMPI_Comm_split"} <= used
