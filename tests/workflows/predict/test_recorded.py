"""A prediction stands beside what the trace itself recorded, and says what of it is not predicted."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from rankwise.analysis.predict.results import Recorded
from rankwise.analysis.trace.reading import ABOUT, CROWDED
from rankwise.workflows.predict.predictor import PredictRequest, predict
from rankwise.workflows.predict.questions import Files
from support.made_up_trace import NUMBER, write_trace
from support.two_sites import write_two_sites

MS = 1_000_000
SUM = (NUMBER["MPI_Allreduce"], 0, -3, 8, 8)
WRITE = (NUMBER["MPI_File_write_all"], 4000, 0)


@pytest.mark.parametrize("crowded", [False, True])
def test_what_was_recorded_is_beside_it(crowded: bool, tmp_path: Path) -> None:
    (tmp_path / "t").mkdir()
    write_trace(tmp_path / "t", [[(SUM, 2 * MS, 3 * MS), (WRITE, 0, MS)], [(SUM, 0, 5 * MS), (WRITE, 0, MS)]])
    (tmp_path / "t" / ABOUT).write_text(json.dumps({CROWDED: crowded}))
    found = predict(PredictRequest(Files((str(tmp_path / "t"),)), write_two_sites(tmp_path / "platform.toml")))
    assert found.recorded == Recorded(pytest.approx(0.006), crowded)
    assert 0.002 < found.simulation.total_seconds < 0.006
    (notice,) = [one for one in found.notices if one.kind == "left out"]
    assert "file calls" in notice.message and "2 calls" in notice.message
