"""However a program is linked, its ranks have the MPI that starts them, or the job is ended with an error."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from support.command_line import assert_error, rankwise
from support.emulated import needs_emulation
from support.mpis import FOUND

pytestmark = pytest.mark.mpi

SOURCE = r"""
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    int size;
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    printf("size %d\n", size);
    fflush(stdout);
    sleep(argc > 1 ? 60 : 0);
    MPI_Finalize();
    return 0;
}
"""
WITH_PREFIX = [one for one in FOUND if one.prefix != "/usr"]
SCRIPT = """
import os
from mpi4py import MPI
os.write(1, f"{MPI.COMM_WORLD.size} {' '.join(MPI.Get_library_version().split())[:60]}\\n".encode())
"""


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "app.c").write_text(SOURCE)
    (tmp_path / "script.py").write_text(SCRIPT)
    return tmp_path


@pytest.mark.parametrize("name", [one.id for one in WITH_PREFIX])
def test_a_program_without_rpath_finds_its_library(name: str, home: Path) -> None:
    prefix = Path(next(one.prefix for one in WITH_PREFIX if one.id == name))
    line = [
        "cc",
        "app.c",
        f"-I{prefix}/include",
        f"-L{prefix}/lib",
        "-lmpi",
        "-Wl,--allow-shlib-undefined",
        "-o",
        "app",
    ]
    subprocess.run(line, cwd=home, check=True)
    done = rankwise("run", "--mpi", name, "-n", "2", "--", "./app", home=home)
    assert done.stdout.split("\n")[:2] == ["size 2"] * 2, done.stdout + done.stderr


@pytest.mark.parametrize("ranks", [2, (os.cpu_count() or 1) + 1], ids=["two", "more than cores"])
@pytest.mark.parametrize("name", [one.id for one in FOUND if one.family != "lammpi"])
def test_mpi4pys_wheel_runs_on_the_mpi_that_starts_it(name: str, ranks: int, home: Path) -> None:
    """Ranks that share cores have more loaded, which has to find the MPI that Python loads for itself alone."""
    pytest.importorskip("mpi4py", reason="mpi4py is among the packages for development")
    done = rankwise("run", "--mpi", name, "-n", str(ranks), "--", sys.executable, "script.py", home=home)
    version = name.split("-")[1]
    lines = [line for line in done.stdout.splitlines() if version in line]
    assert len(lines) == ranks and all(line.startswith(f"{ranks} ") for line in lines), done.stdout + done.stderr


@needs_emulation
def test_programs_that_come_with_an_mpi_are_found_and_run_on_a_testbed(home: Path) -> None:
    words = ["--testbed", "two-clusters", "--placement", "across-sites"]
    name = next(one.id for one in FOUND if one.family == "intelmpi")
    done = rankwise(
        "run", "--mpi", name, "-n", "2", *words, "--", "IMB-MPI1", "pingpong", "-msglog", "0:1", "-iter", "20",
        home=home,
    )  # fmt: skip
    assert "# #processes = 2" in done.stdout, done.stdout + done.stderr


@pytest.mark.parametrize("where", [[], ["--testbed", "two-clusters"]], ids=["local", "emulated"])
@needs_emulation
def test_ranks_of_another_mpi_end_the_job_with_an_error(where: list[str], home: Path) -> None:
    subprocess.run(["mpicc.openmpi", "app.c", "-o", "app"], cwd=home, check=True)
    (home / "wrapper").write_text("#!/bin/sh\n./app stay\n")  # of which no MPI shows
    (home / "wrapper").chmod(0o755)
    done = rankwise("run", "--mpi", "mpich-5", "-n", "2", *where, "--", "./wrapper", home=home, timeout=50)
    assert_error(done, 3, "of the ranks that mpich-5.0.2 started loaded", "libmpi.so.40", "MPI_COMM_WORLD")


def test_the_users_own_choice_wins_and_is_told(home: Path) -> None:
    pytest.importorskip("mpi4py", reason="mpi4py is among the packages for development")
    library = "/usr/lib/x86_64-linux-gnu/libmpi.so.40"
    assert os.path.exists(library)  # noqa: PTH110
    words = ["run", "--mpi", "openmpi-5", "-n", "1", "--", sys.executable, "script.py"]
    done = rankwise(*words, home=home, MPI4PY_LIBMPI=library)
    assert "v4.1" in done.stdout or "another MPI" in done.stderr
    assert f"MPI4PY_LIBMPI={library} of your environment makes programs load another MPI" in " ".join(
        done.stderr.split()
    )


def test_what_was_loaded_is_stored_with_each_launch(home: Path) -> None:
    done = rankwise("bench", "pingpong", "--mpi", "mpich-5", "--sizes", "1", "--launches", "1", "--per-cell", "1s",
                    home=home)  # fmt: skip
    assert done.returncode == 0, done.stderr
    shown = rankwise("show", home=home, COLUMNS="200").stdout
    rows = [line.split() for line in shown.partition("Libraries that ranks had loaded")[2].splitlines()]
    loaded = {row[1]: row for row in rows if row and row[0].startswith("mpich-5")}
    assert loaded["libmpi"][2] == "5.0.2" and loaded["libmpi"][3].endswith("libmpi.so.12")
    assert {"libfabric", "libucp"} <= set(loaded)
