"""Nonblocking operations, threads, errors under the overlay; what is wrong with a table or a program is said."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from rankwise.artifacts import overlay
from rankwise.mpi import preload
from rankwise.schedules.formats.reading import read
from rankwise.schedules.formats.text import text_of
from support.mpis import FOUND, working
from support.overlay import HEADING, SOURCES, compiled, everything, run, write_table

pytestmark = [pytest.mark.mpi, pytest.mark.skipif(not FOUND, reason="no MPI here")]
MODERN = [one.id for one in FOUND if not one.id.startswith("lammpi")]
EXAMPLE = Path(__file__).parents[2] / "examples" / "own_algorithm.py"
CHECKS_NOTHING = {"mpich-5.0.2"}
"""PyPI's is built without checks of arguments: wrong ones end it."""
TAKES_TURNS = ("openmpi", "mpich-5")
"""Which give us turns while they wait, also for a program with one thread."""
WITH_FORTRAN = ("mpich-4", "openmpi-4")


@pytest.mark.parametrize("implementation_id", MODERN)
def test_nonblocking_operations_are_ours_where_the_library_gives_turns(
    implementation_id: str, tmp_path: Path
) -> None:
    program = [str(compiled(implementation_id, "nonblocking"))]
    ran = run(implementation_id, 3, write_table(tmp_path, everything(0)), tmp_path, program)
    assert ran.done.stdout.rstrip().endswith("wrong 0"), ran.done.stderr
    all_six = {"MPI_Ibcast", "MPI_Iallreduce", "MPI_Iallgather", "MPI_Ialltoall", "MPI_Igather", "MPI_Ibarrier"}
    if implementation_id.startswith(TAKES_TURNS):
        assert all_six <= set(ran.replaced()) and not ran.passed()
    else:
        assert not all_six & set(ran.replaced()) and all_six <= set(ran.passed())
        assert ran.reports[0]["passed because"]["no progress"]


@pytest.mark.parametrize("implementation_id", MODERN)
def test_what_is_under_way_outlives_what_the_program_frees(implementation_id: str, tmp_path: Path) -> None:
    """Many at once, beside null requests; an operation that does not fit its type is an error on all ranks."""
    errors = [] if implementation_id in CHECKS_NOTHING else ["errors"]
    program = [str(compiled(implementation_id, "under_way")), *errors]
    ran = run(implementation_id, 3, write_table(tmp_path, everything(0)), tmp_path, program)
    assert ran.done.stdout.rstrip().endswith("wrong 0"), ran.done.stdout + ran.done.stderr
    if implementation_id.startswith(TAKES_TURNS):
        assert ran.replaced()["MPI_Ibcast"] == 3 * 130 and ran.replaced()["MPI_Iallreduce"] == 3 * 11


def test_tcp_has_the_congestion_control_that_is_asked_for(tmp_path: Path) -> None:
    shown = "import socket as s; print(s.socket().getsockopt(s.IPPROTO_TCP, s.TCP_CONGESTION, 16).strip(bytes(1)))"
    program = [sys.executable, "-c", shown]
    ran = run(MODERN[-1], 1, "default", tmp_path, program, "--congestion-control", "reno")
    assert ran.done.stdout == "b'reno'\n", ran.done.stderr
    refused = run(MODERN[-1], 1, "default", tmp_path, program, "--congestion-control", "nosuch").done
    assert refused.returncode and not refused.stdout
    assert "congestion control cannot be nosuch here" in refused.stderr


_OF_INTEGERS = {"comm": "integer", "request": "integer", "status": "integer, dimension(MPI_STATUS_SIZE)"}
_LANGUAGES = {
    "mpif.h": {"module": "include 'mpif.h'", **_OF_INTEGERS},
    "mpi": {"module": "use mpi", **_OF_INTEGERS},
    "mpi_f08": {
        "module": "use mpi_f08", "comm": "type(MPI_Comm)", "request": "type(MPI_Request)",
        "status": "type(MPI_Status)",
    },
}  # fmt: skip


@pytest.mark.parametrize("language", _LANGUAGES)
@pytest.mark.parametrize("implementation_id", [one for one in MODERN if one.startswith(WITH_FORTRAN)])
def test_collectives_of_fortran_are_ours(implementation_id: str, language: str, tmp_path: Path) -> None:
    source, program = tmp_path / "sums.f90", tmp_path / "sums"
    text = (SOURCES / "sums.f90").read_text()
    for name, words in _LANGUAGES[language].items():
        text = text.replace(f"{{{name}}}", words)
    source.write_text(text)
    compiler = working(implementation_id).mpicc.replace("mpicc", "mpif90")
    flags = ["-fallow-argument-mismatch", "-ffree-line-length-none", "-o", str(program), str(source)]
    subprocess.run([compiler, *flags], check=True, timeout=60, capture_output=True, text=True)
    ran = run(implementation_id, 3, write_table(tmp_path, everything(0)), tmp_path, [str(program)])
    assert ran.done.returncode == 0, ran.done.stdout + ran.done.stderr
    counts = {"MPI_Allreduce": 4, "MPI_Bcast": 1, "MPI_Allgatherv": 1, "MPI_Barrier": 2, "MPI_Iallreduce": 1}
    ours = ran.replaced() + ran.passed()
    assert ours == {name: 3 * calls for name, calls in counts.items()}
    assert set(ran.passed()) <= {"MPI_Iallreduce"}
    assert bool(ran.passed()) != implementation_id.startswith(TAKES_TURNS)


