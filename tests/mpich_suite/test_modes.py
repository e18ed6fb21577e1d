"""What counts as right, what ends a test that hangs, and when a joined job is started once more."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from mpich_suite import modes
from mpich_suite.limits import Limit
from mpich_suite.modes import Mode, Outcome, outcome_of, run
from mpich_suite.testlist import SuiteTest
from support.emulated import processes_naming, unique_sleep
from support.mpis import FOUND

PLAIN = SuiteTest("coll", "allred", 2)
ENDING = SuiteTest("init", "exitst1", 2, fails=True, prints=False)
ONE = next((one.id for one in FOUND if one.id.startswith("mpich-5")), "")


def ended(code: int, out: str, err: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.CompletedProcess([], code, out, err)


@pytest.mark.parametrize(
    ("test", "done", "why"),
    [
        (PLAIN, ended(0, " No Errors\n"), "passed"),
        (PLAIN, ended(0, "[a]  No errors\n"), "passed"),
        (PLAIN, ended(0, ""), "failed"),
        (PLAIN, ended(1, " No Errors\n"), "failed"),
        (PLAIN, ended(0, " Found 3 errors\n No Errors\n"), "failed"),
        (
            PLAIN,
            ended(3, " No Errors\n", "error: timed out after 60 s: ended with all its processes"),
            "timed out",
        ),
        (ENDING, ended(10, ""), "passed"),
        (ENDING, ended(0, " No Errors\n"), "failed"),
        (ENDING, ended(3, "", "error: timed out after 60 s"), "timed out"),
    ],
)
def test_right_is_what_the_suite_takes_for_right(
    test: SuiteTest, done: subprocess.CompletedProcess[str], why: str
) -> None:
    outcome = outcome_of(test, done)
    assert (outcome.why, outcome.right) == (why, why == "passed")


def test_a_limit_is_for_its_tests_in_its_modes_and_what_they_print() -> None:
    limit = Limit(("rma/*",), ("joined*",), "windows are refused", "UNSUPPORTED")
    joined, other = (Mode(name, "abi", ("mpich-5.0.2",), "abi") for name in ("joined, two", "ABI, mpich-5"))
    assert limit.covers(SuiteTest("rma", "put", 2), joined)
    assert not limit.covers(SuiteTest("rma", "put", 2), other)
    assert not limit.covers(PLAIN, joined)
    assert limit.explains(Outcome(right=False, why="failed", printed="MPI_ERR_UNSUPPORTED_OPERATION"))
    assert not limit.explains(Outcome(right=False, why="timed out", printed=""))


@pytest.mark.mpi
@pytest.mark.skipif(not ONE, reason="no MPI here")
def test_nothing_is_left_of_a_test_that_hangs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pause = unique_sleep(500)
    (tmp_path / "hanging").write_text(f"#!/bin/sh\nsleep {pause} &\nsleep {pause}\n")
    (tmp_path / "hanging").chmod(0o755)
    monkeypatch.setattr(modes, "program", lambda *_: tmp_path / "hanging")
    hanging = SuiteTest("coll", "hanging", 2, limit_seconds=3)
    outcome = run(hanging, Mode("native", ONE, (ONE,), "native"))
    assert outcome.why == "timed out"
    assert not processes_naming(pause)


def test_a_port_that_was_taken_is_no_failure_and_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    outcomes = [Outcome(right=False, why="failed", printed="cannot listen at port 7: Address already in use")]
    outcomes += [Outcome(right=True, why="passed", printed=" No Errors")]
    monkeypatch.setattr(modes, "program", lambda *_: tmp_path)
    monkeypatch.setattr(modes, "run_once", lambda *_: outcomes.pop(0))
    found = run(PLAIN, Mode("joined, two", "abi", ("openmpi-5.0.11", "mpich-5.0.2"), "joined"))
    assert found.right and "cannot listen at port" in found.printed and not outcomes
