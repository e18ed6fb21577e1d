"""A trace that claims more ranks than there are is refused before anything of that size is made."""

from __future__ import annotations

import json
import tracemalloc
from pathlib import Path

import pytest

from rankwise.analysis.trace.matrix import communication_matrix
from rankwise.analysis.trace.reading import read
from rankwise.core.errors import InputError
from support.made_up_trace import FUNCTIONS, block

META = {
    "format": 1, "rank": 0, "keep": "all", "begin_ns": 0, "host": "h", "boot": "b", "library": "",
    "functions": FUNCTIONS,
}  # fmt: skip


def write(folder: Path, ranks: float) -> Path:
    (folder / "rank-000000.trace").write_bytes(block("M", json.dumps(META | {"ranks": ranks}).encode()))
    return folder


@pytest.mark.parametrize("ranks", [0, -1, 200_000_000, 10**30, float("inf"), float("nan")])
def test_what_no_job_has_is_refused(ranks: float, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="damaged"):
        read(write(tmp_path, ranks))


def test_what_a_job_may_have_takes_little_memory(tmp_path: Path) -> None:
    write(tmp_path, 900_000)
    tracemalloc.start()
    try:
        trace = read(tmp_path)
        with pytest.raises(InputError, match="too large"):
            communication_matrix(trace)
        assert tracemalloc.get_traced_memory()[1] < 20 << 20
    finally:
        tracemalloc.stop()
    assert any("899999 left no readable trace" in one for one in trace.problems)
