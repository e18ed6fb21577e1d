"""One-sided calls take what their messages take, and what a consumer leaves out is named with its share."""

from __future__ import annotations

from pathlib import Path

import pytest

from rankwise.analysis.trace import application_csv, goal, left_out, matrix
from rankwise.analysis.trace.exporting import takes_messages
from rankwise.analysis.trace.reading import Trace, read
from rankwise.analysis.trace.summary import summarise
from support.made_up_trace import NUMBER, Call, write_trace
from support.replayed import by_rankwise

NOTHING = -3
MS = 1_000_000
CREATE, FREE = (NUMBER["MPI_Win_create"], 0, 0), (NUMBER["MPI_Win_free"], 0, 0)
LOCK, UNLOCK = (NUMBER["MPI_Win_lock"], 0, 0, 2), (NUMBER["MPI_Win_unlock"], 0, 0, 2)


def put(size: int, target: int = 1) -> tuple[int, ...]:
    return (NUMBER["MPI_Put"], 0, 0, target, size, NOTHING)


def traced(folder: Path, *calls: tuple[int, ...]) -> Trace:
    """Rank 0 makes these calls on a window of three ranks, each of a millisecond."""
    folder.mkdir()
    own: list[Call] = [(one, 0, MS) for one in (CREATE, *calls, FREE)]
    other: list[Call] = [(CREATE, 0, MS), (FREE, 0, MS)]
    return read(write_trace(folder, [own, other, other]))


def seconds(folder: Path, name: str, *calls: tuple[int, ...]) -> float:
    return by_rankwise(list(goal.goal(traced(folder / name, *calls))), folder)["total_seconds"]


def test_a_put_is_a_message_that_the_end_of_its_epoch_waits_for(tmp_path: Path) -> None:
    size = 10_000_000
    nothing, one, two = (seconds(tmp_path, name, *calls) for name, calls in
                         (("a", ()), ("b", (put(size),)), ("c", (put(size), put(size)))))  # fmt: skip
    assert one > nothing + 0.01 and two - nothing == pytest.approx(2 * (one - nothing), rel=0.2)


def test_a_get_is_there_and_back(tmp_path: Path) -> None:
    size = 10_000_000
    get = (NUMBER["MPI_Get"], 0, 0, 1, 0, size)
    there, back = seconds(tmp_path, "a", put(size)), seconds(tmp_path, "b", get)
    assert back >= there and back == pytest.approx(there, rel=0.2)


def test_each_lock_and_unlock_waits_for_the_target(tmp_path: Path) -> None:
    """Four times the delay of the WAN, 5 ms, for each pair."""
    one, three = (seconds(tmp_path, str(n), *(n * (LOCK, put(8, 2), UNLOCK))) for n in (1, 3))
    assert three - one == pytest.approx(2 * 4 * 0.005, rel=0.05)


def test_what_is_left_out_is_named_with_calls_bytes_and_time(tmp_path: Path) -> None:
    write = (NUMBER["MPI_File_write_all"], 4000, 0)
    trace = traced(tmp_path / "t", put(100), put(100), write)
    total = summarise(trace)
    spent = sum(total.mpi_seconds)
    (files,) = left_out.left_out(trace, goal.takes)
    assert (files.what, files.calls, files.bytes) == ("file calls", 1, 4000)
    assert files.seconds == pytest.approx(0.001) and files.share == pytest.approx(0.001 / spent)
    found = {one.what: (one.calls, one.bytes) for one in left_out.left_out(trace, takes_messages)}
    assert found == {"one-sided calls": (8, 200), "file calls": (1, 4000)}
    assert {one.what for one in left_out.left_out(trace, application_csv.takes)} == set(found)
    assert [one.what for one in left_out.left_out(trace, matrix.takes)] == ["file calls"]
    (notice,) = left_out.notices(trace, goal.takes, "the prediction")
    assert notice.kind == "left out" and "1 call, 3.906 KiB, 1 ms" in notice.message
    assert not left_out.notices(trace, lambda *_: True, "x")


def test_a_call_that_starts_several_requests_is_one_call(tmp_path: Path) -> None:
    """One with more requests than a row has room for as well."""
    start = NUMBER["MPI_Startall"]
    several = (start, 0, 1, 5, 8, 0, 0, 0, 1, 5, 8, 1, 1)
    goes_on, rest = (*several, 0), (start, 0, 1, 5, 8, 2, 0)
    (tmp_path / "t").mkdir()
    trace = read(write_trace(tmp_path / "t", [[(several, 0, MS), (goes_on, 0, 0), (rest, 0, MS)], []]))
    assert not trace.problems
    found = summarise(trace)
    assert found.calls == 2 and found.functions[0].bytes == 3 * 8
    assert int(matrix.communication_matrix(trace).messages[0, 1]) == 3
