"""A host without any MPI, on which tests put what they need."""

import sys
from pathlib import Path

import pytest

from rankwise.mpi import sources

VARIABLES = ("MPI_HOME", "I_MPI_ROOT", "SPACK_ROOT", "LMOD_CMD", "MODULES_CMD", "RANKWISE_PLUGINS")


def bare_host(folder: Path, patch: pytest.MonkeyPatch) -> Path:
    """Let every source look into `folder` only; returns the folder that is on PATH beside the system's tools."""
    path = folder / "path"
    path.mkdir()
    tools = folder / "tools"
    tools.mkdir()
    for tool in ("sh", "sleep", "cat", "gcc", "cc", "as", "ld", "env"):
        (tools / tool).symlink_to(Path("/usr/bin") / tool)
    patch.setattr(sources, "DEBIAN_FOLDER", folder / "debian")
    patch.setattr(sys, "prefix", str(folder / "venv"))
    patch.setenv("PATH", f"{path}:{tools}")
    patch.setenv("XDG_DATA_HOME", str(folder / "data"))
    patch.setenv("XDG_CACHE_HOME", str(folder / "cache"))
    patch.chdir(folder)
    for variable in VARIABLES:
        patch.delenv(variable, raising=False)
    return path


def script(path: Path, text: str) -> Path:
    """An executable shell script."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/bin/sh\n" + text)
    path.chmod(0o755)
    return path


def fake_mpich(folder: Path, version: str = "9.1", compiling: str = "exit 1", running: str = "exit 1") -> Path:
    """A broken MPICH: its mpicc says who it is, then does `compiling`; its mpiexec does `running`."""
    words = f'[ "$1" = -v ] && {{ echo "mpicc for MPICH version {version}"; exit 0; }}\n'
    script(folder / "mpiexec", running)
    return script(folder / "mpicc", words + compiling)
