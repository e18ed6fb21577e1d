"""One-sided calls are recorded with their targets and bytes, and file calls with their bytes, by every MPI."""

from __future__ import annotations

from pathlib import Path

import pytest

from rankwise.analysis.trace.goal import goal
from rankwise.analysis.trace.matrix import communication_matrix
from rankwise.analysis.trace.summary import summarise
from support.mpis import FOUND
from support.overlay import compiled
from support.replayed import by_rankwise
from support.traces import open_folder, recorded, rows

pytestmark = [pytest.mark.mpi, pytest.mark.skipif(not FOUND, reason="no MPI here")]
NEW = [one.id for one in FOUND if one.family != "lammpi"]
NOTHING = -3


@pytest.mark.parametrize("implementation_id", NEW)
def test_targets_and_bytes(implementation_id: str, tmp_path: Path) -> None:
    with open_folder() as folder:
        trace = recorded(implementation_id, 3, [compiled(implementation_id, "one_sided"), folder / "data"])
    assert not trace.problems
    for one in trace.ranks:
        after = (one.rank + 1) % 3
        puts = [(0, 0, after, 1000, NOTHING), *([(0, 0, 1, 100, NOTHING)] if one.rank == 0 else [])]
        assert rows(one, "MPI_Put") == puts
        assert rows(one, "MPI_Get") == [(0, 0, after, 0, 500)]
        assert rows(one, "MPI_Win_fence") == 3 * [(0, 0)]
        assert rows(one, "MPI_Win_start") == ([(0, 0, 1 - one.rank)] if one.rank < 2 else [])
        assert rows(one, "MPI_File_write_at_all") == [(100, 0)]
        assert rows(one, "MPI_File_read_at") == [(0, 50)]
    first = trace.ranks[0]
    assert rows(first, "MPI_Fetch_and_op") == [(0, 0, 1, 4, 4)]
    assert rows(first, "MPI_Compare_and_swap") == [(0, 0, 1, 8, 4)]
    assert rows(first, "MPI_Get_accumulate") == [(0, 0, 1, 0, 12)], "MPI_NO_OP sends nothing"
    assert rows(first, "MPI_Rput") == [(0, 0, 1, 7, NOTHING, 0)] and rows(first, "MPI_Wait")[0][:2] == (1, 0)
    size = communication_matrix(trace).bytes
    assert size[0, 1] == 1000 + 40 + 100 + 4 + 8 + 7 and size[1, 0] == 500 + 40 + 4 + 4 + 12
    shown = {one.function: one.bytes for one in summarise(trace).functions}
    assert (shown["MPI_Put"], shown["MPI_Get"], shown["MPI_File_read_at"]) == (3100, 1500, 150)
    found = by_rankwise(list(goal(trace)), tmp_path)
    assert (found["bytes"], found["unreceived_messages"]) == (int(size.sum()), 0)
