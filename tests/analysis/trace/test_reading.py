"""What was recorded is read back as it was; what is damaged is told, and never read as something else."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankwise.analysis.trace.files import blocks
from rankwise.analysis.trace.goal import goal
from rankwise.analysis.trace.grammar import Chapter
from rankwise.analysis.trace.matrix import communication_matrix
from rankwise.analysis.trace.numbers import Damaged, decode, encode, signed, with_sign
from rankwise.analysis.trace.reading import read
from rankwise.analysis.trace.summary import summarise
from rankwise.analysis.trace.time_independent import time_independent
from rankwise.analysis.trace.timeline import timeline
from rankwise.analysis.trace.writing import write_trace as write_again
from rankwise.core.errors import InputError
from support.made_up_trace import NUMBER, Call, block, rank_file, signature, varint, write_trace, zigzag

SEND = (NUMBER["MPI_Send"], 0, 1, 7, 100)
RECV = (NUMBER["MPI_Recv"], 0, 0, 7, 100, 0, 7, 100)
SUM = (NUMBER["MPI_Allreduce"], 0, -3, 8, 8)
FENCE = (NUMBER["MPI_Win_fence"],)

rows = st.sampled_from([SEND, RECV, SUM, FENCE, (NUMBER["MPI_Isend"], 0, 1, 3, 2**40, 0)])
some_calls = st.lists(st.tuples(rows, st.integers(-1000, 2**40), st.integers(0, 2**40)), max_size=30)


@given(st.lists(st.integers(0, 2**64 - 1)))
def test_numbers_come_back(numbers: list[int]) -> None:
    assert decode(b"".join(map(varint, numbers))).tolist() == numbers


@given(st.lists(st.integers(-(2**63), 2**63 - 1)))
def test_signed_numbers_come_back(numbers: list[int]) -> None:
    assert signed(decode(b"".join(map(zigzag, numbers)))).tolist() == numbers


@given(st.lists(st.integers(0, 2**64 - 1)), st.lists(st.integers(-(2**63), 2**63 - 1)))
def test_numbers_are_written_as_they_are_read(plain: list[int], signs: list[int]) -> None:
    assert encode(np.array(plain, np.uint64)) == b"".join(map(varint, plain))
    assert encode(with_sign(np.array(signs, np.int64))) == b"".join(map(zigzag, signs))


@given(some_calls)
def test_a_trace_that_is_written_again_is_the_same(calls: list[Call]) -> None:
    with TemporaryDirectory() as first, TemporaryDirectory() as second:
        Path(first, "rank-000000.trace").write_bytes(rank_file(0, 1, calls))
        written = read(Path(first))
        write_again(written, Path(second))
        (before,), (after,) = written.ranks, read(Path(second)).ranks
    assert not after.problems and after.complete
    for name in ("order", "entry", "exit"):
        assert np.array_equal(getattr(before, name), getattr(after, name))
    for name in ("signatures", "functions", "communicators", "regions", "begin", "end", "ranks"):
        assert getattr(before, name) == getattr(after, name)


@given(some_calls, st.integers(0, 2**50))
def test_calls_come_back(calls: list[Call], begin: int) -> None:
    with TemporaryDirectory() as name:
        Path(name, "rank-000000.trace").write_bytes(rank_file(0, 1, calls, begin=begin))
        (one,) = read(Path(name)).ranks
    assert not one.problems and one.complete
    assert [one.signatures[number] for number in one.order.tolist()] == [row for row, _, _ in calls]
    assert (one.exit - one.entry).tolist() == [spent for _, _, spent in calls]
    before = np.concatenate(([0], one.exit[:-1])) if calls else one.exit
    assert (one.entry - before).tolist() == [gap for _, gap, _ in calls]


def test_loops_expand() -> None:
    chapter = Chapter()
    rule = b"R" + varint(2) + varint(0) + varint(2) + varint(2) + varint(1)  # signature 0 twice, signature 1
    outer = b"R" + varint(2) + varint(1) + varint(3) + varint(0) + varint(1)  # that three times, signature 0
    chapter.define(signature(SEND) + signature(SUM) + rule + outer, {}, {})
    chapter.add_nodes(varint(3) + varint(2))
    chapter.finish_loop(((1, 0, 1), (0, 0, 1)))
    once = [0, 0, 1]
    assert chapter.order().tolist() == 2 * (3 * once + [0]) + once + [0]


@pytest.mark.parametrize("count", [2**27, 2**62])
def test_a_loop_longer_than_any_does_not_fill_the_memory(count: int) -> None:
    chapter = Chapter()
    chapter.define(signature(SEND), {}, {})
    chapter.extend([(0, count)] * 3)
    with pytest.raises(Damaged):
        chapter.order()


@given(some_calls, st.data())
def test_a_damaged_file_is_told_and_read_up_to_the_damage(calls: list[Call], data: st.DataObject) -> None:
    content = bytearray(rank_file(0, 2, calls))
    if data.draw(st.booleans()):
        del content[data.draw(st.integers(0, len(content) - 1)) :]
    else:
        content[data.draw(st.integers(0, len(content) - 1))] ^= data.draw(st.integers(1, 255))
    check_damaged(bytes(content))


@given(st.data())
def test_blocks_that_say_what_cannot_be(data: st.DataObject) -> None:
    """Their checksums are right: it is what they say that no tracer writes."""
    whole = rank_file(0, 2, [(SEND, 1, 1), (SUM, 1, 1), (SUM, 1, 1)])
    with TemporaryDirectory() as name:
        Path(name, "whole").write_bytes(whole)
        parts = list(blocks(Path(name, "whole"), []))
    place = data.draw(st.integers(1, len(parts) - 1))
    found = data.draw(st.binary(max_size=40))
    if data.draw(st.booleans()):
        good = bytearray(parts[place].data)
        good[data.draw(st.integers(0, len(good) - 1))] ^= data.draw(st.integers(1, 255))
        found = bytes(good)
    content = b"".join(
        block(part.kind, found if number == place else part.data) for number, part in enumerate(parts)
    )
    check_damaged(content, silent=True)


def check_damaged(content: bytes, *, silent: bool = False) -> None:
    """Nothing but InputError comes of it, in whatever is made of the trace."""
    with TemporaryDirectory() as name:
        Path(name, "rank-000000.trace").write_bytes(content)
        Path(name, "rank-000001.trace").write_bytes(rank_file(1, 2, [(SUM, 1, 1)]))
        trace = read(Path(name))
    assert trace.problems or silent
    summarise(trace)
    communication_matrix(trace)
    for export in (time_independent, goal):
        try:
            list(export(trace))
        except InputError as error:
            assert error.remedy


@pytest.mark.parametrize("row", [(99,), (-1, 0), (*SEND[:2],), (NUMBER["MPI_Waitall"], 3, 1)])
def test_a_call_that_none_can_be_ends_what_is_read(row: tuple[int, ...], tmp_path: Path) -> None:
    write_trace(tmp_path, [[(SEND, 5, 5), (row, 5, 5), (SEND, 5, 5)], [(RECV, 5, 5)]])
    trace = read(tmp_path)
    (said,) = trace.problems
    assert said.startswith("rank-000000.trace is damaged: ") and said.endswith("from there on are left out")
    first = trace.ranks[0]
    assert [first.signatures[number] for number in first.order.tolist()] == [SEND]
    assert summarise(trace).calls == 2
    for export in (time_independent, goal, timeline):
        list(export(trace))


def test_what_a_killed_rank_left_may_be_anything(tmp_path: Path) -> None:
    write_trace(tmp_path, [[(SEND, 5, 5)], []])
    (tmp_path / "rank-000000.open").write_bytes(b"rwopen\n\0" + bytes(1000))
    trace = read(tmp_path)
    assert any("rank-000000.open is damaged" in said for said in trace.problems)
    assert len(trace.ranks[0].order) == 1


def test_a_missing_rank_is_told(tmp_path: Path) -> None:
    write_trace(tmp_path, [[], [], []])
    (tmp_path / "rank-000001.trace").unlink()
    trace = read(tmp_path)
    assert trace.problems == ["of 3 ranks 1 left no readable trace: 1"]
    with pytest.raises(InputError, match="only 2 left a trace"):
        list(goal(trace))


def test_no_trace_at_all(tmp_path: Path) -> None:
    for folder in (tmp_path, tmp_path / "nowhere"):
        with pytest.raises(InputError):
            read(folder)
    (tmp_path / "rank-000000.trace").write_bytes(b"")
    with pytest.raises(InputError, match="is empty"):
        read(tmp_path)
