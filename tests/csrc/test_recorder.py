"""Whatever order calls come in, the recorder keeps just that order, in little room where it repeats itself."""

from __future__ import annotations

import subprocess
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankwise.analysis.trace.reading import RankTrace, read
from rankwise.artifacts import builder, compiler
from rankwise.artifacts.builder import Artifact
from rankwise.artifacts.tracer import SOURCES

FOLDER = SOURCES / "tracer"


@cache
def program() -> Path:
    own = [FOLDER / f"{name}.c" for name in ("recorder", "rules", "signatures", "stream", "structure")]
    source = Path(__file__).with_name("record_numbers.c")
    recorder = Artifact("record_numbers", (source, *own), include_folders=(FOLDER,), flags=("-std=gnu99", "-O1"))
    return builder.build(recorder, compiler.of_host())


def recorded(numbers: list[int], *, mode: int = 0, end: str = "end") -> RankTrace:
    with TemporaryDirectory() as folder:
        argv = [str(program()), folder, str(mode), end]
        text = " ".join(map(str, numbers))
        done = subprocess.run(argv, input=text, text=True, timeout=60, check=False, capture_output=True)
        assert done.returncode == (-9 if end == "kill" else 0), done.stderr
        (one,) = read(Path(folder)).ranks
    return one


def order(trace: RankTrace) -> list[int]:
    return [trace.signatures[one][1] for one in trace.order.tolist()]


def loops(inner: st.SearchStrategy[list[int]]) -> st.SearchStrategy[list[int]]:
    """A few parts, each repeated."""
    part = st.tuples(inner, st.integers(1, 6)).map(lambda one: one[0] * one[1])
    return st.lists(part, min_size=1, max_size=4).map(lambda parts: [call for part in parts for call in part])


nested = st.recursive(st.lists(st.integers(0, 3), min_size=1, max_size=4), loops, max_leaves=12)


@given(nested, st.sampled_from(["end", "kill"]))
def test_the_order_and_the_times_are_kept_also_of_a_rank_that_is_killed(numbers: list[int], end: str) -> None:
    trace = recorded(numbers[:20000], end=end)
    assert order(trace) == numbers[:20000]
    assert (trace.exit - trace.entry).tolist() == [2 * i for i in range(1, len(trace.order) + 1)]
    assert trace.complete == (end == "end")


@pytest.mark.parametrize("depth", [1, 2, 3, 4])
def test_nested_loops_take_no_more_room_when_they_go_on(depth: int) -> None:
    """Also where a loop ends with what comes after it, and where an inner loop is a single call."""

    def calls(times: int) -> list[int]:
        found = [1, 2, 2, 2, 3]
        for level in range(depth):
            found = found * (times if level == depth - 1 else 3) + [3, 10 + level]
        return found

    few, many = recorded(calls(20)), recorded(calls(200))
    assert order(few) == calls(20) and order(many) == calls(200)
    assert many.structure_bytes <= few.structure_bytes + 4


@pytest.mark.parametrize("mode", [0, 1, 2])
def test_more_different_calls_than_there_is_room_for(mode: int) -> None:
    """Their tables are written and begun anew."""
    numbers = [number for start in range(0, 80_000, 8) for number in range(start, start + 8)] + [5, 6] * 50
    trace = recorded(numbers, mode=mode)
    assert len(trace.signatures) > 65536 and not trace.problems
    if mode < 2:
        assert order(trace) == numbers
    if mode:
        assert int(trace.statistics["calls"].sum()) == len(numbers)
        assert int(trace.statistics["duration"].sum()) == sum(2 * i for i in range(1, len(numbers) + 1))


def without_loops(count: int) -> list[int]:
    state, numbers = 1, []
    for _ in range(count):
        state = (state * 1103515245 + 12345) % 2**31
        numbers.append(state >> 24)
    return numbers


@pytest.mark.parametrize("end", ["end", "kill"])
def test_an_order_without_loops_is_longer_than_what_is_kept_in_memory(end: str) -> None:
    numbers = without_loops(60_000)
    assert order(recorded(numbers, end=end)) == numbers


@pytest.mark.parametrize("mode", [0, 1])
def test_where_the_disk_is_full_what_memory_holds_is_kept(mode: int) -> None:
    """With times these are what has to be written first, without them the order."""
    numbers = without_loops(60_000)
    trace = recorded(numbers, mode=mode, end="full")
    kept = order(trace)
    assert kept == numbers[: len(kept)] and len(kept) > 10_000
    assert any("could not write all" in said for said in trace.problems)
    assert not any("was ended while" in said or "did not come to" in said for said in trace.problems)
