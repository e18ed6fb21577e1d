"""Algorithms of nonblocking operations: parameters of the component `libnbc`.

It reads them at each call, whatever the size and the communicator, and has no rules: so they are bound to the
number of ranks of the job (`core.bound_variables`). In place of an algorithm that cannot do a call it takes `ring`
or `chain`, which reorder operands.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rankwise.core import bound_variables
from rankwise.core.tuning import Algorithm, Candidate, Choice, Decision
from rankwise.mpi.one_choice import chosen, decided
from rankwise.mpi.openmpi.parameters import VARIABLE, Installation

_REORDERING: Mapping[str, frozenset[str]] = {
    "iallgather": frozenset(),
    "iallreduce": frozenset({"ring", "rabenseifner"}),
    "ibcast": frozenset(),
    "iexscan": frozenset(),
    "ireduce": frozenset({"chain", "rabenseifner"}),
    "iscan": frozenset(),
}
"""By operation, what may give wrong results where the operator does not commute."""
OPERATIONS = frozenset(_REORDERING)
IGNORED = "ignore"
"""The value that leaves it to `libnbc`."""


def algorithms(installation: Installation) -> dict[str, tuple[Algorithm, ...]]:
    """Return what `libnbc` of this installation can be told to take, and is right for every program."""
    return {
        name: tuple(algorithm for algorithm in known if algorithm.name not in _REORDERING[name])
        for name, known in nameable(installation).items()
    }


def nameable(installation: Installation) -> dict[str, tuple[Algorithm, ...]]:
    """Return all that a decision may name."""
    return {
        name: tuple(
            Algorithm(choice, number)
            for number, choice in installation.parameters[parameter(name)].choices
            if number != "0"
        )
        for name in sorted(OPERATIONS)
        if parameter(name) in installation.parameters
    }


def parameter(operation: str) -> str:
    """Return the name of the parameter."""
    return f"coll_libnbc_{operation}_algorithm"


def variables(installation: Installation, decisions: Sequence[Decision]) -> dict[str, str]:
    """Return what jobs of the decided numbers of ranks load. Raises InputError."""
    values = {}
    for decision in decisions:
        algorithm = decided(f"Open MPI {installation.version}", decision, nameable(installation))
        if algorithm is not None:
            name = bound_variables.bound(decision.ranks, VARIABLE + parameter(decision.operation))
            values[name] = algorithm.name
    return values


def candidate(installation: Installation, operation: str, choice: Choice) -> Candidate | None:
    """Return the parameter that forces `choice`; None where it cannot be set at run time. Raises InputError."""
    algorithm = chosen(f"Open MPI {installation.version}", operation, choice, nameable(installation))
    if algorithm is None:
        return Candidate()
    name = parameter(operation)
    return Candidate(((name, algorithm.native),)) if installation.parameters[name].writable else None
