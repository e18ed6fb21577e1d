"""After any number of small jobs nothing is left over: no process, no testbed, and a store that opens."""

from __future__ import annotations

import json
import os
import random
import sqlite3
import time
from pathlib import Path

import psutil
import pytest

from support.command_line import rankwise
from support.emulated import needs_emulation

SECONDS = float(os.environ.get("RANKWISE_SOAK_SECONDS", "8"))
"""How long it goes on; `make nightly` takes an hour."""
pytestmark = [pytest.mark.mpi, needs_emulation, pytest.mark.timeout(SECONDS + 300)]
QUICK = ("--launches", "1", "--per-cell", "1ms", "--sizes", "8", "-q")
JOBS = (
    ("bench", "pingpong", "--mpi", "mpich-5", *QUICK),
    ("bench", "allreduce", "--mpi", "openmpi-5", *QUICK),
    ("bench", "pingpong", "--mpi", "mpich-5", "--testbed", "cluster", *QUICK),
    ("testbed", "check", "cluster", "--quick"),
    ("run", "-n", "2", "--mpi", "mpich-5", "-q", "--", "true"),
)


def ours(home: Path) -> list[int]:
    """The processes that have the home of this test in their environment."""
    found = []
    for one in psutil.process_iter():
        try:
            if one.environ().get("RANKWISE_STORE") == str(home / "results.sqlite"):
                found.append(one.pid)
        except psutil.Error:
            continue
    return found


@pytest.mark.nightly
def test_nothing_is_left_over(tmp_path: Path) -> None:
    choose, deadline = random.Random(1), time.monotonic() + SECONDS
    jobs = 0
    while jobs < 3 or time.monotonic() < deadline:
        job = choose.choice(JOBS)
        done = rankwise(*job, home=tmp_path, timeout=120)
        assert done.returncode == 0, f"job {jobs}, {' '.join(job)}: {done.stderr}"
        assert ours(tmp_path) == [], f"job {jobs}, {' '.join(job)} left processes"
        jobs += 1
    rankwise("bench", "barrier", "--mpi", "mpich-5", *QUICK, home=tmp_path)
    up = json.loads(rankwise("testbed", "list", "--json", home=tmp_path).stdout)["up"]
    assert not any(one["of_a_run"] and str(tmp_path) in str(one) for one in up)
    with sqlite3.connect(tmp_path / "results.sqlite") as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert {status for (status,) in connection.execute("SELECT status FROM run")} == {"complete"}
