"""The tracer records every call of a program on every MPI, with what it moved and where it went."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest

from rankwise.analysis.trace.reading import read
from rankwise.analysis.trace.summary import summarise
from support.mpis import FOUND, working
from support.overlay import compiled
from support.traced_program import check, expected
from support.traces import calls, open_folder, record, recorded, rows

pytestmark = [pytest.mark.mpi, pytest.mark.skipif(not FOUND, reason="no MPI here")]
IDS = [one.id for one in FOUND]
NEWEST = [one for one in IDS if one.startswith(("mpich-5", "openmpi-5"))]
NOTHING = -3


@pytest.mark.parametrize("ranks", [1, 2, 3, 4, 5, 8])
@pytest.mark.parametrize("implementation_id", NEWEST)
def test_every_call_is_recorded(implementation_id: str, ranks: int) -> None:
    check(recorded(implementation_id, ranks, [compiled(implementation_id, "traced"), "3"]), ranks, 3)


@pytest.mark.parametrize("implementation_id", [one for one in IDS if one not in NEWEST])
def test_every_call_is_recorded_by_the_other_libraries(implementation_id: str) -> None:
    check(recorded(implementation_id, 3, [compiled(implementation_id, "traced"), "3"]), 3, 3)


@pytest.mark.nightly
@pytest.mark.parametrize("ranks", [1, 2, 4, 5, 8])
@pytest.mark.parametrize("implementation_id", [one for one in IDS if one not in NEWEST])
def test_every_call_at_other_ranks(implementation_id: str, ranks: int) -> None:
    check(recorded(implementation_id, ranks, [compiled(implementation_id, "traced"), "3"]), ranks, 3)


def test_ten_times_the_iterations_take_no_more_room_and_all_times_are_kept() -> None:
    program = compiled(NEWEST[0], "traced")
    few, many = (recorded(NEWEST[0], 2, [program, str(count)]) for count in (20, 200))
    check(few, 2, 20)
    check(many, 2, 200)
    for one, other in zip(few.ranks, many.ranks, strict=True):
        assert other.structure_bytes < 1.1 * one.structure_bytes
        loop = [one.signatures[number] for number in one.order.tolist()]
        longer = [other.signatures[number] for number in other.order.tolist()]
        begin = 1 + 20 * 21  # the region's mark, then the iterations
        assert longer[1 : 1 + 200 * 21] == 10 * loop[1:begin] and longer[1 + 200 * 21 :] == loop[begin:]


@pytest.mark.parametrize("words", [["--summary-only"], ["--times", "statistics"]])
def test_what_is_kept_of_times(words: list[str]) -> None:
    trace = recorded(NEWEST[0], 2, [compiled(NEWEST[0], "traced"), "5"], *words)
    for one in trace.ranks:
        assert calls(one) == expected(one.rank, 2, 5) and one.time_bytes == 0
        assert len(one.order) == (0 if "--summary-only" in words else sum(calls(one).values()))
    short = summarise(trace)
    assert short.calls == sum(sum(expected(rank, 2, 5).values()) for rank in range(2))
    assert all(spent > 0 for spent in short.mpi_seconds)


@pytest.mark.parametrize("end", ["abort", "exit", "kill"])
@pytest.mark.parametrize("implementation_id", NEWEST)
def test_a_program_that_does_not_end_well_leaves_its_calls(implementation_id: str, end: str) -> None:
    trace = recorded(implementation_id, 2, [compiled(implementation_id, "traced"), "50", end], code=None)
    assert len(trace.ranks) == 2
    for one in trace.ranks:
        assert not one.complete and any("did not come to MPI_Finalize" in said for said in one.problems)
        found = calls(one)
        assert found["MPI_Allreduce"] == 300 and found["MPI_Waitall"] == found["MPI_Isend"] == 250
        assert one.structure_bytes > 0 and one.time_bytes > 800, "though nothing of it was in the file yet"


def test_a_full_disk_ends_the_record_and_not_the_program() -> None:
    with open_folder() as folder:
        done = record(folder / "t", NEWEST[0], 2, [compiled(NEWEST[0], "traced"), "4000", "full"])
        assert done.returncode == 0, done.stderr
        assert "cannot write" in done.stderr and "the program goes on" in done.stderr
        trace = read(folder / "t")
    assert any("could not write all" in said for said in trace.problems)
    for one in trace.ranks:
        assert 10_000 < len(one.order) < 4000 * 21
        assert calls(one)["MPI_Isend"] == pytest.approx(calls(one)["MPI_Irecv"], abs=1)


_FORTRAN = """
program ring
  {use}
  integer :: rank, ranks, error, i
  {request}
  {status}
  double precision :: in(10), out(10), total
  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, error)
  out = rank
  do i = 1, 6
    call MPI_Irecv(in, 10, MPI_DOUBLE_PRECISION, mod(rank + 2, 3), 3, MPI_COMM_WORLD, requests(1), error)
    call MPI_Isend(out, 10, MPI_DOUBLE_PRECISION, mod(rank + 1, 3), 3, MPI_COMM_WORLD, requests(2), error)
    call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, error)
    call MPI_Allreduce(MPI_IN_PLACE, out, 10, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, error)
  end do
  if (rank > 0) call MPI_Send(out, 2, MPI_DOUBLE_PRECISION, 0, rank, MPI_COMM_WORLD, error)
  if (rank == 0) then
    do i = 2, ranks
      call MPI_Recv(in, 10, MPI_DOUBLE_PRECISION, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, status, error)
    end do
  end if
  call MPI_Barrier(MPI_COMM_WORLD, error)
  call MPI_Finalize(error)