@pytest.mark.parametrize("implementation_id", MODERN)
def test_threads_with_communicators_of_their_own(implementation_id: str, tmp_path: Path) -> None:
    program = [str(compiled(implementation_id, "threads"))]
    ran = run(implementation_id, 2, write_table(tmp_path, everything(0)), tmp_path, program)
    assert ran.done.stdout.rstrip().endswith("wrong 0"), ran.done.stderr
    calls = 2 * 4 * 50 * ("threads: 1" in ran.done.stdout)
    assert ran.replaced()["MPI_Allreduce"] == calls + 2
    assert ran.replaced()["MPI_Ibcast"] == (0 if implementation_id.startswith("intelmpi") else calls)


@pytest.mark.parametrize("implementation_id", MODERN)
def test_errors_and_odd_communicators_are_the_librarys(implementation_id: str, tmp_path: Path) -> None:
    errors = [] if implementation_id in CHECKS_NOTHING else ["errors"]
    program = [str(compiled(implementation_id, "edges")), *errors]
    ran = run(implementation_id, 2, write_table(tmp_path, everything(0)), tmp_path, program)
    assert ran.done.stdout.rstrip().endswith("wrong 0"), ran.done.stderr
    reasons = ran.reports[0]["passed because"]
    assert reasons["arguments"] == 3 * len(errors) and reasons["no communicator of our own"] == 1
    assert ran.replaced()["MPI_Allreduce"] == 2 * 301


@pytest.mark.parametrize("implementation_id", MODERN)
def test_a_rank_that_dies_ends_the_job_as_it_would_without(implementation_id: str, tmp_path: Path) -> None:
    """By the MPI's own means and in its own words: nobody waits in our messages for ever."""
    program = [str(compiled(implementation_id, "dying"))]
    ran = run(implementation_id, 3, write_table(tmp_path, everything(0)), tmp_path, program, timeout=60)
    assert ran.done.returncode != 0
    assert "half done" in ran.done.stdout and "all done" not in ran.done.stdout
    assert re.search(r"signal:? 9\b", ran.done.stdout + ran.done.stderr, re.IGNORECASE), ran.done.stderr


