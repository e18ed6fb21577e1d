"""Open MPI's monitoring says who sent what to whom: files of all ranks together, those of one run, by size."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankwise.analysis.recordings.base import Source
from rankwise.analysis.recordings.monitoring import Monitored, files_of, notices, parse, read_files, rows
from rankwise.core.errors import InputError

RANK_0 = """# POINT TO POINT
E\t0\t1\t2000 bytes\t22 msgs sent\t2,0,0,0,0,0,0,20,0,0
I\t0\t1\t660 bytes\t39 msgs sent
E\t0\t2\t300 bytes\t3 msgs sent\t9,0,0,0,0,0,0,3
# OSC
# COLLECTIVES
C\t0\t1\t276 bytes\t39 msgs sent
D\tMPI_COMM_WORLD\tprocs: 0,1,2
O2A\t0\t0 bytes\t0 msgs sent
A2O\t0\t32 bytes\t1 msgs sent
A2A\t0\t520 bytes\t38 msgs sent
"""
RANK_1 = "# POINT TO POINT\nE\t1\t0\t1 bytes\t1 msgs sent\t0,1\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "run.0.prof").write_text(RANK_0)
    (tmp_path / "run.1.prof").write_text(RANK_1)
    (tmp_path / "run.2.prof").write_text("# POINT TO POINT\n")
    return tmp_path


def read_all(path: Path) -> Monitored:
    return read_files([Source.of(one) for one in files_of(path)])


def test_the_ranks_files_belong_together(folder: Path) -> None:
    assert len(files_of(folder)) == 3 and files_of(folder / "run.1.prof") == files_of(folder)
    found = read_all(folder)
    assert [(one.source, one.destination, one.bytes, one.messages) for one in found.sent] == [
        (0, 1, 2000, 22), (0, 2, 300, 3), (1, 0, 1, 1),
    ]  # fmt: skip
    assert (found.ranks, found.collectives) == (3, 39)
    (notice,) = notices(found, "run")
    assert "the operation of 39 collectives is not recorded" in notice.message


def test_messages_by_size(folder: Path) -> None:
    """Sizes are known where those of collectives are not counted with them; else their mean."""
    assert list(rows(read_all(folder))) == [
        ("send", 0, 2, 2),
        ("send", 127, 2, 20),
        ("send", 100, 2, 3),
        ("send", 1, 2, 1),
    ]


def test_one_ranks_file_alone_is_refused(tmp_path: Path) -> None:
    (tmp_path / "run.1.prof").write_text(RANK_1)
    with pytest.raises(InputError, match="is of one rank: what ranks 0 sent"):
        read_all(tmp_path / "run.1.prof")


def test_several_runs_are_told_apart(folder: Path) -> None:
    (folder / "other.0.prof").write_text(RANK_0)
    with pytest.raises(InputError, match="of several runs: other, run"):
        files_of(folder)
    assert len(files_of(folder / "run.0.prof")) == 3


@given(st.lists(st.sampled_from([*RANK_0.splitlines(), "E 0 99999999 1 bytes 1 msgs sent", "E 3 0"])),
       st.text("EIOA2 \t0123456789,bytesmg", max_size=60))  # fmt: skip
def test_any_lines_are_read_or_refused(lines: list[str], more: str) -> None:
    try:
        found = parse("\n".join([*lines, more]), "run.0.prof")
    except InputError:
        return
    assert all(max(one.source, one.destination) < found.ranks for one in found.sent)
    assert all(size >= 0 and count > 0 for _, size, _, count in rows(found))
