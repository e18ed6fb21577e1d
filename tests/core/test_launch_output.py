"""The cause of a failure is found in what MPIs and programs really printed (outputs/), and so are warnings."""

from __future__ import annotations

from pathlib import Path

import pytest

from rankwise.core.jobs import Outcome
from rankwise.core.launch_output import HEAD_CHARACTERS, TAIL_CHARACTERS, cause, kept, warnings, why_failed

OUTPUTS = sorted((Path(__file__).parent / "outputs").glob("*.txt"))
LIMIT_SECONDS = 5.0
CAUSES = {
    "abort": "cannot open input deck: lattice.in",
    "cube": "Num processors must be a cube",
    "segfault": "signal 11 (segmentation fault); last output: step 2",
    "killed": "signal 9 (killed",
    "exit3": "last output: the matrix is singular",
    "assert": 'Assertion `!"the mesh has cells"\' failed',
    "error": "nvalid rank",
    "hang": "timed out after 5 s: last output: step 2",
    "library": "error while loading shared libraries: /home/user/run/liblattice.so",
    "program": "/home/user/run/absent",
    "argument": "no-such-option",
}
"""What is found in what every MPI printed in these cases; of those in which only some fail, see below."""
FAILS = {
    "argument-lammpi-7.1.4": "mpirun [options]",  # it prints its options, and does not name the wrong one
    "shm-mpich-4.0.2": "check that /dev/shm or the directory you specified has more available memory",
    "shm-mpich-5.0.2": "signal 7 (bus error, as with a full /dev/shm)",
    "addresses-mpich-4.0.2": "dest_addr=172.17.0.1:",
    "addresses-intelmpi-2021.18.1": "timed out after 5 s",
}
BANNERS = (
    "BAD TERMINATION", "EXIT CODE", "MPI_ABORT was invoked", "application called MPI_Abort", "Primary job", "[0x",
    "prterun noticed", "exited with a nonzero exit", "---", "===", "Process received signal",
)  # fmt: skip


def recorded(path: Path) -> Outcome:
    """What the file keeps."""
    how, _, rest = path.read_text().partition("\n=== stdout\n")
    stdout, _, stderr = rest.partition("\n=== stderr\n")
    returncode = int(how.removeprefix("exit code ")) if how.startswith("exit") else -15
    return Outcome("mpiexec", returncode, stdout, stderr, 1.0, timed_out=how == "timed out")


@pytest.mark.parametrize(
    "path", [one for one in OUTPUTS if one.stem.partition("-")[0] in CAUSES], ids=lambda p: p.stem
)
def test_the_reason_is_what_names_the_cause(path: Path) -> None:
    outcome = recorded(path)
    reason = why_failed(outcome, LIMIT_SECONDS)
    assert FAILS.get(path.stem, CAUSES[path.stem.partition("-")[0]]) in reason
    assert not any(banner in reason for banner in BANNERS)
    assert "\n" not in reason and len(reason) < 450


@pytest.mark.parametrize("stem", [one for one in FAILS if one.startswith(("shm", "addresses"))])
def test_the_reason_is_what_the_mpi_says_of_the_host(stem: str) -> None:
    (path,) = [one for one in OUTPUTS if one.stem == stem]
    assert FAILS[stem] in why_failed(recorded(path), LIMIT_SECONDS)


def test_every_mpi_and_case_was_recorded() -> None:
    families = {one.stem.split("-")[1] for one in OUTPUTS}
    assert families == {"intelmpi", "lammpi", "mpich", "openmpi"}
    assert len(OUTPUTS) >= 6 * len(CAUSES)


@pytest.mark.parametrize("version", ["4.1.4", "5.0.11"])
def test_a_finished_launch_has_the_warnings_of_its_mpi(version: str) -> None:
    (path,) = [one for one in OUTPUTS if one.stem == f"shm-openmpi-{version}"]
    outcome = recorded(path)
    assert outcome.returncode == 0
    warning, *_ = warnings(outcome.stdout, outcome.stderr)
    assert "not enough space for /dev/shm" in warning and "performance degradation" in warning


@pytest.mark.parametrize("case", ["exit3", "hang", "killed", "segfault", "abort"])
def test_how_a_job_ended_is_no_warning(case: str) -> None:
    for path in OUTPUTS:
        if path.stem.startswith(f"{case}-"):
            outcome = recorded(path)
            found = warnings(outcome.stdout, outcome.stderr)
            assert all("ORTE_ERROR_LOG" in one for one in found), path.stem  # a message of its own that it lost


def test_what_a_program_prints_of_its_own_is_no_warning_of_the_mpi() -> None:
    assert warnings("Warning: large time step\nmax error 1e-3\n", "warning: deprecated input\n") == ()


@pytest.mark.parametrize("shell", ["rsh", "ssh"])  # of Open MPI 4 and 5
def test_a_process_group_that_the_child_has_set_before_its_parent_is_no_warning(shell: str) -> None:
    refused = f"[a-1:00004] plm:{shell}: Warning: setpgid(8,8) failed in parent with errno="
    assert warnings("", f"{refused}Permission denied(13)\n") == ()
    assert warnings("", f"{refused}No such process(3)\n") != ()


@pytest.mark.parametrize(
    ("stdout", "stderr", "named"),
    [
        ("step 1 error 0.5\nstep 2 error = 1e-3\nno cells\n", "", "last output: no cells"),
("", "Traceback (most recent call last):\n  File \"a.py\", line 3\nKeyError: no cells\n", "KeyError: no cells"),
        ("", "terminate called after throwing an instance of 'E'\n  what():  no cells\n", "no cells"),
        ("", "ssh: connect to host b1 port 22: Connection refused\n", "Connection refused"),
        ("all done\n", "14 /lib/x86_64-linux-gnu/libc.so.6(+0x27) [0x7f00]\n", "last output: all done"),
        ('{"rankwise":"begin","library":"error"}\n', "", ""),
        ("", "\0\0PANIC in the solver\0\n", "PANIC in the solver"),
        ("", "", ""),
    ],
)  # fmt: skip
def test_the_rules_hold_for_other_programs(stdout: str, stderr: str, named: str) -> None:
    found = cause(stdout, stderr)
    assert found == named if not named else found.endswith(named)


def test_the_reason_names_a_crash_beside_an_error() -> None:
    said = cause("", "ERROR in the solver\nCaught signal 11 (Segmentation fault: address not mapped)\n")
    assert "ERROR in the solver" in said and "signal 11" in said


def test_signals_of_ours_are_no_cause() -> None:
    assert "signal" not in cause("", "=   KILLED BY SIGNAL: 15 (Terminated)\n", ended_by_us=True).replace(
        "SIGNAL", ""
    )


def test_short_output_is_kept_whole_without_the_results() -> None:
    assert kept('a\n{"rankwise":"series"}\nb\r\n') == "a\nb\r\n"


def test_of_long_output_the_ends_are_kept_and_how_much_is_not_is_told() -> None:
    text = "h" * HEAD_CHARACTERS + "m" * 1000 + "t" * TAIL_CHARACTERS
    head, words, tail = kept(text).split("\n")
    assert (head, tail) == (text[:HEAD_CHARACTERS], text[-TAIL_CHARACTERS:])
    assert words.startswith("[rankwise: 1000 characters left out")
    assert kept(kept(text)) != "" and len(kept(text)) < len(text)


def test_much_output_does_not_take_long_to_read() -> None:
    """Its ends alone are looked at."""
    assert cause("x = error\n" * 3_000_000, "mesh not found\n") == "mesh not found"
