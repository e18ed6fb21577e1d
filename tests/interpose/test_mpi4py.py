"""mpi4py's own tests of collectives pass under the overlay as they do without, and it is ours that they meet."""

from __future__ import annotations

import re
import subprocess
import sys
import tarfile
from importlib.metadata import version
from pathlib import Path

import pytest

from rankwise.core import paths
from support.mpis import FOUND, by_day
from support.overlay import Ran, everything, run, write_table

pytest.importorskip("mpi4py", reason="mpi4py is among the packages for development")
IDS = [one.id for one in FOUND if one.id.startswith(("openmpi-5", "mpich-5", "intelmpi"))]
pytestmark = [pytest.mark.mpi, pytest.mark.timeout(900), pytest.mark.skipif(not IDS, reason="no MPI here")]
ALL = ["test_cco", "test_comm", "test_attr", "test_op", "test_group"]
BY_DAY = ["test_cco_buf"]
NEIGHBOURHOODS = "test_cco_.*ngh"


@pytest.fixture(scope="session")
def suite() -> Path:
    """mpi4py's tests, of the version that is installed; its wheel does not have them."""
    number = version("mpi4py")
    folder = paths.cache_folder() / "mpi4py"
    main = folder / f"mpi4py-{number}" / "test" / "main.py"
    if not main.exists():
        folder.mkdir(parents=True, exist_ok=True)
        asked = ["download", "-q", "--no-deps", "--no-binary", "mpi4py", "-d", str(folder), f"mpi4py=={number}"]
        subprocess.run([sys.executable, "-m", "pip", *asked], check=True, timeout=600)
        with tarfile.open(folder / f"mpi4py-{number}.tar.gz") as archive:
            archive.extractall(folder, filter="data")
    return main


def tried(implementation_id: str, ranks: int, table: Path | str, home: Path, *chosen: str) -> Ran:
    program = [sys.executable, "-W", "ignore", "-B", *chosen, "-e", NEIGHBOURHOODS]
    ran = run(implementation_id, ranks, table, home, program, timeout=800)
    assert ran.done.returncode == 0, ran.done.stdout[-2000:] + ran.done.stderr[-4000:]
    return ran


def counts(ran: Ran) -> list[str]:
    """How many tests each rank has run, and how many it has left out."""
    return sorted(re.findall(r"Ran \d+ tests|skipped=\d+", ran.done.stdout + ran.done.stderr))


def same_with_and_without(implementation_id: str, ranks: int, home: Path, suite: Path, chosen: list[str]) -> None:
    arguments = (str(suite), "-q", "-i", "|".join(chosen))
    ours = tried(implementation_id, ranks, write_table(home, everything(0)), home, *arguments)
    native = tried(implementation_id, ranks, "", home, *arguments)
    assert counts(ours) == counts(native)
    assert len(counts(ours)) >= ranks and "Ran 0 tests" not in counts(ours)
    assert len(ours.reports) == ranks and not native.reports
    assert sum(ours.replaced().values()) > 1000 * ranks, ours.reports[0]


@pytest.mark.parametrize("ranks", [2])
@pytest.mark.parametrize("implementation_id", by_day(IDS, "mpich-5", "openmpi-5"))
def test_a_part_by_day(implementation_id: str, ranks: int, tmp_path: Path, suite: Path) -> None:
    same_with_and_without(implementation_id, ranks, tmp_path, suite, BY_DAY)


@pytest.mark.nightly
@pytest.mark.parametrize("ranks", [1, 2, 3, 5, 8])
@pytest.mark.parametrize("implementation_id", IDS)
def test_all_by_night(implementation_id: str, ranks: int, tmp_path: Path, suite: Path) -> None:
    same_with_and_without(implementation_id, ranks, tmp_path, suite, ALL)
