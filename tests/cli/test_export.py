"""`rankwise export` writes to standard output or to a file, never over one unasked."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

import pytest
from click.testing import CliRunner

from rankwise.cli.export import command
from rankwise.core.errors import InputError
from rankwise.core.records import TimelineQuantity
from rankwise.store.store import Store
from support import stored


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "results.sqlite"
    with Store(path) as store:
        stored.measured(store, launches=1)
        stored.measured(store, launches=2, make=stored.networked_launch)
    return path


def test_the_newest_run_as_csv_on_stdout(path: Path) -> None:
    result = CliRunner().invoke(command, ["--store", str(path)])
    assert (result.exit_code, result.stderr) == (0, "")
    lines = result.stdout.splitlines()
    assert lines[0].startswith("run,launch,")
    assert len(lines) == 1 + 2 * 4 * 5
    assert all(line.startswith("2,") for line in lines[1:])


def test_medians_of_another_run_as_json_lines_in_a_file(path: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    result = CliRunner().invoke(
        command, ["1", "--format", "jsonl", "--medians", "-o", str(out), "--store", str(path)]
    )
    assert (result.exit_code, result.stdout) == (0, "")
    lines = out.read_text().splitlines()
    assert len(lines) == 4
    assert all(line.startswith('{"run": 1, ') for line in lines)


@pytest.mark.parametrize(
    ("rows", "count", "column"),
    [("timelines", 2 * len(get_args(TimelineQuantity)) * 6, "value"), ("links", 2 * 2, "link")],
)
def test_other_rows_of_the_newest_run(path: Path, rows: str, count: int, column: str) -> None:
    result = CliRunner().invoke(command, ["--rows", rows, "--store", str(path)])
    assert (result.exit_code, result.stderr) == (0, "")
    header, *lines = result.stdout.splitlines()
    assert column in header.split(",")
    assert len(lines) == count
    assert all(line.startswith("2,") for line in lines)


@pytest.mark.parametrize("rows", ["timelines", "links"])
def test_medians_are_of_samples_only(path: Path, rows: str) -> None:
    result = CliRunner().invoke(command, ["--rows", rows, "--medians", "--store", str(path)])
    assert isinstance(result.exception, InputError)
    assert f"--medians is for samples, not for {rows}" in str(result.exception)
    assert result.stdout == ""


def test_unknown_rows_are_a_usage_error(path: Path) -> None:
    result = CliRunner().invoke(command, ["--rows", "packets", "--store", str(path)])
    assert result.exit_code == 2
    assert "'samples', 'timelines', 'links'" in result.stderr


def test_parquet_is_not_written_to_a_terminal(path: Path) -> None:
    result = CliRunner().invoke(command, ["--format", "parquet", "--store", str(path)])
    assert isinstance(result.exception, InputError)
    assert "-o FILE.parquet" in result.exception.remedy


def test_an_unknown_format_is_a_usage_error(path: Path) -> None:
    result = CliRunner().invoke(command, ["--format", "xlsx", "--store", str(path)])
    assert result.exit_code == 2
    assert "'csv', 'jsonl', 'parquet'" in result.stderr
