"""Several threads call MPI at the same time in a joined job, and messages make progress by a thread if asked."""

from __future__ import annotations

import itertools
import re
from pathlib import Path

import pytest

from support.abi import IDS, compiled, needs_compiler, prepare
from support.command_line import rankwise

pytestmark = [pytest.mark.mpi, needs_compiler, pytest.mark.timeout(600)]
BY_DAY = (("openmpi-5", "mpich-5"), ("mpich-5", "intelmpi"))


def in_threads(first: str, second: str, home: Path) -> None:
    """Without communicators told apart by tags where Open MPI has several ranks: natively it crosses them too."""
    prepare(first, second)
    arguments = ["without-tags"] if first.startswith("openmpi") else []
    line = ["run", "-q", "--join", f"a={first}:2,b={second}:1", "--limit", "200s", "--"]
    done = rankwise(*line, str(compiled("joined_threads")), *arguments, home=home, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "several threads: 1" in done.stdout
    counts = re.search(r"checked (\d+) lacking 0 wrong 0$", done.stdout, re.MULTILINE)
    assert counts and int(counts[1]) > 500, done.stdout + done.stderr


@pytest.mark.parametrize(("first", "second"), BY_DAY)
def test_two_threads_of_each_rank(first: str, second: str, tmp_path: Path) -> None:
    in_threads(first, second, tmp_path)


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("first", "second"), list(itertools.product([one for one in IDS if not one.startswith("lammpi")], repeat=2))
)
def test_all_pairs(first: str, second: str, tmp_path: Path) -> None:
    """LAM/MPI has no threads."""
    in_threads(first, second, tmp_path)


@pytest.mark.nightly
@pytest.mark.parametrize(("first", "second"), BY_DAY)
def test_four_threads_of_the_program_for_one_mpi(first: str, second: str, tmp_path: Path) -> None:
    prepare(first, second)
    line = ["run", "-q", "--join", f"a={first}:1,b={second}:1", "--limit", "400s", "--"]
    done = rankwise(*line, str(compiled("several_threads", "-pthread")), home=tmp_path, timeout=500)
    assert done.returncode == 0 and "several threads: 1" in done.stdout, done.stdout + done.stderr


@pytest.mark.parametrize(("option", "said"), [([], "late"), (["--progress-thread"], "at once")])
def test_a_thread_answers_while_the_program_computes(option: list[str], said: str, tmp_path: Path) -> None:
    prepare("openmpi-5", "mpich-5")
    line = ["run", "-q", *option, "--join", "a=openmpi-5:1,b=mpich-5:1", "--limit", "200s", "--"]
    done = rankwise(*line, str(compiled("joined_threads")), "progress", home=tmp_path, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    assert said in done.stdout.splitlines() and "several threads: 0" in done.stdout, done.stdout


@pytest.mark.skipif(not any(one.startswith("lammpi") for one in IDS), reason="no LAM/MPI here")
def test_a_library_without_threads_says_so(tmp_path: Path) -> None:
    prepare("lammpi", "mpich-5")
    line = ["run", "-q", "--progress-thread", "--join", "a=lammpi:1,b=mpich-5:1", "--limit", "200s", "--"]
    done = rankwise(*line, str(compiled("joined_threads")), "progress", home=tmp_path, timeout=300)
    assert done.returncode != 0
    assert "site a: its MPI does not let several threads call it, which a thread for progress needs" in done.stderr
