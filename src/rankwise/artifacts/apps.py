"""The applications: kernels of the NAS Parallel Benchmarks, and ray2mesh, in one program."""

from __future__ import annotations

from pathlib import Path

from rankwise.artifacts import builder
from rankwise.artifacts.builder import Artifact
from rankwise.core.records import Implementation

SOURCES = Path(__file__).parent.parent / "csrc" / "apps"
FLAGS = ("-std=c99", "-O2")
PROGRAM = "rankwise-apps"


def build(implementation: Implementation) -> Path:
    """Return the path of the program for `implementation`, compiled if need be.

    Raises BuildError with the compiler's words and the command, HostError if the cache cannot be written.
    """
    own = tuple(sorted(SOURCES.glob("*.c")))
    return builder.build(Artifact(PROGRAM, own, "program", (SOURCES,), FLAGS, ("-lm",)), implementation)
