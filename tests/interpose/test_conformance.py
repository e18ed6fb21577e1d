"""Under the overlay every collective operation gives the right data on every MPI, and it is ours that does it."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.emulated import needs_emulation
from support.mpis import FOUND
from support.overlay import Ran, compiled, everything, run, turns, write_table

pytestmark = [pytest.mark.mpi, pytest.mark.skipif(not FOUND, reason="no MPI here")]
IDS = [one.id for one in FOUND]
MODERN = {
    "MPI_Bcast", "MPI_Reduce", "MPI_Allreduce", "MPI_Reduce_scatter", "MPI_Reduce_scatter_block", "MPI_Gather",
    "MPI_Gatherv", "MPI_Scatter", "MPI_Scatterv", "MPI_Allgather", "MPI_Allgatherv", "MPI_Alltoall",
    "MPI_Alltoallv", "MPI_Barrier", "MPI_Scan", "MPI_Exscan",
}  # fmt: skip
NOT_IN_LAM = {"MPI_Reduce_scatter_block", "MPI_Exscan"}
USER_OPERATIONS = {"MPI_Reduce", "MPI_Allreduce", "MPI_Reduce_scatter", "MPI_Scan"}
"""What LAM/MPI does itself where an operation is the user's: it has no MPI_Reduce_local."""


def conforms(implementation_id: str, ranks: int, turn: int, home: Path) -> Ran:
    program = compiled(implementation_id, "conformance")
    ran = run(implementation_id, ranks, write_table(home, everything(turn)), home, [str(program)])
    assert ran.done.returncode == 0, ran.done.stderr
    assert ran.done.stdout.rstrip().endswith("wrong 0")
    assert len(ran.reports) == ranks
    lam = implementation_id.startswith("lammpi")
    assert set(ran.replaced()) == (MODERN - NOT_IN_LAM if lam else MODERN)
    left = {name for name in ran.passed() if name not in {"MPI_Barrier"}}  # LAM's own functions call it
    assert left <= (USER_OPERATIONS if lam else set()), ran.reports[0]["passed because"]
    return ran


@pytest.mark.parametrize("implementation_id", IDS)
def test_three_ranks(implementation_id: str, tmp_path: Path) -> None:
    conforms(implementation_id, 3, 0, tmp_path)


@pytest.mark.nightly
@pytest.mark.parametrize("turn", range(turns()))
@pytest.mark.parametrize("ranks", [1, 2, 5, 8])
@pytest.mark.parametrize("implementation_id", IDS)
def test_every_algorithm(implementation_id: str, ranks: int, turn: int, tmp_path: Path) -> None:
    conforms(implementation_id, ranks, turn, tmp_path)


@pytest.mark.parametrize("turn", range(1, 4))
def test_other_algorithms(turn: int, tmp_path: Path) -> None:
    newest = next(one for one in IDS if one.startswith("mpich-5"))
    ran = conforms(newest, 4, turn, tmp_path)
    assert len(ran.algorithms()) >= 11, "one for each operation at least"


@needs_emulation
@pytest.mark.parametrize("implementation_id", [one for one in IDS if one.startswith(("mpich-5", "openmpi-5"))])
def test_the_built_in_table_acts_across_sites_alone(implementation_id: str, tmp_path: Path) -> None:
    program = [str(compiled(implementation_id, "conformance"))]
    across = run(implementation_id, 4, "default", tmp_path, program, "--testbed", "two-clusters",
                 "--placement", "across-sites")  # fmt: skip
    assert across.done.stdout.rstrip().endswith("wrong 0"), across.done.stderr
    found = set(across.algorithms())
    assert {"bcast.one_crossing", "allreduce.lanes", "alltoall.one_crossing", "barrier.one_crossing"} <= found
    assert not across.replaced()["MPI_Gatherv"]


@needs_emulation
def test_reproducible_sums_do_not_depend_on_the_sites(tmp_path: Path) -> None:
    newest = next(one for one in IDS if one.startswith("mpich-5"))
    program = [str(compiled(newest, "sums"))]
    found = []
    for where in (["--placement", "block"], ["--placement", "across-sites"]):
        words = ["--testbed", "two-clusters", *where, "--reproducible"]
        ran = run(newest, 4, "default", tmp_path, program, *words)
        assert ran.done.returncode == 0, ran.done.stderr
        assert not any("one_crossing" in name or "lanes" in name for name in ran.algorithms())
        assert ran.algorithms()["allreduce.reduce_bcast"] == 4
        found.append(ran.done.stdout)
    local = run(newest, 4, "default", tmp_path, program, "--reproducible")
    assert found[0] == found[1] == local.done.stdout != ""


def test_the_built_in_table_leaves_one_site_alone(tmp_path: Path) -> None:
    newest = next(one for one in IDS if one.startswith("openmpi-5"))
    ran = run(newest, 2, "default", tmp_path, [str(compiled(newest, "conformance"))])
    assert ran.done.returncode == 0, ran.done.stderr
    assert not ran.replaced() and ran.passed()["MPI_Bcast"]
