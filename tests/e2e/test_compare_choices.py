"""What `rankwise compare` takes by default, with --thorough and with --profile is what it measures and stores."""

import json
import signal
import time
from pathlib import Path
from typing import Any

import pytest

from rankwise.core.tuning import Setting, Tuning
from rankwise.measurement.launch import list_benchmarks
from rankwise.measurement.plan import DEFAULT_BENCHMARKS
from rankwise.mpi.family import native_of
from rankwise.profiles.writing import write
from support.command_line import rankwise, started, wait_for_launches
from support.mpis import FOUND, harness, working
from support.profiles import part, profile

NAMES = {one.id for one in FOUND}
OURS = next((one.id for one in FOUND if one.family == "mpich" and one.source == "pypi"), "")
pytestmark = [pytest.mark.mpi, pytest.mark.skipif(not OURS, reason="needs the MPICH of PyPI")]

DEFAULT_SIZES = {4**power for power in range(12)}
"""1 B to 4 MiB."""


def shown(home: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(rankwise("show", "--json", home=home).stdout)
    return found


def check_default_plan(run: dict[str, Any]) -> None:
    """Every MPI, the default benchmarks and sizes, three minutes."""
    cells = run["plan"]["cells"]
    assert {cell["implementation"] for cell in cells} == NAMES
    assert {cell["benchmark"] for cell in cells} == set(DEFAULT_BENCHMARKS)
    assert {cell["size_bytes"] for cell in cells if cell["benchmark"] == "pingpong"} == DEFAULT_SIZES
    assert {cell["label"] for cell in cells} == {"default"}
    assert run["plan"]["time_budget_seconds"] == 180
    assert run["baseline"] == "", "it is chosen from what was measured"


@pytest.mark.nightly
def test_without_arguments_every_mpi_is_measured_for_three_minutes(tmp_path: Path) -> None:
    with started("compare", home=tmp_path) as running:
        wait_for_launches(tmp_path, 1, running)
        running.send_signal(signal.SIGINT)
        _, told = running.communicate(timeout=60)
    assert running.returncode == 130, told
    check_default_plan(shown(tmp_path))


@pytest.mark.nightly
@pytest.mark.timeout(400)
def test_without_arguments_to_its_end(tmp_path: Path) -> None:
    began = time.monotonic()
    done = rankwise("compare", home=tmp_path, timeout=380)
    assert done.returncode == 0, done.stderr
    assert time.monotonic() - began < 300
    run = shown(tmp_path)
    check_default_plan(run)
    assert run["run"]["status"] == "complete"
    assert {one["implementation"] for one in run["launches"]} == NAMES
    assert (tmp_path / "rankwise-1.html").is_file()
    assert max(map(len, done.stdout.splitlines())) <= 80
    again = json.loads(rankwise("report", "--json", home=tmp_path).stdout)
    assert again["baseline"] in NAMES
    assert {one["verdict"] for one in again["verdicts"]} > {"undecided"}


@pytest.mark.nightly
def test_thorough_takes_every_benchmark_that_stands_for_itself(tmp_path: Path) -> None:
    done = rankwise("compare", OURS, "--thorough", "--sizes", "8", "-n", "2", "--time", "4s", "-q", home=tmp_path)
    assert done.returncode == 0, done.stderr
    known = list_benchmarks(working(OURS), harness(OURS))
    own = {one.name for one in known if one.category != "guideline"}
    assert {one.name for one in known} > own > set(DEFAULT_BENCHMARKS)
    run = shown(tmp_path)
    assert {cell["benchmark"] for cell in run["plan"]["cells"]} == own
    assert run["launches"]


@pytest.mark.nightly
def test_a_profile_is_compared_with_the_default_and_stored_as_it_was_loaded(tmp_path: Path) -> None:
    tuning = Tuning((Setting("eager-threshold", "131072"),))
    native = native_of(working(OURS), tuning)
    write(profile(part(OURS, native, tuning), name="wan"), tmp_path / "profiles")
    both = ("--profile", "default", "--profile", "wan")
    done = rankwise(
        "compare", OURS, *both, "--bench", "pingpong", "--sizes", "8", "--time", "4s", "--json", home=tmp_path
    )
    assert done.returncode == 0, done.stderr
    (verdict,) = json.loads(done.stdout)["verdicts"]
    assert (verdict["baseline"], verdict["candidate"]) == (OURS, f"{OURS} + wan")
    run = shown(tmp_path)
    loaded = {tuple(one["labels"]): one["configuration"] for one in run["configurations"]}
    assert loaded["default",]["tuning"]["settings"] == []
    assert loaded["wan",]["tuning"]["settings"] == [{"knob": "eager-threshold", "value": "131072"}]
    assert loaded["wan",]["native"]["environment"] == [list(pair) for pair in native.environment]
    (variable, value), ids = native.environment[0], {one["id"] for one in run["configurations"]}
    assert {one["configuration"] for launch in run["launches"] for one in launch["segments"]} == ids
    (wan,) = (one["id"] for one in run["configurations"] if one["labels"] == ["wan"])
    for launch in run["launches"]:
        started_with = f"-genv {variable} {value}" in launch["command"]
        assert started_with == (launch["segments"][0]["configuration"] == wan)
