"""The program rankwise-sim as its callers see it: JSON on its output, or what is wrong and its exit code."""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from rankwise.core.native_programs import program

PLATFORM = {
    "format": "rankwise-platform 1",
    "sites": [{"name": "n", "nodes": 8, "out": 125e6, "in": 125e6}],
    "classes": [
        {"name": "lan", "eager_below": 65536, "ranges": [{"L": 2e-5, "o_s": 1e-6, "o_r": 1e-6, "G": 8e-9}]}
    ],
    "same_node": "lan",
    "routes": [{"from": "n", "to": "n", "class": "lan"}],
    "model": {"name": "alpha-fair", "alpha": 1},
}
PAIR = "0 1 125000000\n"
BROADCAST = {"operation": "bcast", "algorithm": "binomial", "ranks": 8, "count": 1000}
Simulate = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def simulate(tmp_path: Path) -> Simulate:
    """Runs the program on jobs by their text, and on the platform."""
    (tmp_path / "platform.json").write_text(json.dumps(PLATFORM))

    def run(
        *jobs: str, more: tuple[str, ...] = (), nodes: tuple[str, ...] = ()
    ) -> "subprocess.CompletedProcess[str]":
        words = [str(program("rankwise-sim")), "--platform", "platform.json", *more]
        for number, text in enumerate(jobs):
            (tmp_path / f"job{number}").write_text(text)
            words += ["--job", f"job{number}" + (f"@nodes={nodes[number]}" if nodes else "")]
        return subprocess.run(words, capture_output=True, text=True, timeout=60, check=False, cwd=tmp_path)

    return run


def told(done: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    assert done.returncode == 0, done.stderr
    said: dict[str, Any] = json.loads(done.stdout)
    return said


def test_jobs_share_what_they_share(simulate: Simulate) -> None:
    apart = told(simulate(PAIR, PAIR, nodes=("0-1", "2,3")))
    together = told(simulate(PAIR, PAIR, nodes=("0-1", "0,2")))
    assert apart["total_seconds"] == pytest.approx(1, rel=1e-3)
    assert together["total_seconds"] == pytest.approx(2, rel=1e-3)
    assert apart["contention_seconds"] == 0
    assert together["contention_by_link"] == [{"link": "n0.out", "seconds": pytest.approx(2, rel=1e-3)}]


def test_collective_of_a_given_algorithm(simulate: Simulate) -> None:
    assert told(simulate(json.dumps(BROADCAST)))["messages"] == 7
    trace = "".join(f"{rank} init\n{rank} bcast 1000 0 6\n" for rank in range(8))
    assert told(simulate(trace, more=("--algorithm", "bcast=binomial")))["messages"] == 7
    refused = simulate(trace, more=("--algorithm", "bcast=magic"))
    assert refused.returncode == 2
    assert "job0:2: there is no algorithm magic for bcast" in refused.stderr


def test_timeline_and_critical_path(simulate: Simulate, tmp_path: Path) -> None:
    said = told(simulate("0 1 1000\n", more=("--trace", "timeline.json", "--critical-path")))
    parts = said["critical_path"]["seconds"]
    assert sum(parts.values()) == pytest.approx(said["total_seconds"])
    assert parts["latency"] == pytest.approx(2e-5)
    events = json.loads((tmp_path / "timeline.json").read_text())["traceEvents"]
    assert {event["ph"] for event in events} == {"M", "X", "s", "f"}


def test_seeds(simulate: Simulate) -> None:
    trace = "0 compute 1e6\n0 send 1 0 8 6\n1 recv 0 0 8 6\n"
    runs = [told(simulate(trace, more=("--seeds", "50", "--noise", "0.2")))["seeds"] for _ in range(2)]
    assert runs[0] == runs[1]
    assert runs[0]["min"] < runs[0]["p50"] < runs[0]["p99"] <= runs[0]["max"]


@pytest.mark.parametrize(
    ("job", "code", "says"),
    [
        ("0 recv 1 0 8\n1 recv 0 0 8\n", 2, "rank 0 waits for a message from rank 1, tag 0"),
        ("0 1 8\n0 9x 8\n", 2, "job0:2: a rank must be"),
        (
            '{"operation": "bcast", "algorithm": "binomial", "ranks": 4, "count": 8, "repeat": 1000000000}',
            3,
            "GiB of memory",
        ),
    ],
)
def test_refusals(simulate: Simulate, job: str, code: int, says: str) -> None:
    done = simulate(job)
    assert done.returncode == code
    assert says in done.stderr


def test_absent_node(simulate: Simulate) -> None:
    done = simulate(PAIR, nodes=("0-8",))
    assert done.returncode == 2
    assert "there is no node 8; the platform has 8" in done.stderr
