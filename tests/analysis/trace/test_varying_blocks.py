"""Collectives whose blocks differ between ranks are exported with the sizes that the ranks named, and replay."""

from __future__ import annotations

import re
from collections import defaultdict
from functools import cache
from pathlib import Path

import pytest

from rankwise.analysis.trace.goal import goal
from rankwise.analysis.trace.reading import Trace
from rankwise.analysis.trace.time_independent import time_independent
from support.mpis import FOUND, newest_of_each_family
from support.overlay import compiled
from support.replayed import HOSTS, by_rankwise, by_smpi, needs_smpi
from support.traces import recorded

OWN = [1000 * (rank + 1) for rank in range(3)]
PAIRS = [(source, to) for source in range(3) for to in range(3) if source != to]
EXPECTED = {
    "allgatherv": 2 * sum(OWN),
    "in-place": 2 * sum(OWN),
    "gatherv": OWN[0] + OWN[2],
    "scatterv": OWN[0] + OWN[2],
    "alltoallv": sum(OWN[source] + 10 * to for source, to in PAIRS),
    "alltoallw": sum(OWN[source] + 10 * to for source, to in PAIRS),
    "reduce_scatter": 2 * sum(OWN) + OWN[1] + OWN[2],
    "nonblocking": 2 * sum(OWN) + sum(OWN[source] + 10 * to for source, to in PAIRS),
}
"""Bytes between three ranks."""
pytestmark = [pytest.mark.mpi, pytest.mark.skipif(not FOUND, reason="no MPI here")]


@cache
def traced(*operations: str) -> Trace:
    one = sorted(newest_of_each_family() - {one.id for one in FOUND if one.family == "lammpi"})[0]
    return recorded(one, len(HOSTS), [compiled(one, "varying"), *operations])


@pytest.mark.parametrize("operation", EXPECTED)
def test_both_ends_of_each_message_have_the_size_that_the_ranks_named(operation: str, tmp_path: Path) -> None:
    trace = traced(operation)
    found = by_rankwise(list(goal(trace)), tmp_path)
    assert (found["bytes"], found["unreceived_messages"]) == (EXPECTED[operation], 0)
    sides: dict[str, dict[tuple[str, str, str], list[int]]] = {
        "isend": defaultdict(list),
        "irecv": defaultdict(list),
    }
    for line in time_independent(trace):
        if match := re.fullmatch(r"(\d+) (isend|irecv) (\d+) (\d+) (\d+)", line):
            own, kind, peer, tag, size = match.groups()
            ends = (own, peer) if kind == "isend" else (peer, own)
            sides[kind][*ends, tag].append(int(size))
    assert sides["isend"] == sides["irecv"]
    assert sum(sum(sizes) for sizes in sides["isend"].values()) == EXPECTED[operation]


@needs_smpi
def test_smpi_replays_them_all(tmp_path: Path) -> None:
    _, seconds = by_smpi(list(time_independent(traced(*EXPECTED))), tmp_path)
    assert seconds > 0
