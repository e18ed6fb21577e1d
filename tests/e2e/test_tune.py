"""A small real search: the knob that is known to act on this network is found, validated, written and loaded."""

import json
import signal
from pathlib import Path

import pytest

from support.command_line import launches, rankwise, started, wait_for_launches
from support.emulated import needs_emulation
from support.mpis import FOUND

LAM = next((one.id for one in FOUND if one.family == "lammpi"), "")
MPICH = next((one.id for one in FOUND if (one.family, one.source) == ("mpich", "pypi")), "")
OPENMPI = next((one.id for one in FOUND if one.family == "openmpi"), "")
pytestmark = [pytest.mark.mpi, needs_emulation]
needs_lam = pytest.mark.skipif(not LAM, reason="no LAM/MPI here")
needs_openmpi = pytest.mark.skipif(not OPENMPI, reason="no Open MPI here")

# 64 KiB, LAM's own socket buffers, are a twentieth of what is on the way here.
TESTBED = """
name = "far"
[nic]
rate = "1 Gbit/s"
[site.west]
nodes = 1
[site.east]
nodes = 1
[[link]]
between = ["west", "east"]
rate = "1 Gbit/s"
delay = "5 ms"
"""

# A root that takes blocks one after the other waits for each over the link; a tree crosses it once.
TWO_BY_TWO = TESTBED.replace("nodes = 1", "nodes = 2")


@needs_lam
@pytest.mark.nightly
@pytest.mark.timeout(300)
def test_a_search_from_beginning_to_end(tmp_path: Path) -> None:
    (tmp_path / "far.toml").write_text(TESTBED)
    told = rankwise(
        "tune", LAM, "--testbed", "far.toml", "--for", "socket-buffers", "--time", "200s", "--name", "far",
        "--json", home=tmp_path, timeout=280,
    )  # fmt: skip
    assert told.returncode == 0, told.stderr
    (part,) = json.loads(told.stdout)["profile"]["parts"]
    assert [setting["knob"] for setting in part["tuning"]["settings"]] == ["socket-buffers"]
    assert {one["verdict"] for one in part["verdicts"]} >= {"faster"}
    assert not any(one["verdict"] == "slower" for one in part["verdicts"])
    assert any(one["words"].startswith("in force") for one in part["verification"])
    assert 0 < part["launches"] <= part["exhaustive_launches"] * 2
    folder = tmp_path / "profiles" / "far"
    assert "socket-buffers" in (folder / "README.md").read_text()
    shown = rankwise("profile", "show", "far", home=tmp_path)
    assert shown.returncode == 0 and "socket-buffers" in shown.stdout
    again = rankwise("tune", LAM, "--testbed", "far.toml", "--name", "far", home=tmp_path)
    assert again.returncode == 2 and "--force" in again.stderr


@needs_openmpi
@pytest.mark.nightly
@pytest.mark.timeout(400)
def test_a_search_among_the_algorithms_of_a_collective(tmp_path: Path) -> None:
    (tmp_path / "far.toml").write_text(TWO_BY_TWO)
    told = rankwise(
        "tune", OPENMPI, "--testbed", "far.toml", "--for", "bcast", "-n", "4", "--sizes", "512K", "--time", "240s",
        "--name", "far", "--json", home=tmp_path, timeout=380,
    )  # fmt: skip
    assert told.returncode == 0, told.stderr
    (part,) = json.loads(told.stdout)["profile"]["parts"]
    assert [one["operation"] for one in part["tuning"]["decisions"]] == ["bcast"], told.stderr
    assert {one["verdict"] for one in part["verdicts"]} >= {"faster"}
    assert not any(one["verdict"] == "slower" for one in part["verdicts"])
    assert "bcast" in (tmp_path / "profiles" / "far" / "README.md").read_text()


# What each node sends is what takes long here: on several ways over the link, no node sends the message twice.
SLOW_NODES = TWO_BY_TWO.replace('[nic]\nrate = "1 Gbit/s"', '[nic]\nrate = "100 Mbit/s"').replace("5 ms", "10 ms")


@pytest.mark.skipif(not MPICH, reason="no MPICH here")
@pytest.mark.nightly
@pytest.mark.timeout(500)
def test_a_schedule_wins_where_no_algorithm_of_the_mpi_is_as_good(tmp_path: Path) -> None:
    (tmp_path / "far.toml").write_text(SLOW_NODES)
    told = rankwise(
        "tune", MPICH, "--testbed", "far.toml", "--for", "bcast", "-n", "4", "--sizes", "64K,1M", "--delta", "0.3",
        "--time", "320s", "--name", "far", "--json", home=tmp_path, timeout=480,
    )  # fmt: skip
    assert told.returncode == 0, told.stderr
    (part,) = json.loads(told.stdout)["profile"]["parts"]
    (decision,) = part["tuning"]["decisions"]
    chosen = [rule["choice"]["algorithm"] for rule in decision["rules"]]
    assert any(one in ("schedule:lanes", "schedule:trees") for one in chosen), told.stderr
    assert not any(one["verdict"] == "slower" for one in part["verdicts"])
    said = [one["words"] for one in part["verification"] if one["subject"].endswith("by schedules")]
    assert len(said) == 1 and said[0].startswith("in force")
    assert (tmp_path / "profiles/far" / MPICH / "rankwise-overlay.so").exists()


@needs_openmpi
@pytest.mark.nightly
def test_an_interrupted_search_goes_on_to_its_profile(tmp_path: Path) -> None:
    words = ("tune", OPENMPI, "--for", "bcast,allreduce,alltoall", "-n", "2", "--time", "60s", "--name", "shm")
    with started(*words, home=tmp_path) as running:
        wait_for_launches(tmp_path, 2, running)
        running.send_signal(signal.SIGINT)
        _, told = running.communicate(timeout=60)
    assert running.returncode == 130, told
    assert "rankwise resume 1" in told
    kept = launches(tmp_path)
    refused = rankwise("compare", "--resume", "1", home=tmp_path)
    assert refused.returncode == 2 and "rankwise resume 1" in refused.stderr
    resumed = rankwise("tune", "--resume", "1", "--json", home=tmp_path)
    told = json.loads(resumed.stdout)
    assert told["profile"]["name"] == "shm" and resumed.returncode == (0 if told["folder"] else 1), resumed.stderr
    runs = json.loads(rankwise("runs", "--json", home=tmp_path).stdout)
    assert [run["kind"] for run in runs[:1]] == ["search"] and runs[0]["launches"] > kept
    assert {(run["kind"], run["parent"]) for run in runs[1:]} <= {("validation", 1)}
    assert (tmp_path / "profiles" / "shm" / "profile.toml").is_file() is bool(told["folder"])


@needs_lam
def test_too_little_time_is_said_before_and_changes_nothing(tmp_path: Path) -> None:
    told = rankwise(
        "tune", LAM, "--for", "eager-threshold-shm", "--time", "1s", "--name", "hasty", home=tmp_path,
    )  # fmt: skip
    assert told.returncode == 1, told.stderr
    assert "warning: " in told.stderr and "eager" in told.stderr and "--time" in told.stderr
    assert "left as it is" in told.stdout
    assert not (tmp_path / "profiles").exists(), "there is nothing to load"
