"""Programs of the standard ABI, and of one MPI: compiled once, started on any implementation as a user does."""

import os
import shlex
import subprocess
from functools import cache
from pathlib import Path

import pytest

from rankwise.artifacts import apps
from rankwise.artifacts.abi import gateway
from rankwise.core import paths
from rankwise.workflows import abi
from rankwise.workflows.events import Silent
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
def compiled(name: str, *options: str, binding_path: bool = False) -> Path:
    """Return NAME.c of tests/abi or tests/interpose as one program for all implementations.

    It is where LAM/MPI's nobody can start it too.

    `binding_path`: MPICH's folder is in the program so that LD_LIBRARY_PATH does not come before it (DT_RPATH).
    """
    source = next(path for path in (one / f"{name}.c" for one in _FOLDERS) if path.exists())
    folder = "".join(("rpath" if binding_path else "runpath", *options))
    return _linked(folder, name, [source], (*options, "-std=gnu99", "-O1"), binding_path=binding_path)


@cache
def compiled_apps() -> Path:
    """Return the applications as one program for all implementations."""
    return _linked("apps", apps.PROGRAM, sorted(apps.SOURCES.glob("*.c")), apps.FLAGS, "-lm")


@cache
def compiled_plans(sources: tuple[Path, ...], flags: tuple[str, ...]) -> Path:
    """Return the interpreter of plans as one program for all implementations."""
    return _linked("plans", "plans", list(sources), flags, "-pthread")


def _linked(
    folder_name: str, name: str, sources: list[Path], options: tuple[str, ...], *libraries: str,
    binding_path: bool = False,
) -> Path:  # fmt: skip
    folder = paths.cache_folder() / "tests-abi" / folder_name
    folder.mkdir(parents=True, exist_ok=True)
    program = folder / name
    read = [*sources, SOURCES / "traps.h", *sources[0].parent.glob("*.h")]
    if not program.exists() or program.stat().st_mtime < max(one.stat().st_mtime for one in read):
        partial = program.with_suffix(f".{os.getpid()}")
        line = [str(_COMPILERS[0]), "-show", *options, "-o", str(partial), *map(str, sources), *libraries]
        shown = subprocess.run(line, check=True, capture_output=True, text=True, timeout=100).stdout
        if binding_path:
            shown = shown.replace("--enable-new-dtags", "--disable-new-dtags")
        subprocess.run(shlex.split(shown), check=True, capture_output=True, timeout=300)
        partial.replace(program)
    return program


@cache
def compiled_tool(name: str) -> Path:
    """Return NAME.c of tests/abi as a library to preload, for all implementations."""
    return compiled(name, "-shared", "-fPIC")


def prepare(*implementations: str) -> None:
    """Compile all that a joined job of these loads, so that no test's time limit has to wait for a compiler."""
    for start in implementations:
        one = working(next(one for one in IDS if one.startswith(start)))
        abi.built(one, Silent())
    gateway.build(abi.known_standard())


@cache
def native(name: str, implementation_id: str, *more: str) -> Path:
    """Return tests/abi/NAME.c or NAME.f90 as a program of one implementation, as its own compiler links it.

    `more`: further options of the compiler.
    """
    folder = paths.cache_folder() / "tests-abi" / "".join((implementation_id, *more))
    folder.mkdir(parents=True, exist_ok=True)
    one = working(implementation_id)
    fortran = (SOURCES / f"{name}.f90").exists()
    source = SOURCES / f"{name}.{'f90' if fortran else 'c'}"
    compiler = one.mpicc.replace("mpicc", "mpifort") if fortran else one.mpicc
    program, options = folder / name, ["-O1", "-w"] if fortran else ["-O1", "-w", "-std=gnu99"]
    newest = max(file.stat().st_mtime for file in (source, *SOURCES.glob("*.h")))
    if not program.exists() or program.stat().st_mtime < newest:
        partial = program.with_suffix(f".{os.getpid()}")
        line = [compiler, *options, *more, "-o", str(partial), str(source)]
        environment = {**os.environ, **dict(one.environment)}
        subprocess.run(line, check=True, capture_output=True, timeout=100, env=environment)
        partial.replace(program)
    return program
