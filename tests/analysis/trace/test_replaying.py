"""A recorded program, exported, is replayed to its own messages: by SMPI every action, from GOAL every message."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from rankwise.analysis.trace.collectives import alike, exchanges
from rankwise.analysis.trace.exporting import block_bytes
from rankwise.analysis.trace.goal import goal
from rankwise.analysis.trace.matrix import communication_matrix
from rankwise.analysis.trace.operations import operation, steps
from rankwise.analysis.trace.reading import Trace, read
from rankwise.analysis.trace.time_independent import time_independent
from support.made_up_trace import NUMBER, write_trace
from support.mpis import FOUND, newest_of_each_family
from support.overlay import compiled
from support.replayed import HOSTS, by_rankwise, by_smpi, needs_smpi
from support.traces import recorded


def traced() -> Trace:
    one = sorted(newest_of_each_family() - {one.id for one in FOUND if one.family == "lammpi"})[0]
    return recorded(one, len(HOSTS), [compiled(one, "traced"), "4"])


@pytest.mark.mpi
def test_goal_has_the_messages_of_the_trace(tmp_path: Path) -> None:
    trace = traced()
    matrix = communication_matrix(trace)
    messages, sent = int(matrix.messages.sum()), int(matrix.bytes.sum())
    assert messages == 77
    for one in trace.ranks:
        for step in steps(one):
            if step.kind == "collective" and step.communicator:
                members = step.communicator.members
                place = members.index(one.rank)
                parts = exchanges(
                    operation(step.function), place, len(members), step.root, alike(block_bytes(step))
                )
                sizes = [size for sends, _ in parts for _, size in sends]
                messages, sent = messages + len(sizes), sent + sum(sizes)
    found = by_rankwise(list(goal(trace)), tmp_path)
    assert (found["messages"], found["bytes"], found["unreceived_messages"]) == (messages, sent, 0)


@needs_smpi
@pytest.mark.mpi
def test_smpi_replays_every_action(tmp_path: Path) -> None:
    lines = list(time_independent(traced()))
    actions, _ = by_smpi(lines, tmp_path)
    words = Counter((int(line.split()[0]), line.split()[1]) for line in lines)
    for rank in range(len(HOSTS)):
        assert words.pop((rank, "init")) == words.pop((rank, "finalize")) == 1
        for name in ("init", "finalize"):
            actions.pop((rank, name), None)
    assert actions == words


@needs_smpi
def test_smpi_and_our_simulator_agree_on_messages_and_computing(tmp_path: Path) -> None:
    """A megabyte there and back within a site, 3 ms of work between."""
    size, (send, receive) = 1 << 20, (NUMBER["MPI_Send"], NUMBER["MPI_Recv"])

    def takes(source: int) -> tuple[int, ...]:
        return (receive, 0, source, 5, size, source, 5, size)

    (tmp_path / "t").mkdir()
    there, back = (send, 0, 1, 5, size), (send, 0, 0, 5, size)
    calls = [[(there, 0, 1), (takes(1), 0, 1)], [(takes(0), 0, 1), (back, 3_000_000, 1)], []]
    write_trace(tmp_path / "t", calls)
    lines = list(time_independent(read(tmp_path / "t")))
    actions, seconds = by_smpi(lines, tmp_path)
    assert actions[1, "compute"] == 1
    assert seconds == pytest.approx(by_rankwise(lines, tmp_path)["total_seconds"], rel=0.05)
