"""Algorithms that are switched within a launch: parameters of `tuned` that hold for communicators made meanwhile.

It looks at them only where its rules are on, which Open MPI 4 must be told at the start. Rules without a file and
without a forced algorithm change nothing; a rule that was loaded for the same operation and ranks is stronger.
"""

from __future__ import annotations

from rankwise.core.tuning import Candidate, Choice, Native
from rankwise.mpi.openmpi.algorithms import OPERATIONS, parameters_of
from rankwise.mpi.openmpi.parameters import VARIABLE, Installation

_RULES = "coll_tuned_use_dynamic_rules"
_HAN, _TUNED = "coll_han_priority", "coll_tuned_priority"


def candidate(told: Installation, operation: str, choice: Choice) -> Candidate | None:
    """Return the parameters that force `choice`; None where this installation cannot set them at run time.

    Where `han` leads it must step back: else what is forced would be only its step between hosts, whereas a
    profile gives all of the operation to `tuned`. Raises InputError.
    """
    wanted = parameters_of(told, operation, choice)
    if wanted and OPERATIONS[operation].led_by_han and told.number(_HAN) > told.number(_TUNED):
        wanted[_HAN] = 0
    known = told.parameters
    if _RULES not in known or any(name not in known or not known[name].writable for name in wanted):
        return None
    return Candidate(tuple((name, str(value)) for name, value in wanted.items()))


def switching() -> Native:
    """Return the variable that switches the rules on."""
    return Native(environment=((VARIABLE + _RULES, "1"),))
