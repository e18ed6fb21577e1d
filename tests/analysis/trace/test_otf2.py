"""OTF2 that is written is valid for otf2-print and comes back as the same calls; damaged archives are refused."""

from __future__ import annotations

import importlib.util
import re
import shutil
import subprocess
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rankwise.analysis.trace.collective_sizes import Place, arguments, counted
from rankwise.analysis.trace.goal import goal
from rankwise.analysis.trace.matrix import communication_matrix
from rankwise.analysis.trace.otf2_reading import convert
from rankwise.analysis.trace.otf2_writing import write_archive
from rankwise.analysis.trace.reading import read
from rankwise.analysis.trace.summary import summarise
from rankwise.core.errors import InputError
from support.made_up_trace import FUNCTIONS, NUMBER, write_trace

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("otf2") is None, reason="there is no OTF2 library for this Python (pip install otf2)"
)
REGION = NUMBER["region"]
WORLD, EVEN = 0, 1


def write_example(folder: Path) -> Path:
    """Ranks 1 and 2 send to rank 0, which takes any within a region; then sums of even ranks, a broadcast."""

    def isend(size: int) -> tuple[int, ...]:
        return (NUMBER["MPI_Isend"], WORLD, 0, 4, size, 0)

    wait = NUMBER["MPI_Waitall"]
    over, met = (wait, 1, 0, -3, -3, 0), (wait, 2, 0, 2, 4, 300, 1, 1, 4, 200)
    any_of_them = [(NUMBER["MPI_Irecv"], WORLD, -2, -2, 4096, slot) for slot in (0, 1)]
    even, begins, ends = (NUMBER["MPI_Allreduce"], EVEN, -3, 64, 64), (REGION, 0, 1), (REGION, 0, 0)
    tells, told = (NUMBER["MPI_Bcast"], WORLD, 1, 500, 0), (NUMBER["MPI_Bcast"], WORLD, 1, 0, 500)
    send = (NUMBER["MPI_Send"], WORLD, 1, 9, 2**33)
    receive = (NUMBER["MPI_Recv"], WORLD, -2, -2, 2**34, 2, 9, 2**33)
    receives = [(any_of_them[0], 5, 1), (any_of_them[1], 0, 1), (met, 0, 1000)]
    write_trace(
        folder,
        [
            [(begins, 3, 0), *receives, (ends, 2, 0), (even, 5000, 7), (told, 0, 3)],
            [(isend(200), 9, 1), (over, 0, 1), (receive, 4, 4), (tells, 0, 3)],
            [(isend(300), 0, 1), (over, 0, 1), (send, 8, 2), (even, 0, 7), (told, 1, 3)],
        ],
    )
    return folder


@pytest.fixture
def archive(tmp_path: Path) -> Iterator[Path]:
    (tmp_path / "t").mkdir()
    write_archive(read(write_example(tmp_path / "t")), tmp_path / "o")
    yield tmp_path / "o" / "traces.otf2"


def test_it_comes_back_as_it_was(archive: Path, tmp_path: Path) -> None:
    (tmp_path / "back").mkdir()
    assert convert(archive, tmp_path / "back") == ()
    before, after = read(tmp_path / "t"), read(tmp_path / "back")
    assert not after.problems
    assert list(goal(after)) == list(goal(before))
    assert communication_matrix(after).bytes.tolist() == communication_matrix(before).bytes.tolist()
    assert communication_matrix(after).bytes[2, 1] == 2**33
    assert summarise(after).regions == summarise(before).regions
    assert summarise(after).sizes == summarise(before).sizes


@pytest.mark.skipif(not shutil.which("otf2-print"), reason="no otf2-print here (Debian: otf2-tools)")
def test_otf2_print_finds_no_fault_and_every_event(archive: Path) -> None:
    subprocess.run(["otf2-print", "-Werror", "--silent", archive], check=True, timeout=60, capture_output=True)
    told = subprocess.run(["otf2-print", archive], check=True, timeout=60, capture_output=True, text=True).stdout
    events = Counter(re.findall(r"^([A-Z_]+) +\d+ +\d+ ", told, re.MULTILINE))
    assert events["ENTER"] == events["LEAVE"] == 14 + 1 + 2 * 3, "calls, a region, begin and end"
    assert events["MPI_ISEND"] == events["MPI_ISEND_COMPLETE"] == events["MPI_IRECV"] == 2
    assert events["MPI_SEND"] == events["MPI_RECV"] == 1
    assert events["MPI_COLLECTIVE_END"] == 5
    assert 'Region: "solver"' in told and f"Length: {2**33}" in told
    sent = re.findall(r"Operation: BCAST.*Sent: (\d+), Received: (\d+)", told)
    assert sorted(sent) == [("0", "500"), ("0", "500"), ("1500", "500")], "as Score-P counts"


places = st.integers(1, 64).flatmap(
    lambda many: st.builds(Place, st.just(many), st.integers(0, many - 1), st.booleans())
)


@given(
    st.sampled_from(["allreduce", "allgather", "alltoall", "bcast", "reduce", "scan"]),
    places,
    st.integers(0, 2**40),
)
def test_sizes_of_collectives_come_back(operation: str, place: Place, block: int) -> None:
    sent, received = arguments(operation, place, *counted(operation, place, block, block))
    assert max(sent, received) == block


@given(st.sampled_from(["gather", "gatherv", "scatter", "scatterv", "allgatherv", "alltoallv"]), places,
       st.integers(0, 2**40), st.integers(0, 2**40))  # fmt: skip
def test_sizes_of_both_directions_come_back(operation: str, place: Place, sent: int, received: int) -> None:
    """As an archive has them: what the root alone sends or receives is 0 elsewhere."""
    once = arguments(operation, place, *counted(operation, place, sent, received))
    assert arguments(operation, place, *counted(operation, place, *once)) == once


@settings(max_examples=8)
@given(st.sampled_from(["traces.otf2", "traces.def", "traces/0.evt", "traces/0.def"]),
       st.lists(st.tuples(st.floats(0, 1, exclude_max=True), st.integers(0, 255)), max_size=4),
       st.floats(0, 1))  # fmt: skip
def test_a_damaged_archive_is_read_or_refused(name: str, changes: list[tuple[float, int]], kept: float) -> None:
    with TemporaryDirectory() as home:
        folder = Path(home)
        for one in ("t", "back"):
            (folder / one).mkdir()
        write_archive(read(write_example(folder / "t")), folder / "o")
        content = bytearray((folder / "o" / name).read_bytes())
        for place, octet in changes:
            content[int(place * len(content))] = octet
        (folder / "o" / name).write_bytes(content[: int(kept * len(content)) if kept < 0.5 else len(content)])
        try:
            convert(folder / "o" / "traces.otf2", folder / "back")
        except InputError:
            return
        assert [one.rank for one in read(folder / "back").ranks] == [0, 1, 2]


def test_every_kind_of_call_is_in_the_example(tmp_path: Path) -> None:
    """So that what the tests above compare is all that messages can be."""
    used = {row[0] for one in read(write_example(tmp_path)).ranks for row in one.signatures}
    assert {FUNCTIONS[number].split()[1] for number in used} >= {
        "send", "recv", "isend", "irecv", "completion", "collective", "region",
    }  # fmt: skip
