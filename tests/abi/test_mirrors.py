"""A program that is linked to one MPI does the same when another one carries out its calls."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import pytest

from support.abi import can_be_seen, native, needs_compiler
from support.command_line import assert_error, rankwise
from support.mpis import FOUND, working

pytestmark = [pytest.mark.mpi, pytest.mark.timeout(600), needs_compiler]
BY_DAY = [("mpich-5", "openmpi-5"), ("openmpi-5", "mpich-5"), ("openmpi-5", "openmpi-5"), ("lammpi", "intelmpi")]


def id_of(start: str) -> str:
    return next(one.id for one in FOUND if one.id.startswith(start))


IDS = [one.id for one in FOUND]
PAIRS = [(own, other) for own in IDS for other in IDS if can_be_seen(own, other)]
FORTRAN = [one.id for one in FOUND if one.mpicc.startswith("/usr") and not one.id.startswith("lammpi")]
"""Debian's, which are built with gfortran."""


def said_by(program: Path, implementation_id: str, ranks: int, home: Path, *options: str) -> str:
    done = rankwise(
        "run", "-q", *options, "-n", str(ranks), "--mpi", implementation_id, "--", str(program), home=home,
        timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def assert_nothing_is_wrong(own: str, implementation_id: str, name: str, home: Path) -> None:
    said = said_by(native(name, own), implementation_id, 3, home, "--abi")
    counts = re.search(r"checked (\d+) lacking (\d+) wrong 0$", said, re.MULTILINE)
    assert counts and int(counts[1]) >= 45, said
    assert int(counts[2]) == 0 or implementation_id.startswith("lammpi")


@pytest.mark.parametrize("name", ["traps", "callbacks"])
@pytest.mark.parametrize(("own", "other"), BY_DAY, ids=str)
def test_nothing_is_wrong(own: str, other: str, name: str, tmp_path: Path) -> None:
    assert_nothing_is_wrong(id_of(own), id_of(other), name, tmp_path)


@pytest.mark.nightly
@pytest.mark.parametrize("name", ["traps", "callbacks"])
@pytest.mark.parametrize(("own", "other"), PAIRS, ids=str)
def test_nothing_is_wrong_on_any_pair(own: str, other: str, name: str, tmp_path: Path) -> None:
    assert_nothing_is_wrong(own, other, name, tmp_path)


@pytest.mark.parametrize(("own", "other"), [("openmpi-4", "mpich-5"), ("mpich-4", "mpich-4")], ids=str)
def test_fortran(own: str, other: str, tmp_path: Path) -> None:
    assert "ranks 3 wrong 0" in said_by(native("fortran", id_of(own)), id_of(other), 3, tmp_path, "--abi")


def fortran_goes(own: str, other: str) -> bool:
    """Not on LAM; nor Open MPI 4's on Open MPI 5, which has Fortran libraries of the same names (docs/abi.md)."""
    return not other.startswith("lammpi") and not (own.startswith("openmpi-4") and other.startswith("openmpi-5"))


def test_fortran_of_another_open_mpi_is_refused(tmp_path: Path) -> None:
    program, other = str(native("fortran", id_of("openmpi-4"))), id_of("openmpi-5")
    for command in (["run", "--mpi", other, "-n", "2"], ["compare", other]):
        assert_error(rankwise(*command, "--", program, home=tmp_path), 2, "fortran", other)
    done = rankwise("abi", "check", program, "--json", home=tmp_path)
    able = {one["implementation"]: one["runs"] for one in json.loads(done.stdout)["implementations"]}
    assert able[id_of("openmpi-4")] and able[id_of("mpich-5")] and not able[other]


@pytest.mark.nightly
@pytest.mark.parametrize(("own", "other"), [(a, b) for a in FORTRAN for b in IDS if fortran_goes(a, b)], ids=str)
def test_fortran_on_any_pair(own: str, other: str, tmp_path: Path) -> None:
    assert "ranks 3 wrong 0" in said_by(native("fortran", own), other, 3, tmp_path, "--abi")


def test_another_mpi_is_taken_without_being_asked_for_it_twice(tmp_path: Path) -> None:
    program = native("traps", id_of("openmpi-5"))
    done = rankwise("run", "-n", "1", "--mpi", "mpich-5", "--", str(program), home=tmp_path)
    assert done.returncode == 0 and "library MPICH" in done.stdout, done.stderr
    assert "traps is linked against openmpi-5.0.11; its calls are executed by mpich-5.0.2" in " ".join(
        done.stderr.split()
    )


def test_a_library_of_the_same_name_is_the_launchers(tmp_path: Path) -> None:
    program = native("traps", id_of("openmpi-5"))
    assert "library Open MPI v4.1" in said_by(program, id_of("openmpi-4"), 2, tmp_path)


def test_check_says_what_runs_by_way_of_the_standard_abi(tmp_path: Path) -> None:
    program = native("callbacks", id_of("mpich-5"))
    done = rankwise("abi", "check", str(program), "--json", home=tmp_path)
    assert done.returncode == 0, done.stderr
    by_id = {one["implementation"]: one for one in json.loads(done.stdout)["implementations"]}
    assert all(one["runs"] for one in by_id.values())
    assert by_id[id_of("mpich-5")]["reason"] == ""
    assert by_id[id_of("openmpi-5")]["reason"] == "by way of the standard ABI"
    assert "MPI_Session_flush_buffer" in by_id[id_of("openmpi-5")]["missing"]


def test_a_library_that_no_mpi_here_has(tmp_path: Path) -> None:
    (tmp_path / "mpi.c").write_text("int MPI_Init(int *a, char ***b) { return a && b; }\n")
    (tmp_path / "app.c").write_text("int MPI_Init(int *, char ***);\nint main(void) { return MPI_Init(0, 0); }\n")
    shared = ["-shared", "-fPIC", "-Wl,-soname,libmpi.so.99"]
    subprocess.run(["cc", *shared, "mpi.c", "-o", "libmpi.so.99"], cwd=tmp_path, check=True)
    subprocess.run(["cc", "app.c", "-o", "app", "./libmpi.so.99"], cwd=tmp_path, check=True)
    done = rankwise("run", "-n", "1", "--mpi", "mpich-5", "--", str(tmp_path / "app"), home=tmp_path)
    assert_error(
        done, 2, "app is linked against libmpi.so.99, which no installed MPI provides", "its own library is needed"
    )


@pytest.mark.parametrize("said", ["openmpi", "no-such-mpi"])
def test_what_it_is_linked_to_has_to_be_one_mpi(said: str, tmp_path: Path) -> None:
    done = rankwise("run", "-n", "1", "--mpi", "mpich-5", "--linked-to", said, "--", "/bin/true", home=tmp_path)
    assert_error(done, 2, said, "--linked-to" if said == "openmpi" else "")


def test_the_program_need_not_be_able_to_find_its_own_library(tmp_path: Path) -> None:
    own = working(id_of("openmpi-5"))
    source = Path(__file__).with_name("callbacks.c")
    where = [f"-I{own.prefix}/include", f"-L{own.prefix}/lib", "-lmpi", "-Wl,--unresolved-symbols=ignore-all"]
    subprocess.run(["cc", "-std=gnu99", "-w", str(source), "-o", "app", *where], cwd=tmp_path, check=True)
    assert "wrong 0" in said_by(tmp_path / "app", id_of("mpich-5"), 2, tmp_path)


@pytest.mark.parametrize("name", ["liblammps.so", "libother.so", "libmca_mine.so"])
def test_a_program_s_own_library_is_none_of_the_mpi_s(name: str, tmp_path: Path) -> None:
    """Whatever its name begins with, its calls go where the program's go."""
    own = working(id_of("openmpi-5"))
    (tmp_path / "library.c").write_text(
        "#include <mpi.h>\nint rank_of_it(void) { int rank; PMPI_Comm_rank(MPI_COMM_WORLD, &rank);"
        " MPI_Comm_rank(MPI_COMM_WORLD, &rank); return rank; }\n"
    )
    (tmp_path / "main.c").write_text(
        "#include <mpi.h>\n#include <stdio.h>\nint rank_of_it(void);\n"
        'int main(int c, char **v) { MPI_Init(&c, &v); printf("rank %d\\n", rank_of_it());'
        " MPI_Finalize(); return 0; }\n"
    )
    subprocess.run([own.mpicc, "-shared", "-fPIC", "library.c", "-o", name], cwd=tmp_path, check=True)
    line = [own.mpicc, "main.c", "-o", "app", str(tmp_path / name)]
    subprocess.run(line, cwd=tmp_path, check=True)
    said = said_by(tmp_path / "app", id_of("mpich-5"), 2, tmp_path)
    assert sorted(said.split()) == ["0", "1", "rank", "rank"]
