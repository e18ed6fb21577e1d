"""Every field of a record has its column: a new field needs a migration."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import numpy as np
import pytest

from rankwise.core.network import EmulatorFigures, LinkCounters, PathFigures
from rankwise.core.records import (
    Benchmark,
    Cell,
    CellFailure,
    Fact,
    Implementation,
    Launch,
    Notice,
    Options,
    Plan,
    Series,
    Timeline,
)  # fmt: skip
from rankwise.store import rows
from rankwise.store.store import Store


@pytest.mark.parametrize(
    ("record", "table"),
    [
        (Plan, "run"), (Implementation, "implementation"), (Benchmark, "benchmark"), (Fact, "fact"),
        (Cell, "cell"), (Options, "cell"), (Launch, "launch"), (Series, "series"), (CellFailure, "failure"),
        (Notice, "notice"), (PathFigures, "path"), (LinkCounters, "link_counters"), (EmulatorFigures, "emulator"),
        (Timeline, "timeline"),
    ],
)  # fmt: skip
def test_every_plain_field_has_a_column(record: type, table: str, tmp_path: Path) -> None:
    path = tmp_path / "results.sqlite"
    Store(path).close()
    raw = sqlite3.connect(path)
    columns = {row[1] for row in raw.execute(f"PRAGMA table_info({table})")}
    raw.close()
    assert set(rows.columns(record)) <= columns, f"table {table} lacks columns: write a migration"


def test_samples_are_little_endian_float64() -> None:
    assert rows.to_blob(np.array([1.0])) == bytes.fromhex("000000000000f03f")
    assert rows.from_blob(bytes.fromhex("000000000000f03f")).tolist() == [1.0]
    assert rows.to_blob(np.array([1.0, 0.0])[::-1]) == bytes(8) + bytes.fromhex("000000000000f03f")
