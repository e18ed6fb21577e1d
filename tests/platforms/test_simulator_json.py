"""The simulator accepts every platform that can be written, and takes from it what the platform says."""

import json
import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings

from rankwise.core.errors import UnknownNameError
from rankwise.core.native_programs import program
from rankwise.core.platform import Platform
from rankwise.platforms.simulator_json import model_of, simulator_json
from support.platforms import TWO_SITES, platforms


def simulate(folder: Path, platform: str, job: str) -> "subprocess.CompletedProcess[str]":
    (folder / "platform.json").write_text(platform)
    (folder / "job").write_text(job)
    return subprocess.run(
        [str(program("rankwise-sim")), "--platform", "platform.json", "--job", "job"],
        capture_output=True, text=True, timeout=60, check=False, cwd=folder,
    )  # fmt: skip


@given(platforms())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_every_platform_is_accepted(tmp_path: Path, platform: Platform) -> None:
    done = simulate(tmp_path, simulator_json(platform), "0 0 1\n")
    assert done.returncode == 0, done.stderr


def test_costs_are_those_of_the_platform(tmp_path: Path) -> None:
    done = simulate(tmp_path, simulator_json(TWO_SITES, "none"), "0 1 1000\n")
    assert done.returncode == 0, done.stderr
    # o_s + 1000 o_s_byte + 1000 G + L + o_r
    assert json.loads(done.stdout)["total_seconds"] == pytest.approx(1e-6 + 1e-7 + 8e-6 + 2e-5 + 2e-6, rel=1e-6)


def test_the_model_that_was_asked_for() -> None:
    assert json.loads(simulator_json(TWO_SITES))["model"] == {"name": "alpha-fair", "alpha": 2.5, "kappa": 1.3}
    assert json.loads(simulator_json(TWO_SITES, "flow-cuts", 1e-4))["model"] == {
        "name": "flow-cuts", "outer_cut": 0.5, "mixed_cut": 3.0, "tolerance": 1e-4,
    }  # fmt: skip
    with pytest.raises(UnknownNameError, match="fair"):
        model_of(TWO_SITES, "fair")
