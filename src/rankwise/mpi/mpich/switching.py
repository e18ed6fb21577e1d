"""Algorithms that are switched within a launch: MPICH looks at its control variables at each call."""

from __future__ import annotations

from collections.abc import Mapping

from rankwise.core.records import Implementation
from rankwise.core.tuning import Candidate, Choice
from rankwise.core.units import whole_number
from rankwise.mpi.mpich import algorithms, nonblocking
from rankwise.mpi.mpich.library import library
from rankwise.mpi.mpich.places import listed

_EXCHANGE = {"k": "RECEXCH_KVAL", "single_phase_recv": "RECEXCH_SINGLE_PHASE_RECV"}
_TREE = {"tree_type": "TREE_TYPE", "k": "TREE_KVAL", "is_non_blocking": "IS_NON_BLOCKING"}
_PIPELINE = {"chunk_size": "TREE_PIPELINE_CHUNK_SIZE", "recv_pre_posted": "RECV_PRE_POST"}
_VARIABLES: Mapping[str, Mapping[str, str]] = {
    "MPIR_Allgather_intra_k_brucks": {"k": "BRUCKS_KVAL"},
    "MPIR_Allgather_intra_recexch_doubling": _EXCHANGE,
    "MPIR_Allgather_intra_recexch_halving": _EXCHANGE,
    "MPIR_Allreduce_intra_k_reduce_scatter_allgather": _EXCHANGE,
    "MPIR_Allreduce_intra_recexch": _EXCHANGE,
    "MPIR_Allreduce_intra_recursive_multiplying": {"k": "RECURSIVE_MULTIPLYING_KVAL"},
    "MPIR_Allreduce_intra_tree": _TREE | _PIPELINE | {"buffer_per_child": "TREE_BUFFER_PER_CHILD"},
    "MPIR_Alltoall_intra_k_brucks": {"k": "BRUCKS_KVAL"},
    "MPIR_Barrier_intra_k_dissemination": {"k": "DISSEM_KVAL"},
    "MPIR_Barrier_intra_recexch": _EXCHANGE,
    "MPIR_Bcast_intra_pipelined_tree": _TREE | _PIPELINE,
    "MPIR_Bcast_intra_tree": _TREE,
}
"""The variable, after that of the operation, for each parameter that a selection file gives an algorithm."""


def candidate(implementation: Implementation, operation: str, choice: Choice) -> Candidate | None:
    """Return the variables that force `choice`; None where this library has none for it. Raises InputError.

    Those of an operation that MPICH puts together from one algorithm within hosts and another between them also
    take it from there, as a selection file does.
    """
    if operation in nonblocking.OPERATIONS:
        return nonblocking.candidate(implementation, operation, choice)
    forced = algorithms.forced(implementation, operation, choice)
    if forced is None:
        return Candidate()
    contents, prefix = library(implementation), f"MPIR_CVAR_{operation.upper()}"
    main = f"{prefix}_INTRA_ALGORITHM"
    names = [
        algorithms.own_name(algorithm)
        for algorithm in contents.algorithms
        if algorithms.operation_of(algorithm) == operation
    ]
    places = listed(contents.descriptions.get(main, ""), names)
    own = algorithms.own_name(forced.native)
    if places.count(own) != 1:
        return None
    written = {main: str(places.index(own))}
    for parameter, value in forced.parameters:
        variable = f"{prefix}_{_VARIABLES[forced.native][parameter]}"
        if variable not in contents.variables:
            return None
        if whole_number(value) is not None:
            written[variable] = value
        elif contents.variables[variable] != value:
            return None  # MPICH reads the words among them at the start alone
    if forced.composed:
        written[f"{prefix}_DEVICE_COLLECTIVE"] = "0"
    return Candidate(tuple(written.items())) if set(written) <= set(contents.variables) else None
