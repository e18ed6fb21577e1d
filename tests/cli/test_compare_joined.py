"""`rankwise compare --join ... -- ./app` measures a job over several sites beside jobs of one MPI."""

from __future__ import annotations

import json
import signal
import sqlite3
from pathlib import Path

import pytest

from support.abi import compiled, needs_compiler, prepare
from support.command_line import assert_error, rankwise, started, wait_for_launches

pytestmark = [pytest.mark.mpi, needs_compiler, pytest.mark.timeout(600)]
JOIN = "a=mpich-5:1,b=openmpi-5:1"


@pytest.fixture(scope="module", autouse=True)
def _prepared() -> None:
    prepare("openmpi-5", "mpich-5")


def variants(done: str) -> dict[str, int]:
    """How many launches of each have given a value."""
    found = json.loads(done)
    assert not found["failed"], found["failed"]
    return {row["variant"]: row["launches"] for row in found["metrics"]}


def test_a_joined_job_is_a_variant_and_its_segments_are_stored(tmp_path: Path) -> None:
    line = ["compare", "mpich-5", "--join", JOIN, "--time", "6s", "--verify-output", "rank 1 of 2"]
    done = rankwise(*line, "--json", "--", str(compiled("joined_where")), home=tmp_path)
    assert done.returncode == 0, done.stderr
    found = variants(done.stdout)
    joined = next(name for name in found if name.startswith("a="))
    assert joined.startswith("a=mpich-5.") and ",b=openmpi-5." in joined and joined.endswith(":1")
    assert len(found) == 2 and min(found.values()) >= 1
    with sqlite3.connect(tmp_path / "results.sqlite") as stored:
        segments = stored.execute(
            "SELECT launch_id, group_concat(segment.implementation || ' ' || ranks),"
            " count(DISTINCT configuration.id)"
            " FROM segment JOIN configuration ON configuration.id = segment.configuration GROUP BY launch_id"
        ).fetchall()
    several = [text for _, text, configurations in segments if configurations == 2]
    assert len(several) >= found[joined]
    assert all("mpich-5" in text and "openmpi-5" in text and text.count(" 1") == 2 for text in several)
    shown = rankwise("show", home=tmp_path)
    assert shown.returncode == 0 and "a=mpich-5" in shown.stdout, shown.stderr


def test_such_a_run_goes_on(tmp_path: Path) -> None:
    line = ["compare", "mpich-5", "--join", JOIN, "--time", "60s", "--", str(compiled("joined_where"))]
    with started(*line, home=tmp_path) as running:
        wait_for_launches(tmp_path, 2, running)
        running.send_signal(signal.SIGINT)
        assert running.wait(60) == 130
    with started("resume", home=tmp_path) as running:
        wait_for_launches(tmp_path, 4, running)
        running.send_signal(signal.SIGINT)
        assert running.wait(60) == 130
    assert "a=mpich-5" in rankwise("report", home=tmp_path).stdout


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--relay", "--", "APP"], "--relay is for a job over several sites"),
        (["-n", "3", "--join", JOIN, "--", "APP"], "2 and 3 ranks cannot be compared"),
        (["--join", JOIN, "--join", "a=mpich-5:2,b=mpich-5:2", "--", "APP"], "2 and 4 ranks cannot be compared"),
        (["--join", JOIN, "--build", "{mpicc} x.c -o {program}", "--", "APP"], "one program for all sites"),
    ],
)
def test_what_cannot_be_compared_is_said(words: list[str], said: str, tmp_path: Path) -> None:
    line = [str(compiled("joined_where")) if word == "APP" else word for word in words]
    assert_error(rankwise("compare", "mpich-5", *line, home=tmp_path), 2, said)
