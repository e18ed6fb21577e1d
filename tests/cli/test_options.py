"""Shared options: what cannot be read is a usage error that names the option; JSON stays JSON."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import click
import numpy as np
import pytest
from click.testing import CliRunner

from rankwise.cli.answer import print_json
from rankwise.cli.main import rankwise
from rankwise.cli.options import DURATION, SIZE, SIZES, store_option
from rankwise.core.records import Fact


@click.command
@click.option("--sizes", type=SIZES, default="1:16")
@click.option("--largest", type=SIZE, default=7)
@click.option("--time", type=DURATION, default="3m")
def verb(sizes: tuple[int, ...], largest: int, time: float) -> None:
    click.echo(repr((sizes, largest, time)))


def test_values_and_defaults_are_parsed() -> None:
    assert CliRunner().invoke(verb, []).stdout == "((1, 4, 16), 7, 180.0)\n"
    words = ["--sizes", "1K,8", "--largest", "2M", "--time", "1m30s"]
    assert CliRunner().invoke(verb, words).stdout == "((8, 1024), 2097152, 90.0)\n"


@pytest.mark.parametrize(("option", "value"), [("--sizes", "9:1"), ("--largest", "big"), ("--time", "soon")])
def test_a_value_that_makes_no_sense_is_a_usage_error(option: str, value: str) -> None:
    result = CliRunner().invoke(verb, [option, value])
    assert result.exit_code == 2
    assert f"Invalid value for '{option}': '{value}' is not a" in result.stderr
    assert "write " in result.stderr


@pytest.mark.parametrize(
    "line",
    ["run -n 99999999999 -- app", "trace -n 99999999999 -- app", "bench bcast -n 4,99999999999",
     "compare -n 99999999999", "compare -n 1000001 -- app", "guidelines -n 99999999999", "npb is -n 99999999999",
     "ray2mesh -n 99999999999", "coupled -n 99999999999", "tune -n 4,99999999999", "doctor -n 99999999999",
     "schedule synthesise bcast -n 99999999999"],
)  # fmt: skip
def test_more_ranks_than_any_job_has_are_a_usage_error(line: str) -> None:
    result = CliRunner().invoke(rankwise, line.split())
    assert result.exit_code == 2
    assert "1000000" in result.stderr


@pytest.mark.parametrize("text", ["0", "-3", "vier", "4,", "2,1,0"])
@pytest.mark.parametrize("verb", ["compare", "run", "tune"])
def test_what_is_not_a_number_of_ranks_is_a_usage_error(verb: str, text: str) -> None:
    result = CliRunner().invoke(rankwise, [verb, "-n", text])
    assert result.exit_code == 2
    assert "Invalid value for '-n'" in result.stderr


def test_the_store_comes_from_the_option_or_the_variable_or_the_default(tmp_path: Path) -> None:
    @click.command
    @store_option
    def where(store: Path) -> None:
        click.echo(store)

    run = CliRunner().invoke
    home = {"XDG_DATA_HOME": str(tmp_path), "RANKWISE_STORE": None}
    assert run(where, [], env=home).stdout == f"{tmp_path}/rankwise/results.sqlite\n"
    assert run(where, [], env={"RANKWISE_STORE": "there"}).stdout == "there\n"
    assert run(where, ["--store", "here"], env={"RANKWISE_STORE": "there"}).stdout == "here\n"


def test_records_arrays_and_what_is_no_number(capsys: pytest.CaptureFixture[str]) -> None:
    @dataclass
    class Answer:
        fact: Fact
        numbers: tuple[float, ...]

    print_json(
        {"answer": Answer(Fact("a", "µ"), (1.5, float("nan"))), "array": np.array([1, 2]), "path": Path("x")}
    )
    assert json.loads(capsys.readouterr().out) == {
        "answer": {"fact": {"key": "a", "value": "µ"}, "numbers": [1.5, None]},
        "array": [1, 2],
        "path": "x",
    }
