"""The harness of the MPI in PATH, built once for all tests here."""

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from support.real_harness import PLUG_INS, build, launched

Launch = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="session")
def harness(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if not (shutil.which("mpicc") and shutil.which("mpiexec")):
        pytest.skip("no mpicc and mpiexec in PATH")
    folder = tmp_path_factory.mktemp("harness")
    plug_ins = []
    for name, text in PLUG_INS.items():
        plug_ins.append(folder / f"{name}.c")
        plug_ins[-1].write_text(text)
    harness = build(*plug_ins)
    listed = subprocess.run([harness, "--list"], capture_output=True, text=True, check=True)
    if "LAM/MPI" in listed.stdout:
        pytest.skip("LAM/MPI needs a booted universe")
    return harness


@pytest.fixture
def launch(harness: Path) -> Launch:
    """Runs the harness with these arguments; `around` are words before it, of a program that starts it."""

    def start(*arguments: str, ranks: int = 2, around: tuple[str, ...] = ()) -> subprocess.CompletedProcess[str]:
        return launched(harness, *arguments, ranks=ranks, around=around)

    return start
