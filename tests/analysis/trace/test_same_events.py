"""What is exported has the very events of the trace: every message at the same moment, computations as long."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from rankwise.analysis.trace.collectives import alike, exchanges
from rankwise.analysis.trace.exporting import block_bytes
from rankwise.analysis.trace.goal import goal
from rankwise.analysis.trace.operations import computing_before, operation, steps
from rankwise.analysis.trace.reading import RankTrace, Trace
from rankwise.analysis.trace.time_independent import time_independent
from rankwise.artifacts import apps
from support.mpis import FOUND, newest_of_each_family, working
from support.overlay import compiled
from support.traces import recorded

SIMULATOR = Path(sys.executable).with_name("rankwise-sim")
RANKS, LATENCY_NS = 4, 10_000
LOGGOPSIM = shutil.which("LogGOPSim")
pytestmark = [pytest.mark.mpi, pytest.mark.skipif(not FOUND, reason="no MPI here")]
Sent = tuple[int, int]
"""To whom, and bytes."""


def platform(seconds_per_byte: float) -> dict[str, Any]:
    """Nothing takes a processor's time but what is computed: formats differ in when a receive costs its own."""
    cost = {"L": LATENCY_NS * 1e-9, "G": seconds_per_byte}
    return {
        "format": "rankwise-platform 1", "sites": [{"name": "a", "nodes": RANKS, "out": 1e9, "in": 1e9}],
        "routes": [{"from": "a", "to": "a", "class": "lan"}], "same_node": "lan", "flops_per_second": 1e9,
        "classes": [{"name": "lan", "eager_below": 65536, "ranges": [cost]}],
        "model": {"name": "alpha-fair", "alpha": 1, "tolerance": 1e-6},
    }  # fmt: skip


def replayed(
    lines: Iterator[str], folder: Path, *words: str, seconds_per_byte: float = 1e-9
) -> tuple[list[float], list[dict[str, Any]]]:
    """When each rank ends, in seconds, and the events of the timeline."""
    (folder / "p.json").write_text(json.dumps(platform(seconds_per_byte)))
    (folder / "job").write_text("".join(f"{line}\n" for line in lines))
    argv = [SIMULATOR, "--platform", "p.json", "--job", "job", "--trace", "timeline.json", *words]
    done = subprocess.run(argv, cwd=folder, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    events: list[dict[str, Any]] = json.loads((folder / "timeline.json").read_text())["traceEvents"]
    return json.loads(done.stdout)["jobs"][0]["finish_seconds"], events


def messages(events: list[dict[str, Any]]) -> list[tuple[float, ...]]:
    """From and to whom, bytes, and the microseconds of begin and arrival, of each message."""
    begun = {one["id"]: one for one in events if one["ph"] == "s"}
    return sorted(
        (begun[one["id"]]["tid"], one["tid"], begun[one["id"]]["args"]["bytes"], begun[one["id"]]["ts"], one["ts"])
        for one in events
        if one["ph"] == "f"
    )


def of_rank(events: list[dict[str, Any]], rank: int, what: str) -> list[dict[str, Any]]:
    return [one for one in events if one["ph"] == "X" and one["tid"] == rank and one["name"] == what]


def sent_by(one: RankTrace) -> Iterator[Sent]:
    """What it sends, in order, collectives as the messages of their textbook algorithm."""
    for step in steps(one):
        if step.kind in {"send", "isend"} and step.peer >= 0:
            yield step.peer, step.bytes
        elif step.kind == "collective" and step.communicator:
            members = step.communicator.members
            place = members.index(one.rank)
            for sends, _ in exchanges(
                operation(step.function), place, len(members), step.root, alike(block_bytes(step))
            ):
                yield from ((members[to], size) for to, size in sends)


def computed_by(one: RankTrace) -> list[int]:
    """Nanoseconds between its calls, where there are any."""
    return [gap for _, gap in computing_before(steps(one), one.begin) if gap]


def newest() -> str:
    return sorted(newest_of_each_family() - {one.id for one in FOUND if one.family == "lammpi"})[0]


@pytest.fixture(scope="module")
def conjugate_gradient() -> Trace:
    """Messages of pairs, and a barrier."""
    one = newest()
    return recorded(one, RANKS, [apps.build(working(one)), "cg", "--class", "S"])


@pytest.mark.parametrize("program", ["cg", "traced"])
def test_goal_has_the_sends_and_computations_of_each_rank_in_their_order(
    program: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    if program == "cg":
        trace = request.getfixturevalue("conjugate_gradient")
    else:
        trace = recorded(newest(), RANKS, [compiled(newest(), "traced"), "4"])
    _, events = replayed(goal(trace), tmp_path)
    for one in trace.ranks:
        sends = of_rank(events, one.rank, "send")
        assert [(each["args"]["to"], each["args"]["bytes"]) for each in sends] == list(sent_by(one))
        computed = [round(1e3 * each["dur"]) for each in of_rank(events, one.rank, "compute")]
        assert [each for each in computed if each] == computed_by(one)
    received = Counter(
        (each["args"]["from"], each["args"]["to"], each["args"]["bytes"])
        for rank in range(RANKS)
        for each in of_rank(events, rank, "receive")
    )
    assert received == Counter((one.rank, *each) for one in trace.ranks for each in sent_by(one))


def test_goal_and_the_time_independent_trace_are_replayed_to_the_same_moments(
    conjugate_gradient: Trace, tmp_path: Path
) -> None:
    ends, events = replayed(goal(conjugate_gradient), tmp_path)
    ends_of_other, events_of_other = replayed(time_independent(conjugate_gradient), tmp_path)
    assert ends == ends_of_other
    assert messages(events) == messages(events_of_other)
    assert len(messages(events)) > 5000


@pytest.mark.nightly
@pytest.mark.skipif(not LOGGOPSIM, reason="LogGOPSim is not here")
def test_loggopsim_replays_goal_to_the_same_moments(conjugate_gradient: Trace, tmp_path: Path) -> None:
    """Without a gap for each byte, which the two charge differently."""
    ends, events = replayed(goal(conjugate_gradient), tmp_path, "--model", "none", seconds_per_byte=0)
    subprocess.run(["txt2bin", "-i", "job", "-o", "job.bin"], cwd=tmp_path, check=True, capture_output=True)
    costs = ["-L", str(LATENCY_NS), *(word for one in "ogGO" for word in (f"-{one}", "0")), "-S", "65535"]
    done = subprocess.run(
        [str(LOGGOPSIM), "-f", "job.bin", *costs, "-V", "job.viz"], cwd=tmp_path, check=True, capture_output=True,
        text=True, timeout=60,
    )  # fmt: skip
    told = [int(line.split()[-1]) for line in done.stdout.splitlines() if line.startswith("Host ")]
    assert told == [round(one * 1e9) for one in ends]
    theirs: Counter[tuple[int, str, int, int]] = Counter()
    for words in (line.rstrip(";").split() for line in (tmp_path / "job.viz").read_text().splitlines()):
        kind = {"osend": "send", "loclop": "compute"}.get(words[0])
        if kind and not (kind == "compute" and words[3] == words[4]):
            theirs[int(words[1]), kind, int(words[3]), int(words[4])] += 1
    ours = Counter(
        (rank, what, round(1e3 * one["ts"]), round(1e3 * (one["ts"] + one["dur"])))
        for rank in range(RANKS)
        for what in ("send", "compute")
        for one in of_rank(events, rank, what)
        if what == "send" or one["dur"]
    )
    assert ours == theirs
