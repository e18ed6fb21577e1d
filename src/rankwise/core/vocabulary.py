"""The names that a version of an MPI knows: what settings files may say to it."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Objection:
    """What is wrong with a value, and what to write."""

    message: str
    remedy: str = ""


def _none(_name: str, _value: str) -> Objection | None:
    return None


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
    objection: Callable[[str, str], Objection | None] = _none
    """What this version objects to in a variable's value, by the variable's name and the value."""


def nearest(name: str, known: Iterable[str]) -> str:
    """Return the remedy for a name that is not known: the most similar one, or all where they are few."""
    names = list(known)
    near = difflib.get_close_matches(name, names, n=1, cutoff=0.6)
    if near:
        return f"did you mean {near[0]}?"
    return f"known: {', '.join(names)}" if 0 < len(names) <= 12 else ""
