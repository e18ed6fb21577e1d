"""What is written for other tools does the same: rankwise-sim replays it, all messages and whom wildcards met."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from rankwise.analysis.trace.collectives import alike, exchanges
from rankwise.analysis.trace.goal import goal
from rankwise.analysis.trace.reading import read
from rankwise.analysis.trace.time_independent import time_independent
from rankwise.analysis.trace.timeline import timeline
from rankwise.core.errors import InputError
from support.made_up_trace import NUMBER, write_trace

SIMULATOR = Path(sys.executable).with_name("rankwise-sim")
MS = 1_000_000
COST = {"L": 1e-5, "o_s": 1e-7, "o_s_byte": 0, "o_r": 1e-7, "o_r_byte": 0, "g": 1e-7, "G": 1e-9}
PLATFORM = {
    "format": "rankwise-platform 1", "sites": [{"name": "a", "nodes": 3, "out": 1e9, "in": 1e9}], "links": [],
    "routes": [{"from": "a", "to": "a", "class": "lan", "links": []}],
    "classes": [{"name": "lan", "eager_below": 65536, "weight": 1, "ranges": [COST]}], "same_node": "lan",
    "packet_bytes": 1500, "flops_per_second": 1e9, "copy_seconds_per_byte": 0, "reduce_seconds_per_byte": 0,
    "model": {"name": "alpha-fair", "alpha": 1, "kappa": 2, "tolerance": 1e-3},
}  # fmt: skip
WAIT = NUMBER["MPI_Waitall"]


def simulated(folder: Path, lines: list[str], name: str) -> dict[str, Any]:
    (folder / "platform.json").write_text(json.dumps(PLATFORM))
    (folder / name).write_text("\n".join(lines) + "\n")
    argv = [SIMULATOR, "--platform", folder / "platform.json", "--job", folder / name]
    done = subprocess.run(argv, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Ranks 1 and 2 send to rank 0, which takes any, computes 5 ms, and sums up with rank 2 and then with all."""

    def isend(size: int) -> tuple[int, ...]:
        return (NUMBER["MPI_Isend"], 0, 0, 4, size, 0)

    over = (WAIT, 1, 0, -3, -3, 0)
    any_of_them = [(NUMBER["MPI_Irecv"], 0, -2, -2, 4096, slot) for slot in (0, 1)]
    met = (WAIT, 2, 0, 2, 4, 300, 1, 1, 4, 200)
    even, all_of_them = (NUMBER["MPI_Allreduce"], 1, -3, 64, 64), (NUMBER["MPI_Allreduce"], 0, -3, 8, 8)
    write_trace(
        tmp_path,
        [
            [(any_of_them[0], 0, 1), (any_of_them[1], 0, 1), (met, 0, MS), (even, 5 * MS, 1), (all_of_them, 0, 1)],
            [(isend(200), 0, 1), (over, 0, 1), (all_of_them, 0, 1)],
            [(isend(300), 0, 1), (over, 0, 1), (even, 0, 1), (all_of_them, 0, 1)],
        ],
    )
    return tmp_path


@pytest.mark.parametrize("export", [time_independent, goal])
def test_the_simulator_replays_it(export: Any, folder: Path) -> None:
    found = simulated(folder, list(export(read(folder))), "job")
    messages = 2 + 2 + 4  # two to rank 0; two ranks sum up by two messages, three by four
    assert found["messages"] == messages and not found["unreceived_messages"]
    assert found["bytes"] == 200 + 300 + 2 * 64 + 4 * 8
    assert 0.005 < found["total_seconds"] < 0.006


@pytest.mark.parametrize(
    ("export", "keep", "option"),
    [
        (timeline, "statistics", "--times statistics"),
        (timeline, "summary", "--summary-only"),
        (goal, "summary", "--summary-only"),
        (time_independent, "summary", "--summary-only"),
    ],
)
def test_what_is_not_in_a_trace_is_told_with_what_to_record(
    export: Any, keep: str, option: str, folder: Path
) -> None:
    trace = read(folder)
    for one in trace.ranks:
        one.keep = keep
    with pytest.raises(InputError) as caught:
        list(export(trace))
    assert option in caught.value.remedy


def test_wildcards_are_who_they_met(folder: Path) -> None:
    lines = [line for line in time_independent(read(folder)) if line.startswith("0 irecv")]
    assert [line.split()[2] for line in lines[:2]] == ["2", "1"]


def test_the_timeline_has_every_call_and_an_arrow_for_each_message(folder: Path) -> None:
    events = json.loads("\n".join(timeline(read(folder))))["traceEvents"]
    names = [event["name"] for event in events if event["ph"] == "X"]
    assert names.count("MPI_Allreduce") == 5 and len(names) == 12
    starts, ends = ({event["id"] for event in events if event["ph"] == kind} for kind in "sf")
    assert len(starts) == 2 and starts == ends


@pytest.mark.parametrize("members", [1, 2, 3, 4, 5, 8, 13])
@pytest.mark.parametrize(
    "operation",
    [
        "barrier",
        "bcast",
        "reduce",
        "allreduce",
        "reduce_scatter",
        "gather",
        "scatter",
        "scan",
        "allgather",
        "alltoall",
    ],
)
def test_collectives_as_messages_fit_together(operation: str, members: int) -> None:
    for root in {0, members - 1}:
        sent, received = [], []
        for place in range(members):
            for sends, receives in exchanges(operation, place, members, root, alike(10)):
                sent += [(place, *one) for one in sends]
                received += [(one, place, size) for one, size in receives]
        assert sorted(sent) == sorted(received)
        reached = {root} | {to for _, to, _ in sent}
        if operation in {"bcast", "scatter"}:
            assert reached == set(range(members)) and len(sent) == members - 1