end program
"""
_PLAIN = {"request": "integer :: requests(2)", "status": "integer :: status(MPI_STATUS_SIZE)"}
_LANGUAGES = {
    "mpif.h": {"use": "include 'mpif.h'", **_PLAIN},
    "mpi": {"use": "use mpi", **_PLAIN},
    "mpi_f08": {
        "use": "use mpi_f08", "request": "type(MPI_Request) :: requests(2)",
        "status": "type(MPI_Status) :: status",
    },
}  # fmt: skip


MODULES = [one for one in IDS if one.startswith(("mpich-4", "openmpi-4"))]
"""Those with Fortran's modules for the compiler that is here."""
FORTRAN = [(one, language) for one in MODULES for language in _LANGUAGES]
FORTRAN += [(one, "mpif.h") for one in IDS if one.startswith(("intelmpi", "lammpi"))]


@pytest.mark.parametrize(("implementation_id", "language"), FORTRAN)
def test_fortran(implementation_id: str, language: str, tmp_path: Path) -> None:
    source = tmp_path / "ring.f90"
    text = _FORTRAN.format(**_LANGUAGES[language])
    if implementation_id.startswith("lammpi"):  # which has nothing in place
        text = text.replace("MPI_IN_PLACE", "in")
    source.write_text(
        text if language != "mpif.h" else text.replace("  integer :: rank,", "  integer :: rank,", 1)
    )
    mpi = working(implementation_id)
    wrapper = mpi.mpicc.replace("mpicc", "mpif77" if language == "mpif.h" else "mpif90")
    flags = ["-fallow-argument-mismatch", "-ffree-line-length-none", "-o", str(tmp_path / "ring")]
    argv = [wrapper, *flags, f"-I{mpi.prefix}/include", str(source)]  # Intel's does not name it to gfortran
    environment = {**os.environ, **dict(mpi.environment)}
    subprocess.run(argv, check=True, timeout=60, capture_output=True, env=environment)
    trace = recorded(implementation_id, 3, [tmp_path / "ring"])
    assert not trace.problems
    for one in trace.ranks:
        assert calls(one) == +Counter({
            "MPI_Irecv": 6, "MPI_Isend": 6, "MPI_Waitall": 6, "MPI_Allreduce": 6, "MPI_Barrier": 1,
            "MPI_Send": int(one.rank > 0), "MPI_Recv": 2 * (one.rank == 0),
        })  # fmt: skip
        before = (one.rank + 2) % 3
        assert set(rows(one, "MPI_Waitall")) == {(2, 0, before, 3, 80, 1, NOTHING, NOTHING, 0)}
        assert set(rows(one, "MPI_Allreduce")) == {(0, NOTHING, 80 if mpi.family == "lammpi" else 0, 80)}
    assert sorted(row[4:] for row in rows(trace.ranks[0], "MPI_Recv")) == [(1, 1, 16), (2, 2, 16)]


def test_times_are_on_one_clock_across_ranks() -> None:
    trace = recorded(NEWEST[0], 3, [compiled(NEWEST[0], "traced"), "20"])
    moments = []
    for one in trace.ranks:
        barrier = next(i for i, name in enumerate(one.functions) if name[0] == "MPI_Barrier")
        place = [one.signatures[number][0] for number in one.order.tolist()].index(barrier)
        moments.append((one.entry[place], one.exit[place]))
    assert max(entry for entry, _ in moments) <= min(end for _, end in moments), "nobody leaves before all came"
    assert all(earlier <= later for one in trace.ranks for earlier, later in pairwise(one.exit))


_PYTHON = """
from mpi4py import MPI
import numpy as np
world = MPI.COMM_WORLD
rank, ranks = world.rank, world.size
own, other = np.full(10, rank, "i"), np.empty(10, "i")
for _ in range(5):
    requests = [world.Irecv([other, MPI.INT], source=(rank - 1) % ranks, tag=4)]
    requests.append(world.Isend([own, MPI.INT], dest=(rank + 1) % ranks, tag=4))
    MPI.Request.Waitall(requests)
    world.Allreduce(MPI.IN_PLACE, own)
"""


@pytest.mark.parametrize("implementation_id", [*NEWEST, *(one for one in IDS if one.startswith("intelmpi"))])
def test_mpi4py_also_with_its_large_counts(implementation_id: str, tmp_path: Path) -> None:
    pytest.importorskip("mpi4py", reason="mpi4py is among the packages for development")
    (tmp_path / "ring.py").write_text(_PYTHON)
    trace = recorded(implementation_id, 2, [sys.executable, tmp_path / "ring.py"])
    assert not trace.problems
    for one in trace.ranks:
        found = {name.removesuffix("_c"): count for name, count in calls(one).items()}
        assert found["MPI_Irecv"] == found["MPI_Isend"] == found["MPI_Waitall"] == found["MPI_Allreduce"] == 5
        sent = [row for name in ("MPI_Isend", "MPI_Isend_c") for row in rows(one, name)]
        assert set(sent) == {(0, 1 - one.rank, 4, 40, 1)}
