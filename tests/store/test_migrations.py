"""A store that an earlier Rankwise wrote opens, lists, compares and exports as before."""

from __future__ import annotations

import io
import sqlite3
from pathlib import Path

import numpy as np
import pytest

from rankwise.store import connection
from rankwise.store.export import LinkTable, Table, TimelineTable, export
from rankwise.store.store import Store
from rankwise.workflows import answer

RUNS = (  # command, status, cells planned as (label, size), launches as (label or None, size)
    ("rankwise compare mpich --profile default --profile wan", "complete", "default wan", "default wan"),
    ("rankwise tune mpich", "complete", "", "eager: default|eager: eager-threshold=65536"),
    ("rankwise tune mpich", "complete", "default wan", "default wan"),
    ("rankwise guidelines mpich", "complete", "default", "default"),
    ("rankwise bench pingpong", "complete", "default", "default"),
    ("rankwise compare", "interrupted", "default", "default"),
    ("rankwise tune mpich", "interrupted", "", ""),
)
ROUNDS = 6


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A store of version 3, made by its own migrations and by plain SQL."""
    path = tmp_path / "results.sqlite"
    raw = sqlite3.connect(path, isolation_level=None)
    for number, script in connection.migrations():
        if number <= 3:
            raw.executescript(script)
    raw.executescript(f"PRAGMA application_id = {connection.APPLICATION_ID}; PRAGMA user_version = 3;")
    for run_id, (command, status, planned, launched) in enumerate(RUNS, start=1):
        _insert_run(raw, run_id, command, status)
        cells = {
            label: _insert_cell(raw, run_id, label, position) for position, label in enumerate(planned.split())
        }
        labels = launched.split("|") if "|" in launched else launched.split()
        for number in range(ROUNDS):
            for label in labels:
                cell = (
                    cells.setdefault(label, _insert_cell(raw, run_id, label, None))
                    if label not in cells
                    else cells[label]
                )
                _insert_launch(raw, run_id, cell, (1e-5 if "default" in label else 5e-6) * (1 + number / 100))
    raw.close()
    return path


def _insert_run(raw: sqlite3.Connection, run_id: int, command: str, status: str) -> None:
    raw.execute(
        "INSERT INTO run VALUES (?, 1.7e9, ?, 'local', 'mpich-5.0.2', ?, 'precise', 'host', '1-1', "
        "1.7e9, '7', 60, 0.02, 10, 60, 0, 0.01, 120, NULL)",
        [run_id, command, status],
    )
    raw.execute(
        "INSERT INTO implementation VALUES (?, 0, 'mpich-5.0.2', 'mpich', '5.0.2', '/p', 'mpicc', 'mpiexec', "
        "'pypi', 'MPICH 5.0.2', '', '', 'works', '', '')",
        [run_id],
    )
    raw.execute(
        "INSERT INTO benchmark VALUES (?, 0, 'bcast', 'collective', 'one to all', 1, '', 1, 1, 0, 1)", [run_id]
    )
    if "--profile" in command:
        raw.execute("INSERT INTO run_profile VALUES (?, 0, 'wan', '/profiles/wan')", [run_id])


def _insert_cell(raw: sqlite3.Connection, run_id: int, label: str, position: int | None) -> int:
    cursor = raw.execute(
        "INSERT INTO cell (run_id, plan_position, implementation, benchmark, size_bytes, ranks, profile, testbed, "
        "placement, datatype, layout, operation, root, cold_cache, window) VALUES (?, ?, 'mpich-5.0.2', 'bcast', "
        "8, 2, ?, 'local', 'block', 'byte', 'contiguous', 'sum', '0', 0, 64)",
        [run_id, position, label],
    )
    return cursor.lastrowid or 0


def _insert_launch(raw: sqlite3.Connection, run_id: int, cell: int, seconds: float) -> None:
    launch = raw.execute(
        "INSERT INTO launch (run_id, implementation, ranks, status, command, started_at, seconds, reason, "
        "stderr_tail, oversubscribed, yielding, clock) VALUES (?, 'mpich-5.0.2', 2, 'finished', 'mpiexec -n 2', "
        "1.7e9, 1, '', '', 0, '', 'shared')",
        [run_id],
    ).lastrowid
    blob = np.full(5, seconds).astype("<f8").tobytes()
    raw.execute("INSERT INTO series VALUES (?, 0, ?, 'time', 8, 1, 0, ?)", [launch, cell, blob])
    raw.execute("INSERT INTO launch_environment VALUES (?, 0, 'A', 'b')", [launch])


def test_every_run_is_listed_with_its_kind(path: Path) -> None:
    with Store(path) as store:
        runs = store.runs()
    assert [run.kind for run in runs] == [
        "compare", "search", "validation", "guidelines", "bench", "compare", "search"
    ]  # fmt: skip
    assert [run.command_line for run in runs] == [command for command, *_ in RUNS]
    assert [run.launches for run in runs] == [12, 12, 12, 6, 6, 6, 0]
    assert [run.status for run in runs][-2:] == ["interrupted", "interrupted"]


def test_launches_have_their_one_segment(path: Path) -> None:
    with Store(path) as store:
        launch = store.launches(1)[0]
    assert (launch.implementation, launch.ranks, launch.environment) == ("mpich-5.0.2", 2, (("A", "b"),))
    assert len(launch.segments) == 1 and launch.segments[0].configuration == ""
    assert launch.series[0].samples_seconds.tolist() == [1e-5] * 5


def test_trials_and_their_stages_are_told_apart(path: Path) -> None:
    with Store(path) as store:
        launches = store.launches(2)
        others = store.launches(1)
    assert {launch.stage for launch in launches} == {"eager"}
    assert {one.cell.label for launch in launches for one in launch.series} == {"default", "eager-threshold=65536"}
    assert {launch.stage for launch in others} == {""}


def test_profiles_are_compared_as_before(path: Path) -> None:
    with Store(path) as store:
        comparison = answer.compare_run(store, 1)
        context = answer.comparison_context(store, 1, comparison)
    assert any("wan" in sentence for sentence in context.sentences), "its folder is still known"
    (verdict,) = comparison.verdicts
    assert (verdict.baseline, verdict.candidate) == ("mpich-5.0.2", "mpich-5.0.2 + wan")
    assert verdict.ratio == pytest.approx(0.5)


@pytest.mark.parametrize("table", [Table, TimelineTable, LinkTable])
def test_it_is_exported(path: Path, table: type[Table]) -> None:
    text = io.StringIO()
    with Store(path) as store:
        export(table(store, 1), "csv", text)
    lines = text.getvalue().splitlines()
    assert len(lines) == (1 + 12 * 5 if table is Table else 1)
    if table is Table:
        assert "label" in lines[0].split(",") and ",wan," in lines[-1]
