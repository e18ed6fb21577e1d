"""Compiles the harness and its kernels with an implementation's own mpicc, once, into a cache.

The key covers the sources, mpicc (path, size, time), the library's version string and the flags. A build is
made in a temporary folder beside its place and renamed there, so that concurrent builders cannot harm each
other: whoever comes second finds the first one's program and drops its own.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
from pathlib import Path

from rankwise.core import paths, process, registry
from rankwise.core.errors import BuildError, HostError
from rankwise.core.records import Implementation

SOURCES = Path(__file__).parent.parent / "csrc"
FLAGS = ("-std=gnu99", "-O2")  # no -Werror: an unknown compiler may warn of anything
HEADERS = ("runtime", "harness")  # folders of SOURCES with headers
COMPILE_LIMIT_SECONDS = 180.0
PROGRAM = "rankwise-harness"


def source_files() -> list[Path]:
    """Return the runtime, the harness, its kernels, and the kernels of plug-in folders, in a fixed order."""
    own = [SOURCES / name for name in ("runtime", "harness", "kernels")]
    folders = [*own, *registry.plugin_folders("csrc/kernels")]
    return [path for folder in folders for path in sorted(folder.glob("*.c"))]


def build(implementation: Implementation) -> Path:
    """Return the path of the harness for `implementation`, compiled if need be.

    Raises BuildError with the compiler's words and the command, HostError if the cache cannot be written.
    """
    place = paths.cache_folder() / "builds" / f"{implementation.id}-{_key(implementation)}"
    program = place / PROGRAM
    if program.exists():
        return program
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        scratch = Path(tempfile.mkdtemp(prefix=".building-", dir=place.parent))
    except OSError as error:
        raise _unwritable(error) from error
    try:
        _compile(implementation, scratch / PROGRAM)
        scratch.chmod(0o755)
        try:
            scratch.rename(place)
        except OSError as error:
            if not program.exists():
                raise _unwritable(error) from error
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    return program


def _key(implementation: Implementation) -> str:
    digest = hashlib.sha256()
    headers = [path for name in HEADERS for path in sorted((SOURCES / name).glob("*.h"))]
    for path in [*source_files(), *headers]:
        digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    compiler = Path(implementation.mpicc)
    status = compiler.stat() if compiler.exists() else None
    facts = (
        str(compiler.resolve()), status and status.st_size, status and status.st_mtime_ns,
        implementation.library_version, implementation.environment, FLAGS,
    )  # fmt: skip
    digest.update(repr(facts).encode())
    return digest.hexdigest()[:16]


def _compile(implementation: Implementation, program: Path) -> None:
    argv = [
        implementation.mpicc, *FLAGS, *(f"-I{SOURCES / name}" for name in HEADERS), "-o", str(program),
        *(str(path) for path in source_files()), "-lm",
    ]  # fmt: skip
    outcome = process.run(argv, COMPILE_LIMIT_SECONDS, environment=implementation.environment)
    if outcome.timed_out:
        raise BuildError(
            f"{implementation.id}: the compiler did not end within {COMPILE_LIMIT_SECONDS:.0f} s",
            outcome.command, outcome.stderr, "try the command by hand",
        )  # fmt: skip
    if outcome.returncode != 0 or not os.access(program, os.X_OK):
        raise BuildError(
            f"{implementation.id}: its compiler refused the benchmarks",
            outcome.command, outcome.stdout + outcome.stderr,
            f"`rankwise mpis` says whether {implementation.id} works at all",
        )  # fmt: skip


def _unwritable(error: OSError) -> HostError:
    return HostError(
        f"cannot write the build cache: {error}",
        "free some space, or set XDG_CACHE_HOME to a folder that can be written",
    )
