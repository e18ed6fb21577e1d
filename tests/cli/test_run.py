"""`rankwise run`: the user's own program, here and on emulated nodes; launchers start programs without MPI too."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.command_line import rankwise
from support.emulated import needs_emulation

pytestmark = pytest.mark.mpi


def test_output_and_exit_code_are_the_programs(tmp_path: Path) -> None:
    done = rankwise("run", "-n", "2", "--mpi", "mpich-5", "--", "sh", "-c", "echo said; exit 3", home=tmp_path)
    assert done.returncode == 3
    assert done.stdout.splitlines() == ["said", "said"]


@needs_emulation
@pytest.mark.parametrize("mpi", ["mpich-5", "openmpi-5", "intelmpi"])
def test_each_rank_runs_on_the_node_it_was_given(mpi: str, tmp_path: Path) -> None:
    line = ["run", "-n", "4", "--mpi", mpi, "--testbed", "two-clusters", "--placement", "across-sites"]
    done = rankwise(*line, "--", "hostname", home=tmp_path)
    assert done.returncode == 0, done.stderr
    assert sorted(done.stdout.split()) == ["north-1", "north-2", "south-1", "south-2"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["-n", "2"], "no program was named"),
        (["--", "no-such-program"], "there is no program no-such-program"),
        (["--", "true"], "which MPI true was built with does not show"),
        (["--testbed", "nowhere", "--", "true"], "nowhere"),
        (["--mpi", "mpich-5", "--placement", "spiral", "--", "true"], "spiral"),
        (["--testbed", "cluster", "--hostfile", "hosts", "--", "true"], "two places"),
    ],
)
def test_what_makes_no_sense_is_said(words: list[str], message: str, tmp_path: Path) -> None:
    done = rankwise("run", *words, home=tmp_path)
    assert done.returncode == 2
    assert message in done.stderr and "remedy:" in done.stderr


def test_a_job_that_does_not_end_is_ended(tmp_path: Path) -> None:
    line = ["run", "-n", "1", "--mpi", "mpich-5", "--limit", "2s", "--", "sleep", "77"]
    done = rankwise(*line, home=tmp_path)
    assert done.returncode == 3
    assert "no end within 2 s" in done.stderr
