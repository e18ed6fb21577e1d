"""Small libraries of ours that supply what a family does not have, loaded into its ranks by LD_PRELOAD."""

from __future__ import annotations

from pathlib import Path

from rankwise.artifacts import builder
from rankwise.artifacts.builder import Artifact
from rankwise.core.records import Environment, Implementation

_VARIABLE = "LD_PRELOAD"


def build(source: Path, implementation: Implementation) -> Path:
    """Return the path of this C file as a shared object, built once by the implementation's mpicc.

    Raises BuildError, or HostError if the cache cannot be written.
    """
    library = Artifact(f"{source.stem}.so", (source,), "shared object", libraries=("-ldl",))
    return builder.build(library, implementation)


def loading(library: Path, environment: Environment) -> Environment:
    """Return `environment` with the library put before what it preloads already."""
    others = [value for name, value in environment if name == _VARIABLE and value]
    rest = tuple(pair for pair in environment if pair[0] != _VARIABLE)
    return (*rest, (_VARIABLE, ":".join([str(library), *others])))
