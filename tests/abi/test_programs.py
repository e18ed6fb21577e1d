"""One binary of the standard ABI does the same on every implementation, whatever each does differently below."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import pytest

from support.abi import IDS, compiled, needs_compiler
from support.command_line import assert_error, rankwise
from support.joined import assert_right
from support.mpis import working
from support.special import needs_root, special_copy

pytestmark = [pytest.mark.mpi, needs_compiler]
_LIBRARIES = {"intelmpi": "Intel", "lammpi": "lammpi", "mpich": "MPICH", "openmpi": "Open MPI"}


def started(implementation_id: str, program: Path, ranks: int, home: Path, *arguments: str) -> str:
    line = ["run", "-q", "-n", str(ranks), "--mpi", implementation_id, "--", str(program), *arguments]
    done = rankwise(*line, home=home)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.parametrize("ranks", [3, pytest.param(1, marks=pytest.mark.nightly)])
@pytest.mark.parametrize("name", ["traps", "callbacks"])
@pytest.mark.parametrize("implementation_id", IDS)
def test_nothing_is_wrong(implementation_id: str, name: str, ranks: int, tmp_path: Path) -> None:
    said = started(implementation_id, compiled(name), ranks, tmp_path)
    counts = re.search(r"checked (\d+) lacking (\d+) wrong 0$", said, re.MULTILINE)
    assert counts and int(counts[1]) >= 20 * ranks, said
    assert int(counts[2]) == 0 or implementation_id.startswith("lammpi")
    if name == "traps":
        family = working(implementation_id).family
        assert re.search(rf"^library {_LIBRARIES[family]}", said, re.MULTILINE), "whose path is in the program"


@pytest.mark.parametrize("implementation_id", IDS)
def test_null_results_and_removed_functions(implementation_id: str, tmp_path: Path) -> None:
    is_lam = implementation_id.startswith("lammpi")
    arguments = ["without MPI_Isend"] if is_lam else []
    said = started(implementation_id, compiled("null_results"), 2, tmp_path, *arguments)
    assert_right(said, 50, lacking=is_lam)


@pytest.mark.parametrize("start", ["mpich-5", "intelmpi"])
def test_inactive_requests_are_told_from_ended_ones(start: str, tmp_path: Path) -> None:
    """Without the gateway, on libraries that have functions for it."""
    said = started(next(one for one in IDS if one.startswith(start)), compiled("joined_requests"), 3, tmp_path)
    assert_right(said, 150)


def test_a_path_in_the_program_does_not_win(tmp_path: Path) -> None:
    other = next(one for one in IDS if one.startswith("openmpi"))
    program = compiled("traps", binding_path=True)
    assert (
        "(RPATH)" in subprocess.run(["readelf", "-d", program], capture_output=True, text=True, check=True).stdout
    )
    assert "library Open MPI" in started(other, program, 1, tmp_path)


@pytest.mark.parametrize("implementation_id", [one for one in IDS if one.startswith(("openmpi", "lammpi"))])
def test_what_is_missing_is_said_where_errors_are_fatal(implementation_id: str, tmp_path: Path) -> None:
    done = rankwise(
        "run", "-q", "-n", "1", "--mpi", implementation_id, "--", str(compiled("fatal")), home=tmp_path
    )
    assert "went on" not in done.stdout
    assert done.returncode != 0 or implementation_id.startswith("lammpi")  # whose mpirun forgets the code
    assert f"libmpi_abi: MPI_Comm_flush_buffer: {implementation_id} does not have it" in done.stderr


def test_any_is_one_of_them(tmp_path: Path) -> None:
    assert "wrong 0" in started("any", compiled("callbacks"), 2, tmp_path)


def test_without_a_choice_it_asks_for_one(tmp_path: Path) -> None:
    done = rankwise("run", "-n", "1", "--", str(compiled("callbacks")), home=tmp_path)
    assert_error(done, 2, "is of the standard ABI, which any MPI can run", "--mpi any")


def test_compare_takes_the_same_binary_everywhere(tmp_path: Path) -> None:
    line = ["compare", "mpich-5", "openmpi-5", "-n", "2", "--time", "5s", "--"]
    done = rankwise(*line, str(compiled("callbacks")), home=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "mpich-5.0.2" in done.stdout and "openmpi-5.0.11" in done.stdout


@needs_root
def test_what_cannot_be_led_to_another_mpi_is_refused(tmp_path: Path) -> None:
    special = special_copy(compiled("fatal"), tmp_path)
    done = rankwise("run", "-n", "1", "--mpi", "mpich-5", "--", str(special), home=tmp_path)
    assert_error(done, 2, "special is set-user-ID", "LD_PRELOAD")


def test_the_overlay_is_for_other_programs(tmp_path: Path) -> None:
    done = rankwise("run", "-n", "1", "--mpi", "mpich-5", "--overlay", "--", str(compiled("fatal")), home=tmp_path)
    assert_error(done, 2, "is to run through the standard ABI", "--overlay")


def test_check_says_where_a_program_runs(tmp_path: Path) -> None:
    done = rankwise("abi", "check", str(compiled("fatal")), "--json", home=tmp_path)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["standard_abi"] and found["linked_to"] == "libmpi_abi.so.1"
    by_id = {one["implementation"]: one for one in found["implementations"]}
    assert set(by_id) == set(IDS) and all(one["runs"] for one in by_id.values())
    for name, one in by_id.items():
        lacks = name.startswith(("openmpi", "lammpi", "mpich-4"))
        assert one["missing"] == (["MPI_Comm_flush_buffer"] if lacks else []), name
    shown = rankwise("abi", "check", str(compiled("fatal")), home=tmp_path).stdout
    assert re.search(r"openmpi-5.0.11 +yes  but lacks MPI_Comm_flush_buffer$", shown, re.MULTILINE)


def test_check_of_a_program_that_was_linked_to_one_mpi(tmp_path: Path) -> None:
    program = tmp_path / "native"
    mpi = working(next(one for one in IDS if one.startswith("mpich-5")))
    subprocess.run([mpi.mpicc, "-o", program, Path(__file__).with_name("fatal.c"), "-w"], check=False, timeout=60)
    done = rankwise("abi", "check", str(program), home=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "is linked to libmpi.so.12: one kind of MPI" in done.stdout
    assert re.search(r"^  mpich-5.0.2 +yes$", done.stdout, re.MULTILINE)
    assert re.search(r"^  openmpi-5.0.11 +yes  by way of the standard ABI, but lacks", done.stdout, re.MULTILINE)


@pytest.mark.parametrize(
    ("program", "words"), [("no-such", "program not found"), ("/bin/true", "is not linked to any MPI")]
)
def test_check_refuses_what_is_no_mpi_program(program: str, words: str, tmp_path: Path) -> None:
    assert_error(rankwise("abi", "check", program, home=tmp_path), 2, words)
