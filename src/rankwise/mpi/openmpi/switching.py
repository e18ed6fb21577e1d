"""Algorithms that are switched within a launch: parameters of `tuned` that hold for communicators made meanwhile.

It looks at them only where its rules are on, which Open MPI 4 must be told at the start. Rules without a file and
without a forced algorithm change nothing. Rules that were loaded are stronger: those of `tuned` for the same
operation and ranks, those of `han` for the operation at any ranks.
"""

from __future__ import annotations

import re

from rankwise.core.tuning import Candidate, Choice, Native
from rankwise.mpi.openmpi import nonblocking
from rankwise.mpi.openmpi.algorithms import OPERATIONS, parameters_of
from rankwise.mpi.openmpi.levers import HAN, TUNED
from rankwise.mpi.openmpi.parameters import VARIABLE, Installation

_RULES = "coll_tuned_use_dynamic_rules"
_HAN_GIVES = "coll_han_{operation}_dynamic_global_communicator_module"
_COMPONENT = re.compile(r"(\d+) = (\w+)")


def candidate(installation: Installation, operation: str, choice: Choice) -> Candidate | None:
    """Return the parameters that force `choice`; None where this installation cannot set them at run time.

    Where `han` leads it must give all of the operation to `tuned`, as the rules of a profile say. What is forced
    would else be its step between hosts alone, and with `han` off other operations that an algorithm is made of
    would change too. Raises InputError.
    """
    if operation in nonblocking.OPERATIONS:
        return nonblocking.candidate(installation, operation, choice)
    wanted = {name: str(value) for name, value in parameters_of(installation, operation, choice).items()}
    if wanted and OPERATIONS[operation].led_by_han and installation.number(HAN) > installation.number(TUNED):
        gives = _HAN_GIVES.format(operation=operation)
        components = installation.parameters[gives].help if gives in installation.parameters else ""
        wanted[gives] = {name: number for number, name in _COMPONENT.findall(components)}.get("tuned", "")
    known = installation.parameters
    if _RULES not in known or any(
        not value or name not in known or not known[name].writable for name, value in wanted.items()
    ):
        return None
    return Candidate(tuple(wanted.items()))


def switching() -> Native:
    """Return the variable that switches the rules on."""
    return Native(environment=((VARIABLE + _RULES, "1"),))
