"""Algorithms of nonblocking operations: a control variable for each, whatever the size and the communicator.

Selection files have these operations too, but a size is asked of few of them, and parameters of the ways over the
generic transport (`tsp_`) would have to be told. The variables take those from others, which have defaults. They
are bound to the number of ranks of the job (`core.bound_variables`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rankwise.core import bound_variables
from rankwise.core.records import Implementation
from rankwise.core.tuning import Algorithm, Candidate, Choice, Decision
from rankwise.mpi.mpich.library import Library, library
from rankwise.mpi.mpich.places import listed
from rankwise.mpi.one_choice import chosen, decided

_OFFERED: Mapping[str, frozenset[str]] = {
    "iallgather": frozenset({
        "sched_brucks", "sched_ring", "tsp_brucks", "tsp_recexch_doubling", "tsp_recexch_halving", "tsp_ring",
    }),
    "iallreduce": frozenset({"sched_naive", "sched_recursive_doubling"}),
    "ibcast": frozenset({
        "sched_binomial", "sched_scatter_recursive_doubling_allgather", "sched_scatter_ring_allgather", "tsp_ring",
        "tsp_scatterv_recexch_allgatherv", "tsp_scatterv_ring_allgatherv", "tsp_tree",
    }),
    "ireduce": frozenset({"sched_binomial"}),
    "iscan": frozenset({"sched_recursive_doubling", "tsp_recursive_doubling"}),
}  # fmt: skip
"""What takes every call on every communicator: MPICH does not check what a variable chooses."""
OPERATIONS = frozenset(_OFFERED)
_LEFT = frozenset({"sched_auto", "sched_smp"})


def algorithms(implementation: Implementation) -> dict[str, tuple[Algorithm, ...]]:
    """Return those that this library's variables list. Raises HostError where it cannot be read."""
    contents = library(implementation)
    known = {name: _places(contents, name) for name in sorted(OPERATIONS)}
    return {
        name: tuple(Algorithm(value, str(places.index(value))) for value in places if value in _OFFERED[name])
        for name, places in known.items()
        if places
    }


def variable(operation: str) -> str:
    """Return the name of the control variable."""
    return f"MPIR_CVAR_{operation.upper()}_INTRA_ALGORITHM"


def variables(implementation: Implementation, decisions: Sequence[Decision]) -> dict[str, str]:
    """Return what jobs of the decided numbers of ranks load. Raises InputError, HostError."""
    values = {}
    for decision in decisions:
        algorithm = decided(implementation.id, decision, algorithms(implementation))
        if algorithm is not None:
            values[bound_variables.bound(decision.ranks, variable(decision.operation))] = algorithm.name
    return values


def candidate(implementation: Implementation, operation: str, choice: Choice) -> Candidate:
    """Return the variable that forces `choice`. Raises InputError, HostError."""
    algorithm = chosen(implementation.id, operation, choice, algorithms(implementation))
    return Candidate() if algorithm is None else Candidate(((variable(operation), algorithm.native),))


def _places(contents: Library, operation: str) -> list[str]:
    """The values that its variable takes, in order; one that is not known by name is ''."""
    return listed(contents.descriptions.get(variable(operation), ""), {*_OFFERED[operation], *_LEFT})
