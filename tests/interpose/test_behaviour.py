"""Nonblocking operations, threads, errors under the overlay; what is wrong with a table or a program is said."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from rankwise.artifacts import overlay
from rankwise.mpi import preload
from support.mpis import FOUND, working
from support.overlay import HEADING, compiled, everything, run, write_table

pytestmark = [pytest.mark.mpi, pytest.mark.skipif(not FOUND, reason="no MPI here")]
MODERN = [one.id for one in FOUND if not one.id.startswith("lammpi")]
CHECKS_NOTHING = {"mpich-5.0.2"}
"""PyPI's is built without checks of arguments: wrong ones end it."""
TAKES_TURNS = ("openmpi", "mpich-5")
"""Which give us turns while they wait, also for a program with one thread."""


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
    """By the MPI's own means: nobody waits in our messages for ever."""
    program = [str(compiled(implementation_id, "dying"))]
    ran = run(implementation_id, 3, write_table(tmp_path, everything(0)), tmp_path, program, timeout=60)
    assert ran.done.returncode != 0
    assert "half done" in ran.done.stdout and "all done" not in ran.done.stdout


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
        (["bcast bytes=1M-1K binomial"], "overlay.table:2: '1M-1K' is no range of bytes"),
        (["fanfare binomial"], "overlay.table:2: there is no operation 'fanfare'"),
        (["bcast"], "overlay.table:2: no algorithm is named"),
        (["bcast colour=2 binomial"], "overlay.table:2: 'colour' is no condition"),
        (["bcast binomial ranks=2"], "overlay.table:2: 'ranks=2' stands behind the algorithm"),
    ],
)
def test_a_wrong_table_is_refused_with_its_line(rules: list[str], said: str, tmp_path: Path) -> None:
    newest = next(one for one in MODERN if one.startswith("mpich-5"))
    program = [str(compiled(newest, "edges"))]
    ran = run(newest, 2, write_table(tmp_path, rules), tmp_path, program)
    assert ran.done.returncode != 0
    assert said in ran.done.stderr + ran.done.stdout


def test_a_table_is_known_by_its_first_line_and_must_be_there(tmp_path: Path) -> None:
    newest = next(one for one in MODERN if one.startswith("mpich-5"))
    program = [str(compiled(newest, "edges"))]
    table = tmp_path / "bare.table"
    table.write_text("bcast binomial\n")
    ran = run(newest, 2, table, tmp_path, program)
    assert f"bare.table:1: the first line is not '{HEADING}'" in ran.done.stderr + ran.done.stdout
    missing = run(newest, 2, tmp_path / "none", tmp_path, program)
    assert missing.done.returncode == 2 and "there is no decision table" in missing.done.stderr


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
