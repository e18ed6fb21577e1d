"""Small libraries of ours that supply what a family does not have, loaded into its ranks by LD_PRELOAD."""

from __future__ import annotations

import mmap
import os
import stat
import struct
from pathlib import Path

from rankwise.artifacts import builder
from rankwise.artifacts.builder import Artifact
from rankwise.core.records import Environment, Implementation

VARIABLE = "LD_PRELOAD"
_SLOTS = Path(__file__).parents[1] / "csrc" / "abi"
"""Has how the calls of loaded libraries are led elsewhere."""
_ELF = b"\x7fELF"
_DYNAMIC = 2  # the type of a program header


def build(source: Path, implementation: Implementation) -> Path:
    """Return the path of this C file as a shared object, built once by the implementation's mpicc.

    Raises BuildError, or HostError if the cache cannot be written.
    """
    library = Artifact(
        f"{source.stem}.so", (source,), "shared object", (Path(__file__).parent, _SLOTS), libraries=("-ldl",)
    )
    return builder.build(library, implementation)


def loading(library: Path, environment: Environment) -> Environment:
    """Return `environment` with the library put before what it preloads already."""
    others = [value for name, value in environment if name == VARIABLE and value]
    rest = tuple(pair for pair in environment if pair[0] != VARIABLE)
    return (*rest, (VARIABLE, ":".join([str(library), *others])))


def last(library: str, environment: Environment) -> Environment:
    """Return `environment` with the library put behind what it preloads already."""
    others = [value for name, value in environment if name == VARIABLE and value]
    rest = tuple(pair for pair in environment if pair[0] != VARIABLE)
    return (*rest, (VARIABLE, ":".join([*others, library])))


def ignored_by(program: Path) -> str:
    """Return why the loader ignores LD_PRELOAD for this program: `is linked statically`; '' if it does not.

    Of a script nothing is said.
    """
    status = program.stat()
    if (status.st_mode & stat.S_ISUID and status.st_uid != os.getuid()) or (
        status.st_mode & stat.S_ISGID and status.st_gid != os.getgid()
    ):
        return "is set-user-ID or set-group-ID"
    if os.getuid() and "security.capability" in os.listxattr(program):
        return "has file capabilities"
    with program.open("rb") as file:
        content = file.read(1 << 16)
    return "is linked statically" if content.startswith(_ELF) and not _is_dynamic(content) else ""


def defines(program: Path, name: str) -> bool:
    """Return whether a program, no script, has this name in it: of a function, or of a variable that it reads."""
    with program.open("rb") as file:
        if file.read(len(_ELF)) != _ELF:
            return False
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
            return content.find(f"\0{name}\0".encode()) >= 0


def is_program(file: Path) -> bool:
    """Return whether the file is one that the kernel runs by itself, no script."""
    try:
        with file.open("rb") as stream:
            return stream.read(len(_ELF)) == _ELF
    except OSError:
        return False


def _is_dynamic(content: bytes) -> bool:
    """Whether one of the program headers of this beginning of an ELF file is PT_DYNAMIC."""
    wide, order = content[4] == 2, "<" if content[5] == 1 else ">"
    at, size_at = (32, 54) if wide else (28, 42)
    start = struct.unpack_from(f"{order}{'Q' if wide else 'I'}", content, at)[0]
    size, count = struct.unpack_from(f"{order}2H", content, size_at)
    headers = range(start, start + size * count, size or 1)
    return any(struct.unpack_from(f"{order}I", content, header)[0] == _DYNAMIC for header in headers)
