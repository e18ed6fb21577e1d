"""Data between sites are right whatever their types, also where they are converted on their way."""

from __future__ import annotations

import itertools
import subprocess
from functools import partial
from pathlib import Path

import pytest

from support import command_line
from support.abi import IDS, compiled, needs_compiler, prepare
from support.command_line import assert_error
from support.joined import LEAST, PROGRAMS, assert_right, join

pytestmark = [pytest.mark.mpi, needs_compiler, pytest.mark.timeout(900)]
rankwise = partial(command_line.rankwise, timeout=400)
TYPES = ("joined_types", "joined_type_collectives")
PAIRS = (("openmpi-5.0.11", "mpich-5.0.2"), ("mpich-5.0.2", "intelmpi-2021.18.1"))
WITH_ALL_TYPES = [one for one in IDS if not one.startswith("lammpi")]
BY_DAY = ((PAIRS[0], TYPES[0]), (PAIRS[0], TYPES[1]), (PAIRS[1], TYPES[0]))
ONE_SITE = """case $RANKWISE_JOIN in
*/1/{ranks}/*) export RANKWISE_JOIN_REPRESENTATION={said} ;;
esac
exec "$@"
"""


def converted(first: str, second: str, name: str, home: Path) -> str:
    """What the program says whose data are external32 between two sites."""
    prepare(first, second)
    line = ["run", "-q", "--join", join(first, second), "--representation", "external32", "--limit", "300s", "--"]
    done = rankwise(*line, str(compiled(name)), "external32", home=home)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.parametrize(
    ("first", "second", "name"),
    [pytest.param(*pair, name, marks=() if (pair, name) in BY_DAY else pytest.mark.nightly)
     for pair in itertools.product(WITH_ALL_TYPES, repeat=2) for name in TYPES],
)  # fmt: skip
def test_types_are_converted(first: str, second: str, name: str, tmp_path: Path) -> None:
    said = converted(first, second, name, tmp_path)
    assert_right(said, 60)


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize(
    ("first", "second"),
    [pytest.param(*pair, marks=pytest.mark.nightly)
     for pair in (*PAIRS, ("lammpi-7.1.4", "openmpi-5.0.11"))],
)  # fmt: skip
def test_all_else_is_as_without(first: str, second: str, name: str, tmp_path: Path) -> None:
    said = converted(first, second, name, tmp_path)
    assert_right(said, LEAST.get(name, 200), lacking="lammpi" in first + second)


@pytest.mark.nightly
@pytest.mark.parametrize("name", TYPES)
def test_types_as_they_are(name: str, tmp_path: Path) -> None:
    prepare("openmpi-5", "mpich-5")
    line = ["run", "-q", "--join", join("openmpi-5", "mpich-5"), "--limit", "300s", "--"]
    done = rankwise(*line, str(compiled(name)), home=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert_right(done.stdout, 60)


def one_site_says(said: str, more: list[str], home: Path) -> subprocess.CompletedProcess[str]:
    """Run with two sites, the second of which says how it represents data."""
    prepare("mpich-5", "openmpi-5")
    (home / "one.sh").write_text(ONE_SITE.format(ranks="1,1", said=said))
    sites = join("mpich-5", "openmpi-5", ranks=(1, 1))
    line = ["run", "-q", "--join", sites, "--abi", "--limit", "100s", *more, "--", "/bin/sh", "one.sh"]
    return rankwise(*line, str(compiled("joined_types")), "external32", home=home)


def test_one_process_that_differs_is_enough(tmp_path: Path) -> None:
    done = one_site_says("external32", [], tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert_right(done.stdout, 60)


def test_who_differs_is_refused_where_nothing_is_to_be_converted(tmp_path: Path) -> None:
    done = one_site_says("external32", ["--representation", "native"], tmp_path)
    assert done.returncode != 0
    assert "it represents data in another way, and one of the two has --representation native" in done.stderr


def test_a_job_of_one_mpi_represents_nothing(tmp_path: Path) -> None:
    done = rankwise("run", "--representation", "native", "--", "/bin/true", home=tmp_path)
    assert_error(done, 2, "--representation is for a job over several sites")
