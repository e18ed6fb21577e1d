"""The names that a version of an MPI knows: what settings files may say to it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """A vocabulary is what one version knows; of what it leaves empty nothing is known."""

    implementation: str
    """An id of an installation, or a family and a version whose sources were read: `openmpi-6.0`."""
    family: str
    version: str
    algorithms: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """What is written to choose an algorithm, and its name, by operation."""
    variables: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Names of parameters, as a parameter file or the environment has them, and their values; () for any value."""
