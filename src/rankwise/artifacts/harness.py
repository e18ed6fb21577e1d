"""The harness and its kernels: which sources it is made of."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from rankwise.artifacts import builder, compiler
from rankwise.artifacts.abi import libraries
from rankwise.artifacts.abi.standard import Standard
from rankwise.artifacts.builder import Artifact
from rankwise.core import registry
from rankwise.core.records import Implementation

SOURCES = Path(__file__).parent.parent / "csrc"
FLAGS = ("-std=gnu99", "-O2")  # no -Werror: an unknown compiler may warn of anything
HEADERS = ("runtime", "harness", "schedules", "execution")  # folders of SOURCES with headers
PARTS = (*HEADERS, "kernels")
PROGRAM = "rankwise-harness"


def source_files() -> list[Path]:
    """Return our own files, and the kernels and algorithms of plug-in folders, in a fixed order."""
    own = [SOURCES / name for name in PARTS]
    theirs = (*registry.plugin_folders("csrc/schedules"), *registry.plugin_folders("csrc/kernels"))
    folders = [*own, *theirs]
    return [path for folder in folders for path in sorted(folder.glob("*.c"))]


def build(implementation: Implementation, *more: Path) -> Path:
    """Return the path of the harness for `implementation`, with these further kernels, compiled if need be.

    Raises BuildError with the compiler's words and the command, HostError if the cache cannot be written.
    """
    return builder.build(_artifact(*more), implementation)


def build_standard(standard: Standard) -> Path:
    """Return the path of the harness for MPI-5's standard ABI, which any implementation can run.

    Raises BuildError, HostError if there is no C compiler or the cache cannot be written.
    """
    made, folder = _artifact(), libraries.generated({"mpi.h": standard.text})
    linked = (str(libraries.front_end(standard)), *made.libraries)  # it asks for the soname alone
    made = replace(made, include_folders=(folder, *made.include_folders), libraries=linked)
    return builder.build(made, compiler.of_host())


def _artifact(*more: Path) -> Artifact:
    headers = tuple(SOURCES / name for name in HEADERS)
    return Artifact(PROGRAM, (*source_files(), *more), "program", headers, FLAGS, ("-lm", "-pthread"))
