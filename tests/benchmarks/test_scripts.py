"""Every figure in benchmarks/README.md can be measured again: each script runs, with its smallest arguments."""

from __future__ import annotations

import importlib
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
SMALLEST = {  # script: arguments, what it prints
    "same_against_same": (["mpich-5", "--plans", "1", "--launches", "2", "--sizes", "8"], "against itself: "),
    "harness_cost": (["mpich-5", "--launches", "1"], "empty / barrier"),
    "plan_beside_before": (
        [
            str(Path(sys.executable).with_name("rankwise")),
            "mpich-5",
            "openmpi-5",
            "--time",
            "1s",
            "--rounds",
            "1",
            "--bench",
            "barrier",
        ],
        "times as many",
    ),
    "tune_truth": (
        ["mpich-5", "--searches", "1", "--launches", "1", "--sizes", "1K", "--ranks", "2"],
        "all alike",
    ),
    "schedule_generation": (["--ranks", "1024", "--repeats", "1", "--operation", "bcast"], "bcast.binomial"),
    "overlay_cost": (["mpich-5", "--launches", "1", "--calls", "10"], "rules that never hold +"),
    "executor_cost": (
        [
            *("mpich-5", "openmpi-5", "-n", "2", "--sizes", "8", "--launches", "1", "--seconds", "0.02"),
            *("--pairs", "bcast.binomial,allreduce.recursive_doubling"),
        ],
        "openmpi-5.0.11: allreduce.recursive_doubling, natively recursive_doubling",
    ),
    "tracer_overhead": (["mpich-5", "--launches", "1", "--calls", "1000"], "  summary "),
    "tracer_run_time": (
        ["mpich-5", "--kernels", "is", "--class", "S", "-n", "2", "--launches", "1", "--repeats", "1"],
        "mpich-5.0.2: is ",
    ),
    "npb_messages": (["cg", "--class", "S", "-n", "2", "--mpi", "mpich-5"], "| messages 1664 x 8 B, "),
    "wan_collectives": (
        [
            *("mpich-5", "-n", "4", "--placements", "block", "--cells", "bcast:8,allreduce:8", "--launches", "1"),
            *("--seconds", "0.02", "--schedules", "binomial,lanes"),
            *("--file", str(BENCHMARKS.parent / "examples" / "own_algorithm.py"), "--congestion-control", "reno"),
        ],
        "allreduce.file:own_algorithm over mpich-5.0.2 default under reno: ",
    ),
    "beside_gloo": (["openmpi-5", "--cells", "allreduce:1K", "--launches", "1"], "gloo / this"),
    "simulator_beside_peers": (["--rounds", "1", "--scale", "0.01"], "binomial bcast of 10000 ranks"),
    "prediction_accuracy": (
        ["mpich-5", "--patterns", "2", "--flows", "10", "--fit-launches", "1"],
        "23 patterns measured",
    ),
    "tolerance_beside_emulator": (
        ["mpich-5", "--launches", "1", "--delays", "2,6", "--iterations", "20", "--fit-time", "0"],
        "the whole: predicted",
    ),
    "trace_prediction": (
        ["mpich-5", "--launches", "1", "--testbeds", "two-clusters", "--programs", "cg,halo", "--fit-time", "0"],
        "predicted over measured",
    ),
    "sites_prediction": (
        [
            *("mpich-5", "--patterns", "1", "--flows", "2", "--schedules", "bcast.binomial", "--sizes", "64K"),
            *("--launches", "1", "--fit-time", "0", "--models", "alpha-fair"),
        ],
        "packets late by ",
    ),
    "abi_cost": (["mpich-5", "--turns", "1", "--calls", "1000"], "Comm_rank "),
    "mapping_beside_peers": (
        ["--graphs", "halo-4x4", "--repeats", "1", "--programs", "halo", "--time", "0.5s"],
        "| halo, cluster |",
    ),
    "mapping_measured": (
        ["--programs", "halo", "--networks", "cluster", "--ranks", "4", "--time", "5s", "--search", "0.2s"],
        "| halo, cluster |",
    ),
    "joined_cost": (
        ["openmpi-5", "mpich-5", "--turns", "1", "--passes", "2", "--rounds", "10", "--sizes", "8", "--encrypt"],
        "encrypted",
    ),
    "relay_cost": (
        ["openmpi-5", "mpich-5", "--turns", "1", "--passes", "2", "--rounds", "10", "--sizes", "8"],
        "two relays",
    ),
    "joined_collectives": (
        [
            *("--join", "rennes=mpich-5:2,nancy=openmpi-5:1", "--cells", "barrier:0,bcast:8,allreduce:64K"),
            *("--launches", "1", "--seconds", "0.02"),
        ],
        "the bound in ",
    ),
    "relay_under_strangers": (["--seconds", "1", "--kinds", "silent"], "no link was broken"),
    "beside_imb": (["--launches", "1", "--seconds-per-cell", "0.001"], "MiB"),
}
ONLY_ITS_HELP = {
    "link_beside_peers": "takes minutes beside other emulators that are not installed everywhere",
    "tune_beside_before": "takes another version, which has tests of its own, and minutes",
    "tune_beside_mpitune": "takes half an hour and a profile",
    "tune_wan_gains": "takes minutes for each network and MPI",
}
NO_SCRIPT = {
    "link_peers",
    "mapping_peers",
    "mapping_programs",
    "simulator_schedules",
    "smpi_flows",
    "wan_bounds",
    "wan_candidates",
}
pytestmark = [pytest.mark.mpi, pytest.mark.timeout(200)]


