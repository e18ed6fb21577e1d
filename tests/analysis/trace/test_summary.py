"""A summary's figures are those of the calls: time by call and region, messages by size, skew, imbalance."""

from __future__ import annotations

from pathlib import Path

import pytest

from rankwise.analysis.application import of_rows
from rankwise.analysis.recordings.application import rows
from rankwise.analysis.trace.application_csv import application_csv
from rankwise.analysis.trace.matrix import matrix_csv
from rankwise.analysis.trace.reading import read
from rankwise.analysis.trace.summary import RegionUse, SizeUse, Skew, summarise
from support.made_up_trace import NUMBER, write_trace

MS = 1_000_000
BEGIN, END = (0, 0, 1), (0, 0, 0)
SUM = (NUMBER["MPI_Allreduce"], 0, -3, 8, 8)


def test_figures(tmp_path: Path) -> None:
    send = (NUMBER["MPI_Send"], 0, 1, 7, 100)
    recv = (NUMBER["MPI_Recv"], 0, -2, -2, 400, 0, 7, 100)
    write_trace(
        tmp_path,
        [
            [(send, 1 * MS, 2 * MS), (BEGIN, 1 * MS, 0), (SUM, 2 * MS, 4 * MS), (END, 0, 0), (SUM, 0, 1 * MS)],
            [(recv, 0, 3 * MS), (BEGIN, 0, 0), (SUM, 6 * MS, 1 * MS), (END, 0, 0), (SUM, 0, 2 * MS)],
        ],
    )
    found = summarise(read(tmp_path))
    assert not found.problems and found.ranks == 2 and found.calls == 10 and found.seconds == pytest.approx(0.012)
    assert found.mpi_seconds == pytest.approx((0.007, 0.006))
    assert found.computing_seconds == pytest.approx((0.004, 0.006))
    assert found.imbalance == pytest.approx(0.2)
    by_name = {one.function: one for one in found.functions}
    assert set(by_name) == {"MPI_Send", "MPI_Recv", "MPI_Allreduce"}
    assert by_name["MPI_Allreduce"].calls == 4 and by_name["MPI_Allreduce"].bytes == 32
    assert by_name["MPI_Allreduce"].seconds == pytest.approx(0.008)
    assert by_name["MPI_Allreduce"].longest_seconds == pytest.approx(0.004)
    assert by_name["MPI_Send"].bytes == 100 and by_name["MPI_Recv"].bytes == 0
    assert found.sizes == (SizeUse(8, 0, 0, 4, 32), SizeUse(128, 1, 100, 0, 0))
    (region,) = found.regions
    assert region == RegionUse("solver", 2, pytest.approx(0.013), pytest.approx(0.005), 2)
    (skew,) = found.skews
    assert skew == Skew("MPI_Allreduce", 2, pytest.approx(0.0015), pytest.approx(0.003))


def test_messages_and_what_tune_takes(tmp_path: Path) -> None:
    """On the communicator of the even ranks, its rank 1 is the world's rank 2."""
    other = (NUMBER["MPI_Send"], 1, 1, 7, 3000)
    bcast, heard = (NUMBER["MPI_Bcast"], 1, 1, 0, 5000), (NUMBER["MPI_Bcast"], 1, 1, 5000, 0)
    write_trace(
        tmp_path,
        [[(other, 1, 1), (other, 1, 1), (bcast, 1, 1), (SUM, 1, 1)], [(SUM, 1, 1)], [(heard, 1, 1), (SUM, 1, 1)]],
    )
    trace = read(tmp_path)
    assert list(matrix_csv(trace)) == ["from,to,messages,bytes", "0,2,2,6000"]
    lines = list(application_csv(trace))
    assert lines[1:] == ["allreduce,8,3,1", "bcast,8192,2,1", "send,4096,2,2"]
    taken = of_rows(rows("\n".join(lines), "trace"), "trace", {"allreduce", "bcast", "pingpong"})
    assert sum(count for _, count in taken.counts) == 4
