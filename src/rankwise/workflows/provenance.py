"""What a run stores of the place where it was measured: the hosts' own facts, and what the caller has set."""

from __future__ import annotations

import os

from rankwise.core.records import Fact
from rankwise.mpi.family import families
from rankwise.testbeds.base import TestbedKind


def set_by_caller() -> dict[str, str]:
    """Return the variables of this process by which a user may have tuned an MPI without remembering it."""
    prefixes = tuple(prefix for family in families().values() for prefix in family.variables)
    return {name: value for name, value in sorted(os.environ.items()) if name.startswith(prefixes)}


def facts_of(testbed: TestbedKind) -> tuple[Fact, ...]:
    """Return the provenance of a testbed's hosts and of launches on them, read now."""
    return (*testbed.facts(), *(Fact(f"env_{name}", value) for name, value in set_by_caller().items()))
