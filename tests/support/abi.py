"""Programs of the standard ABI: compiled once, started on any implementation as a user starts them."""

import os
import shlex
import subprocess
from functools import cache
from pathlib import Path

import pytest

from rankwise.core import paths
from support.mpis import FOUND

SOURCES = Path(__file__).parent.parent / "abi"
IDS = [one.id for one in FOUND]
_COMPILERS = [
    Path(one.mpicc).with_name("mpicc_abi") for one in FOUND if Path(one.mpicc).with_name("mpicc_abi").exists()
]
needs_compiler = pytest.mark.skipif(not _COMPILERS, reason="no MPI here has mpicc_abi")


@cache
def compiled(name: str, *, binding_path: bool = False) -> Path:
    """Return tests/abi/NAME.c as one program for all implementations, where LAM/MPI's nobody can start it too.

    `binding_path`: MPICH's folder is in the program so that LD_LIBRARY_PATH does not come before it (DT_RPATH).
    """
    folder = paths.cache_folder() / "tests-abi" / ("rpath" if binding_path else "runpath")
    folder.mkdir(parents=True, exist_ok=True)
    program, source = folder / name, SOURCES / f"{name}.c"
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
