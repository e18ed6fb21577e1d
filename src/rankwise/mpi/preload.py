"""Small libraries of ours that mend what a family lacks, loaded into its ranks by LD_PRELOAD."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

from rankwise.core import paths, process
from rankwise.core.errors import BuildError
from rankwise.core.records import Environment, Implementation

_VARIABLE = "LD_PRELOAD"
_COMPILE_SECONDS = 60.0


def build(source_name: str, implementation: Implementation) -> Path:
    """The C file of this folder as a shared object, built once by the implementation's mpicc and then cached.

    Two builders at once both succeed. Raises BuildError.
    """
    source = Path(__file__).with_name(source_name)
    key = hashlib.sha256(source.read_bytes() + implementation.mpicc.encode()).hexdigest()[:16]
    target = paths.cache_folder() / "mpi" / f"{source.stem}-{key}.so"
    if target.exists():
        return target
    target.parent.mkdir(parents=True, exist_ok=True)
    partial = target.with_suffix(f".{os.getpid()}")
    argv = [implementation.mpicc, "-O2", "-shared", "-fPIC", "-o", str(partial), str(source), "-ldl"]
    outcome = process.run(argv, _COMPILE_SECONDS, environment=implementation.environment)
    if outcome.returncode != 0:
        raise BuildError(f"cannot build {source_name}", outcome.command, outcome.stderr)
    partial.replace(target)
    return target


def loading(library: Path, environment: Environment) -> Environment:
    """`environment` with the library put before what it preloads already."""
    others = [value for name, value in environment if name == _VARIABLE and value]
    rest = tuple(pair for pair in environment if pair[0] != _VARIABLE)
    return (*rest, (_VARIABLE, ":".join([str(library), *others])))
