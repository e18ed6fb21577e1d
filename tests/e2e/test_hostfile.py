"""A hostfile on the command line is all that a job on hosts behind ssh needs."""

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.command_line import rankwise
from support.mpis import FOUND
from support.sshd import servers

OURS = [one.id for one in FOUND if one.source == "pypi"]
pytestmark = [
    pytest.mark.mpi,
    pytest.mark.skipif(os.geteuid() != 0, reason="only root can hide a folder from a server"),
]


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("home")


@pytest.fixture(scope="module")
def path(home: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A PATH whose ssh reaches the hosts `left` and `right`, of which only the first sees the file `mark/left`."""
    (mark := home / "mark").mkdir()
    (mark / "left").touch()
    with servers(tmp_path_factory.mktemp("servers"), "left") as found:
        found.start("right", hidden=mark)
        (home / "hosts").write_text("left slots=1  # as Open MPI has it\nright:1       # as MPICH has it\n")
        yield f"{found.add_to_path()}:{os.environ['PATH']}"


@pytest.mark.parametrize(
    "mpi", [pytest.param(one, marks=pytest.mark.nightly if n else ()) for n, one in enumerate(OURS)]
)
def test_each_rank_runs_on_its_line_of_the_file(mpi: str, home: Path, path: str) -> None:
    where = f"if [ -e {home}/mark/left ]; then echo left; else echo right; fi; sleep 1"
    job = ["--hostfile", "hosts", "--", "sh", "-c", where]
    done = rankwise("run", "--mpi", mpi, "-n", "2", *job, home=home, PATH=path)
    assert done.returncode == 0, done.stderr
    assert sorted(done.stdout.split()) == ["left", "right"]


@pytest.mark.parametrize("mpi", OURS[:1])
@pytest.mark.nightly
def test_a_benchmark_is_measured_on_the_hosts_of_the_file(mpi: str, home: Path, path: str) -> None:
    quick = ["--sizes", "8", "--launches", "1", "--per-cell", "5ms", "--json"]
    done = rankwise("bench", "pingpong", "--mpi", mpi, "--hostfile", "hosts", *quick, home=home, PATH=path)
    assert done.returncode == 0, done.stderr
    (row,) = json.loads(done.stdout)["cells"]
    assert row["median_seconds"] > 0
    shown = json.loads(rankwise("show", "--json", home=home).stdout)
    assert shown["run"]["testbed"] == "hosts"
    assert {"left", "right"} <= set(shown["launches"][0]["command"].replace(",", " ").replace(":", " ").split())
