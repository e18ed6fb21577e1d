"""Signals that come all the time, as a profiler's do, keep no process from joining and no message back."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from support.abi import compiled, needs_compiler, prepare
from support.command_line import rankwise

pytestmark = [pytest.mark.mpi, needs_compiler, pytest.mark.timeout(600)]


@pytest.mark.parametrize("how", ["", "--relay", "--encrypt"])
@pytest.mark.parametrize("action", ["restart", "interrupt"])
def test_a_timer_keeps_nobody_from_joining(how: str, action: str, tmp_path: Path) -> None:
    prepare("mpich-5", "openmpi-5")
    program = str(compiled("joined_timer"))
    line = ["run", "-q", "--join", "a=mpich-5:2,b=openmpi-5:2", *how.split(), "--limit", "100s", "--", program]
    done = rankwise(*line, action, home=tmp_path, timeout=150)
    assert done.returncode == 0, done.stdout + done.stderr
    assert len(re.findall(r"^rank \d: 0 wrong, signals: many$", done.stdout, re.MULTILINE)) == 4, done.stdout