@pytest.mark.parametrize("implementation_id", [one for one in MODERN if one.startswith("mpich")])
def test_an_overlay_without_a_table_leaves_everything_to_the_library(
    implementation_id: str, tmp_path: Path
) -> None:
    """So what stays in LD_PRELOAD after a profile's variables are gone is harmless."""
    one = working(implementation_id)
    variables = {
        "LD_PRELOAD": str(overlay.build(one)), "RANKWISE_OVERLAY_REPORT": str(tmp_path / "report"),
        **dict(one.environment),
    }  # fmt: skip
    done = subprocess.run(
        [one.mpiexec, "-n", "2", compiled(implementation_id, "broadcast")], env={**os.environ, **variables},
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert "all right" in done.stdout, done.stderr
    report = json.loads((tmp_path / "report.0").read_text())
    assert report["functions"]["MPI_Bcast"] == {"replaced": 0, "passed": 5} and not report["algorithms"]


@pytest.mark.parametrize(
    ("rules", "said"),
    [
        (["bcast spiral"], "overlay.table:2: bcast has no algorithm 'spiral'"),
        (["", "bcast binomial:lanes=2"], "overlay.table:3: bcast.binomial does not take lanes"),
        (["bcast bytes=1M-1K binomial"], "overlay.table:2: '1M-1K' is not a range of bytes"),
        (["fanfare binomial"], "overlay.table:2: unknown operation 'fanfare'"),
        (["bcast"], "overlay.table:2: no algorithm is named"),
        (["bcast colour=2 binomial"], "overlay.table:2: 'colour' is not a condition"),
        (["bcast binomial:segment=9223372036854775807K"], "overlay.table:2: segment needs a number"),
        (["", "bcast knomial:fan-out=9223372036854775807K"], "overlay.table:3: fan-out needs a number"),
        (
            ["bcast bytes=9223372036854775807K- binomial"],
            "overlay.table:2: '9223372036854775807K-' is not a range",
        ),
        (["bcast bytes=1-9007199254740992K chain"], "overlay.table:2: '1-9007199254740992K' is not a range"),
        (["bcast binomial ranks=2"], "overlay.table:2: 'ranks=2' comes after the algorithm"),
    ],
)
def test_a_wrong_table_is_refused_with_its_line(rules: list[str], said: str, tmp_path: Path) -> None:
    newest = next(one for one in MODERN if one.startswith("mpich-5"))
    program = [str(compiled(newest, "edges"))]
    ran = run(newest, 2, write_table(tmp_path, rules), tmp_path, program)
    assert ran.done.returncode != 0
    assert said in ran.done.stderr + ran.done.stdout


@pytest.mark.parametrize("implementation_id", [one.id for one in FOUND])
def test_a_schedule_of_a_user_is_carried_out_in_a_program(implementation_id: str, tmp_path: Path) -> None:
    """For as many ranks as it was proved for; other communicators and operations have the lines below."""
    (tmp_path / "own").mkdir()
    shutil.copy(EXAMPLE, tmp_path / "own" / "my-ring.py")
    rules = ["allreduce  file:own/my-ring.py  # proved for the job's ranks", *everything(0)]
    table = write_table(tmp_path, rules)
    ran = run(implementation_id, 3, table, tmp_path, [str(compiled(implementation_id, "conformance"))])
    assert ran.done.stdout.rstrip().endswith("wrong 0"), ran.done.stdout + ran.done.stderr
    assert ran.algorithms()["allreduce.my-ring"] > 0


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        ("allreduce file:none.json", "file not found"),
        ("allreduce ranks=2 file:wrong.py", "rank 0"),
        ("bcast file:wrong.py", "rank 0"),
    ],
)
def test_a_schedule_that_is_not_there_or_is_wrong_is_refused(rule: str, said: str, tmp_path: Path) -> None:
    wrong = EXAMPLE.read_text().replace("(rank - turn - 1) % ranks", "(rank - turn) % ranks")
    (tmp_path / "wrong.py").write_text(wrong)
    newest = next(one for one in MODERN if one.startswith("mpich-5"))
    ran = run(newest, 2, write_table(tmp_path, [rule]), tmp_path, [str(compiled(newest, "edges"))])
    assert ran.done.returncode == 2
    assert said in ran.done.stderr and "remedy:" in ran.done.stderr


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        ("bcast file:ring.txt", "overlay.table:2: ring.txt is for allreduce, not for bcast"),
        ("allreduce ranks=4-8 file:ring.txt", "ring.txt is for 2 ranks, which the line's condition leaves out"),
        ("allreduce file:none.txt", "overlay.table:2: "),
        ("allreduce file", "file needs a schedule's file"),
    ],
)
def test_without_rankwise_the_overlay_reads_the_text_beside_its_table(
    rule: str, said: str, tmp_path: Path
) -> None:
    newest = working(next(one for one in MODERN if one.startswith("mpich-5")))
    (tmp_path / "ring.txt").write_text(text_of(read(EXAMPLE, 2)))
    program, report = compiled(newest.id, "edges"), tmp_path / "report"

    def under(rules: list[str]) -> subprocess.CompletedProcess[str]:
        variables = {
            "LD_PRELOAD": str(overlay.build(newest)), "RANKWISE_OVERLAY_REPORT": str(report),
            "RANKWISE_OVERLAY": str(write_table(tmp_path, rules)), **dict(newest.environment),
        }  # fmt: skip
        return subprocess.run(
            [newest.mpiexec, "-n", "2", program], env={**os.environ, **variables},
            capture_output=True, text=True, timeout=60, check=False,
        )  # fmt: skip

    done = under(["allreduce file:ring.txt"])
    assert done.stdout.rstrip().endswith("wrong 0"), done.stderr
    assert json.loads(report.with_suffix(".0").read_text())["algorithms"]["allreduce.ring"] > 0
    refused = under([rule])
    assert refused.returncode != 0 and said in refused.stderr + refused.stdout


def test_a_table_is_known_by_its_first_line_and_must_be_there(tmp_path: Path) -> None:
    newest = next(one for one in MODERN if one.startswith("mpich-5"))
    program = [str(compiled(newest, "edges"))]
    table = tmp_path / "bare.table"
    table.write_text("bcast binomial\n")
    ran = run(newest, 2, table, tmp_path, program)
    assert f"bare.table:1: the first line is not '{HEADING}'" in ran.done.stderr + ran.done.stdout
    missing = run(newest, 2, tmp_path / "none", tmp_path, program)
    assert missing.done.returncode == 2 and "decision table not found" in missing.done.stderr


def test_programs_that_ignore_the_overlay_are_told(tmp_path: Path) -> None:
    source = tmp_path / "empty.c"
    source.write_text("int main(void) { return 0; }\n")
    subprocess.run(["cc", "-static", "-o", tmp_path / "static", source], check=True, timeout=60)
    subprocess.run(["cc", "-o", tmp_path / "dynamic", source], check=True, timeout=60)
    assert preload.ignored_by(tmp_path / "static") == "is linked statically"
    assert preload.ignored_by(tmp_path / "dynamic") == ""
    assert preload.ignored_by(Path(shutil.which("sh") or "/bin/sh")) == ""
    newest = next(one for one in MODERN if one.startswith("mpich-5"))
    ran = run(newest, 2, "default", tmp_path, [str(tmp_path / "static")])
    assert ran.done.returncode == 2
    assert "static is linked statically" in ran.done.stderr and "remedy:" in ran.done.stderr
