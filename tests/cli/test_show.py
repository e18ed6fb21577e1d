"""`rankwise show` tells all that a stored run knows of itself."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from rankwise.cli.show import command
from rankwise.core.errors import InputError, UnknownNameError
from rankwise.core.records import Fact, Notice
from rankwise.stats.intervals import median_interval
from rankwise.store.store import Store
from support import stored


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A resumed run of 7 launches, one of which failed, after another run."""
    path = tmp_path / "results.sqlite"
    with Store(path) as store:
        stored.measured(store, launches=1, command_line="rankwise bench allreduce")
        run_id = stored.begin(store)
        store.add_notices(run_id, [Notice("few", "few launches", "use --time 5m")])
        for number in range(6):
            store.add_launch(run_id, stored.make_launch(number))
        store.finish_run(run_id, "interrupted", "Ctrl-C")
        store.resume_run(run_id, [stored.FACTS[0], Fact("governor", "powersave")])
        store.add_launch(
            run_id, replace(stored.make_launch(6, status="timed out"), reason="timed out after 120 s")
        )
        store.finish_run(run_id, "complete", "time budget")
    return path


def show(path: Path, *arguments: str) -> str:
    result = CliRunner().invoke(command, [*arguments, "--store", str(path)], env={"COLUMNS": "80"})
    assert result.exit_code == 0, result.exception
    return result.stdout


def test_the_newest_run_for_people(path: Path) -> None:
    text = show(path)
    assert max(map(len, text.splitlines())) <= 80
    lines = [" ".join(line.split()) for line in text.splitlines()]
    assert lines[0] == "Run 2"
    assert "status complete: time budget" in lines
    assert "time 10 s of 1 min" in lines
    assert "mpiexec arguments --bind-to none" in lines
    assert "openmpi-5.0.11 Open MPI v5.0.11 7 1 10 s" in lines
    assert "allreduce 2 1 B openmpi-5.0.11 6 3.79 us 66.0%" in lines
    assert "operation=max" in lines
    assert "1 openmpi-5.0.11 all of a launch timed out timed out after 120 s" in lines
    assert "6 openmpi-5.0.11 allreduce wrong data wrong sum" in lines
    assert "7 the host is noisy stop other programs" in lines
    assert "1 few launches use --time 5m" in lines
    assert "governor performance" in lines
    assert "governor (resumption 1) powersave" in lines
    assert not any(line.startswith("kernel (resumption") for line in lines), "only what changed"


def test_another_run_by_its_id(path: Path) -> None:
    assert "rankwise bench allreduce" in show(path, "1")
    assert "Warnings" in show(path, "1")


def test_json(path: Path) -> None:
    shown = json.loads(show(path, "2", "--json"))
    assert (shown["run"]["id"], shown["baseline"], shown["spent_seconds"]) == (2, "openmpi-5.0.11", 10.5)
    assert shown["plan"]["seed"] == 7
    assert [launch["status"] for launch in shown["launches"]] == ["finished"] * 6 + ["timed out"]
    assert shown["launches"][6]["reason"] == "timed out after 120 s"
    assert shown["launches"][0]["environment"] == {"OMP": "1"}
    medians = np.array([np.median(stored.make_launch(number).series[0].samples_seconds) for number in range(6)])
    low, high = median_interval(medians)
    cell = shown["cells"][0]
    assert cell["cell"]["size_bytes"] == 1
    assert cell["cell"]["options"]["operation"] == "max"
    assert (cell["launches"], cell["samples"]) == (6, 30)
    assert (cell["median_seconds"], cell["low_seconds"], cell["high_seconds"]) == (np.median(medians), low, high)


def test_a_run_of_which_nothing_is_known_yet(tmp_path: Path) -> None:
    with Store(tmp_path / "results.sqlite") as store:
        stored.begin(store)
        text = show(store.path)
    assert "running" in text
    assert "Measured" not in text


def test_an_unknown_run(path: Path) -> None:
    result = CliRunner().invoke(command, ["12", "--store", str(path)])
    assert isinstance(result.exception, UnknownNameError)


def test_what_each_launch_loaded_is_told(tmp_path: Path) -> None:
    path = tmp_path / "results.sqlite"
    with Store(path) as store:
        stored.configured(store)
    text = show(path)
    assert max(map(len, text.splitlines())) <= 80
    words = " ".join(text.split())
    assert f"{stored.CONFIGURATION.id} wan 1 eager-threshold = 65536" in words
    shown = json.loads(show(path, "--json"))
    (segment,) = shown["launches"][0]["segments"]
    assert segment["configuration"] == shown["configurations"][0]["id"] == stored.CONFIGURATION.id
    assert shown["configurations"][0]["configuration"]["tuning"]["settings"] == [
        {"knob": "eager-threshold", "value": "65536"}
    ]


@pytest.fixture
def printed(tmp_path: Path) -> Path:
    """A launch that failed, one that finished and printed a warning, and one that printed nothing."""
    path = tmp_path / "printed.sqlite"
    with Store(path) as store:
        run_id = stored.begin(store)
        failed = replace(stored.make_launch(0, status="failed"), reason="exit code 7: no mesh")
        store.add_launch(run_id, replace(failed, stdout="step 1\n\0\n", stderr="no mesh\nno \ufffd cells\n"))
        store.add_launch(run_id, replace(stored.make_launch(1), stderr="WARNING: degraded\n"))
        store.add_launch(run_id, stored.make_launch(2))
    return path


def test_what_launches_printed_is_shown_whole(printed: Path) -> None:
    lines = show(printed, "--launch", "all").splitlines()
    assert {"step 1", "no mesh", "WARNING: degraded"} <= set(lines)
    assert any("exit code 7: no mesh" in line for line in lines)
    assert not any("launch 3" in line for line in lines), "it printed nothing"


def test_what_one_launch_printed_is_shown(printed: Path) -> None:
    assert "WARNING: degraded" in show(printed, "--launch", "2")
    assert "no mesh" not in show(printed, "--launch", "2")
    assert "launch 3" in show(printed, "--launch", "3")
    result = CliRunner().invoke(command, ["--launch", "4", "--store", str(printed)])
    assert isinstance(result.exception, InputError)


def test_json_has_what_launches_printed(printed: Path) -> None:
    launches = json.loads(show(printed, "--json"))["launches"]
    assert launches[0]["stdout"] == "step 1\n\0\n" and launches[0]["stderr"] == "no mesh\nno \ufffd cells\n"


def test_one_launch_has_no_interval(path: Path) -> None:
    cells = json.loads(show(path, "1", "--json"))["cells"]
    assert cells and all(one["low_seconds"] is None and one["high_seconds"] is None for one in cells)
    assert "±0.0%" not in show(path, "1") and "0.0%" not in show(path, "1")