def run(name: str, *arguments: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(BENCHMARKS / f"{name}.py"), *arguments], cwd=folder, capture_output=True, text=True,
        timeout=190, check=False,
    )  # fmt: skip


def test_none_is_left_out() -> None:
    assert {path.stem for path in BENCHMARKS.glob("*.py")} == {*SMALLEST, *ONLY_ITS_HELP, *NO_SCRIPT}


NIGHTLY = {
    "plan_beside_before": "comparisons of MPIs",
    "tune_truth": "searches that switch between algorithms",
    "prediction_accuracy": "fits",
    "mapping_measured": "launches with the placements that `rankwise map` finds",
    "trace_prediction": "recording and predicting programs on testbeds; sites_prediction uses its functions",
    "joined_cost": "joined jobs",
    "relay_cost": "joined jobs by two relays; relay_under_strangers has two relays by day too",
    "same_against_same": "comparisons of MPIs",
    "executor_cost": "launches of schedules beside the MPI's own",
    "wan_collectives": "launches of schedules on testbeds",
    "joined_collectives": "benchmarks on joined jobs, on testbeds too",
    "abi_cost": "programs of the standard ABI on MPIs",
    "beside_imb": "launches of the harness",
    "beside_gloo": "launches of schedules on testbeds",
    "tolerance_beside_emulator": "recording on testbeds, predictions of the tolerance, other delays",
}
"""What they start, other tests do by day; that they begin at all, and that types fit, is looked at by day."""


@pytest.mark.parametrize(
    "name", [pytest.param(one, marks=pytest.mark.nightly if one in NIGHTLY else ()) for one in SMALLEST]
)
def test_it_runs(name: str, tmp_path: Path) -> None:
    arguments, told = SMALLEST[name]
    done = run(name, *arguments, folder=tmp_path)
    assert "Traceback" not in done.stderr, done.stderr
    assert told in done.stdout, done.stdout + done.stderr


@pytest.mark.parametrize("name", [*ONLY_ITS_HELP, *NIGHTLY])
def test_it_starts(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(BENCHMARKS)
    done = CliRunner().invoke(importlib.import_module(name).main, ["--help"])
    assert done.exit_code == 0 and "Usage: " in done.stdout, done.output
