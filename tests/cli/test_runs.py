"""`rankwise runs` lists every stored run, in 80 columns or in full."""

from __future__ import annotations

import json
from pathlib import Path

from click.testing import CliRunner

from rankwise.cli.runs import command
from rankwise.core.errors import InputError
from rankwise.store.store import Store
from support import stored


def test_the_table_has_every_run_and_fits_80_columns(tmp_path: Path) -> None:
    path = tmp_path / "results.sqlite"
    with Store(path) as store:
        stored.measured(store)
        stored.begin(
            store, "rankwise compare openmpi-5.0.11 mpich-5.0.2 --bench collective --sizes 1:4M --time 1h"
        )
        store.finish_run(2, "interrupted", "Ctrl-C")
        result = CliRunner().invoke(command, ["--store", str(path)], env={"COLUMNS": "80"})
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert lines[0].split() == ["run", "when", "kind", "arguments", "testbed", "MPIs", "launches", "status"]
    assert len(lines) == 3, "one line a run"
    assert max(map(len, lines)) <= 80
    assert lines[1].split()[0] == "1"
    assert lines[1].split()[-3:] == ["1", "3", "complete"]
    assert "…" in lines[2] and lines[2].split()[-1] == "interrupted"


def test_the_long_table_has_everything(tmp_path: Path) -> None:
    path = tmp_path / "results.sqlite"
    with Store(path) as store:
        stored.begin(store, "rankwise compare mpich-5.0.2 --bench collective --sizes 1:4M --time 1h")
        store.finish_run(1, "interrupted", "Ctrl-C")
    result = CliRunner().invoke(command, ["--long", "--store", str(path)], env={"COLUMNS": "80"})
    assert max(map(len, result.stdout.splitlines())) <= 80
    words = result.stdout.replace(",", " ").split()
    for word in ("Ctrl-C", "openmpi-5.0.11", "mpich-5.0.2", "--bench", "collective", "1h"):
        assert word in words


def test_json(tmp_path: Path) -> None:
    path = tmp_path / "results.sqlite"
    with Store(path) as store:
        stored.measured(store)
        created_at = store.run().created_at
    result = CliRunner().invoke(command, ["--json", "--store", str(path)])
    assert json.loads(result.stdout) == [
        {
            "id": 1, "created_at": created_at, "command_line": "rankwise compare --time 1m", "testbed": "local",
            "implementations": ["openmpi-5.0.11"], "cells": 4, "launches": 3, "status": "complete",
            "stopped_because": "precise", "kind": "compare", "parent": 0,
        }
    ]  # fmt: skip


def test_an_empty_store(tmp_path: Path) -> None:
    path = tmp_path / "results.sqlite"
    Store(path).close()
    result = CliRunner().invoke(command, [], env={"RANKWISE_STORE": str(path)})
    assert (result.exit_code, result.stdout) == (0, "")
    assert "no run is stored" in result.stderr
    assert json.loads(CliRunner().invoke(command, ["--json", "--store", str(path)]).stdout) == []


def test_no_store_at_all(tmp_path: Path) -> None:
    result = CliRunner().invoke(command, ["--store", str(tmp_path / "none.sqlite")])
    assert isinstance(result.exception, InputError)
    assert "none.sqlite" in str(result.exception)
