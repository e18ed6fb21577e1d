"""Programs of the standard ABI, and of one MPI: compiled once, started on any implementation as a user does."""

import os
import shlex
import subprocess
from functools import cache
from pathlib import Path

import pytest

from rankwise.core import paths
from support.mpis import FOUND, working

SOURCES = Path(__file__).parent.parent / "abi"
_FOLDERS = (SOURCES, SOURCES.parent / "interpose")
IDS = [one.id for one in FOUND]
_COMPILERS = [
    Path(one.mpicc).with_name("mpicc_abi") for one in FOUND if Path(one.mpicc).with_name("mpicc_abi").exists()
]
needs_compiler = pytest.mark.skipif(not _COMPILERS, reason="no MPI here has mpicc_abi")


def can_be_seen(own: str, implementation: str) -> bool:
    """Whether whoever runs the ranks can read the program's own MPI: LAM/MPI runs root's jobs as nobody."""
    prefix = next(one.prefix for one in FOUND if one.id == own)
    return not (implementation.startswith("lammpi") and os.getuid() == 0 and prefix.startswith("/root"))


@cache
def compiled(name: str, *, binding_path: bool = False) -> Path:
    """Return NAME.c of tests/abi or tests/interpose as one program for all implementations.

    It is where LAM/MPI's nobody can start it too.

    `binding_path`: MPICH's folder is in the program so that LD_LIBRARY_PATH does not come before it (DT_RPATH).
    """
    folder = paths.cache_folder() / "tests-abi" / ("rpath" if binding_path else "runpath")
    folder.mkdir(parents=True, exist_ok=True)
    program = folder / name
    source = next(path for path in (one / f"{name}.c" for one in _FOLDERS) if path.exists())
    newest = max(one.stat().st_mtime for one in (source, SOURCES / "traps.h"))
    if not program.exists() or program.stat().st_mtime < newest:
        partial = program.with_suffix(f".{os.getpid()}")
        line = [str(_COMPILERS[0]), "-show", "-std=gnu99", "-O1", "-o", str(partial), str(source)]
        shown = subprocess.run(line, check=True, capture_output=True, text=True, timeout=100).stdout
        if binding_path:
            shown = shown.replace("--enable-new-dtags", "--disable-new-dtags")
        subprocess.run(shlex.split(shown), check=True, capture_output=True, timeout=100)
        partial.replace(program)
    return program


@cache
def native(name: str, implementation_id: str) -> Path:
    """Return tests/abi/NAME.c or NAME.f90 as a program of one implementation, as its own compiler links it."""
    folder = paths.cache_folder() / "tests-abi" / implementation_id
    folder.mkdir(parents=True, exist_ok=True)
    one = working(implementation_id)
    fortran = (SOURCES / f"{name}.f90").exists()
    source = SOURCES / f"{name}.{'f90' if fortran else 'c'}"
    compiler = one.mpicc.replace("mpicc", "mpifort") if fortran else one.mpicc
    program, options = folder / name, ["-O1", "-w"] if fortran else ["-O1", "-w", "-std=gnu99"]
    newest = max(file.stat().st_mtime for file in (source, SOURCES / "traps.h"))
    if not program.exists() or program.stat().st_mtime < newest:
        partial = program.with_suffix(f".{os.getpid()}")
        line = [compiler, *options, "-o", str(partial), str(source)]
        environment = {**os.environ, **dict(one.environment)}
        subprocess.run(line, check=True, capture_output=True, timeout=100, env=environment)
        partial.replace(program)
    return program
