"""Applications run as they are in a joined job, and verify their results: kernels of NAS's and coupled models."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from support.abi import compiled_apps, needs_compiler, prepare
from support.command_line import rankwise

pytestmark = [pytest.mark.mpi, needs_compiler, pytest.mark.timeout(900)]
TWO = "rennes=openmpi-5:2,nancy=mpich-5:2"
THREE = "rennes=mpich-5:1,nancy=openmpi-5:2,sophia=intelmpi:1"
SHORT = ["computing=0.001", "bytes=300000"]
"""Of the coupled models."""
MODELS = [
    ["coupled", *SHORT], ["coupled", *SHORT, "both=0"], ["coupled", *SHORT, "turns=1"],
    ["coupled", *SHORT, "hidden=1"],
]  # fmt: skip
KERNELS = [[name, "--class", "S"] for name in ("is", "cg", "lu", "mg", "ft", "ep", "bt", "sp")]


def verified(sites: str, several: list[list[str]], home: Path) -> list[str]:
    """Run these applications one after the other in one joined job; return those that say that they are right."""
    prepare(*(one.partition("=")[2].partition(":")[0] for one in sites.split(",")))
    words = [word for one in several for word in ("then", *one)][1:]
    line = ["run", "-q", "--join", sites, "--limit", "500s", "--", str(compiled_apps()), *words]
    done = rankwise(*line, home=home, timeout=600)
    assert done.returncode == 0, done.stdout + done.stderr
    results = [json.loads(text) for text in done.stdout.splitlines() if text.startswith("{")]
    assert all(one["ranks"] == 4 for one in results)
    return [one["app"] for one in results if one["verified"]]


def test_a_kernel_and_coupled_models(tmp_path: Path) -> None:
    chosen = [KERNELS[0], KERNELS[1], MODELS[0]]
    assert verified(TWO, chosen, tmp_path) == ["is", "cg", "coupled"]


@pytest.mark.nightly
@pytest.mark.parametrize("several", [KERNELS, MODELS], ids=["kernels", "models"])
@pytest.mark.parametrize("sites", [TWO, THREE], ids=["two sites", "three sites"])
def test_all_of_them(sites: str, several: list[list[str]], tmp_path: Path) -> None:
    assert verified(sites, several, tmp_path) == [one[0] for one in several]
