"""The installed command, run as a user runs it, with a store of its own; and what an error must look like."""

import os
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import hypothesis
import pytest

from support.forked import Forking

COMMAND = Path(sys.executable).with_name("rankwise")
FORKING = Forking()
SWIFT = {"OMPI_MCA_btl": "^ofi", "I_MPI_THREAD_YIELD": "2"}
"""Else Open MPI 5 sleeps for a second in each MPI_Init on hosts without fabrics, and ranks of Intel MPI that wait
keep those of other tests from the cores."""
BY_DAY = hypothesis.settings().max_examples <= 25


def environment(home: Path, **changes: str) -> dict[str, str]:
    """This process's variables, with the results under `home`; builds are shared with the user's cache."""
    own = {"RANKWISE_STORE": str(home / "results.sqlite"), "COLUMNS": "80"}
    return {**SWIFT, **os.environ, **own, **changes}


def rankwise(*words: str, home: Path, timeout: float = 100, **changes: str) -> subprocess.CompletedProcess[str]:
    """Run it to its end; by day in a process that has the package loaded, where that makes no difference."""
    argv, variables = [str(COMMAND), *words], environment(home, **changes)
    if BY_DAY and FORKING.can_run(variables):
        return FORKING.run(argv, home, variables, timeout)
    return subprocess.run(
        argv, env=variables, cwd=home, capture_output=True, text=True, timeout=timeout, check=False
    )  # fmt: skip


@contextmanager
def started(*words: str, home: Path, **changes: str) -> Iterator[subprocess.Popen[str]]:
    """Start it and let it run; what still runs at the end is killed.

    Ctrl-C must reach it: where tests run in the background, SIGINT is ignored and that would be inherited.
    """
    with subprocess.Popen(
        ["env", "--default-signal=INT", str(COMMAND), *words], env=environment(home, **changes), cwd=home,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    ) as process:  # fmt: skip
        try:
            yield process
        finally:
            process.kill()


def assert_error(done: subprocess.CompletedProcess[str], code: int, *words: str) -> None:
    """Assert that it ended with this code and an error message that has all of these words and a remedy."""
    assert done.returncode == code, done.stdout + done.stderr
    for word in words:
        assert word in done.stderr
    assert "remedy: " in done.stderr
    assert "Traceback" not in done.stderr


def launches(home: Path) -> int:
    """How many are stored."""
    with sqlite3.connect(home / "results.sqlite") as connection:
        return int(connection.execute("SELECT count(*) FROM launch").fetchone()[0])


def wait_for_launches(home: Path, least: int, running: subprocess.Popen[str]) -> None:
    """Until so many are stored; fails after a minute, or when the command ends before."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and running.poll() is None:
        if (home / "results.sqlite").exists():
            try:
                if launches(home) >= least:
                    return
            except sqlite3.OperationalError:
                pass  # the tables are not there yet
        time.sleep(0.1)
    pytest.fail(f"no {least} launches in a minute; exit code {running.poll()}")
