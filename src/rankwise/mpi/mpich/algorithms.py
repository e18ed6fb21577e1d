"""Which algorithms MPICH has for collective operations, and the selection files that choose among them.

MPICH also has a variable for each operation, which chooses for communicators of every size and for messages of
every size; what is decided here holds for some of them, so files it must be.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from rankwise.core.errors import InputError, UnknownNameError
from rankwise.core.records import Implementation
from rankwise.core.tuning import Algorithm, Choice, ChoiceScope, Decision
from rankwise.core.units import version_numbers
from rankwise.mpi.mpich.library import Library, library
from rankwise.mpi.mpich.selection import OPERATIONS, Names, Tree, check, text, tuned

SELECTION_VARIABLE = "MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE"
COMPOSITION_VARIABLE = "MPIR_CVAR_CH4_COLL_SELECTION_TUNING_JSON_FILE"

_FLAT = {"allreduce": "beta", "barrier": "beta", "bcast": "gamma", "reduce": "gamma", "scan": "beta"}
"""The composition that leaves the whole operation to the algorithm, for those whose default may not."""

_PLAIN = frozenset({
    "binomial", "brucks", "dissemination", "nb", "noncommutative", "pairwise", "recursive_doubling",
    "recursive_halving", "reduce_scatter_allgather", "reduce_scatter_gather", "ring", "scattered",
    "scatter_recursive_doubling_allgather", "scatter_ring_allgather", "smp",
})  # fmt: skip
"""Algorithms without parameters."""

_NOT_FOR_US = frozenset({"MPIR_Scan_intra_smp"})
"""Needs a commutative operator, which the selection cannot ask for of a scan."""

_NAMES = {"nb": "nonblocking"}
_LIBRARY_NAME = re.compile(r"MPIR_([A-Z][a-z_]*?)_(?:intra|allcomm)_(\w+)")


@dataclass(frozen=True, slots=True)
class _Parameters:
    """What is written below an algorithm: each value, and which of them our choices name."""

    values: tuple[tuple[str, str], ...] = ()
    segment: str = ""
    fanout: str = ""


_EXCHANGE = _Parameters((("k", "2"), ("single_phase_recv", "0")), fanout="k")
_EXCHANGE_OF_TWO = _Parameters(_EXCHANGE.values)
"""With 4 on 8 ranks it sends otherwise if a control variable chooses it than if a selection file does."""
_RADIX = _Parameters((("k", "2"),), fanout="k")
_PARAMETERS: Mapping[str, _Parameters] = {
    "MPIR_Allgather_intra_k_brucks": _RADIX,
    "MPIR_Allgather_intra_recexch_doubling": _EXCHANGE_OF_TWO,
    "MPIR_Allgather_intra_recexch_halving": _EXCHANGE_OF_TWO,
    "MPIR_Allreduce_intra_k_reduce_scatter_allgather": _EXCHANGE,
    "MPIR_Allreduce_intra_recexch": _EXCHANGE,
    "MPIR_Allreduce_intra_recursive_multiplying": _RADIX,
    "MPIR_Allreduce_intra_tree": _Parameters(
        (("tree_type", "knomial_1"), ("k", "2"), ("chunk_size", "0"), ("buffer_per_child", "0")), "chunk_size", "k"
    ),
    "MPIR_Alltoall_intra_k_brucks": _RADIX,
    "MPIR_Barrier_intra_k_dissemination": _RADIX,
    "MPIR_Barrier_intra_recexch": _EXCHANGE,
    "MPIR_Bcast_intra_pipelined_tree": _Parameters(
        (
            ("tree_type", "kary"), ("k", "2"), ("is_non_blocking", "1"), ("chunk_size", "8192"),
            ("recv_pre_posted", "0"),
        ),
        "chunk_size", "k",
    ),
    "MPIR_Bcast_intra_tree": _Parameters(
        (("tree_type", "kary"), ("k", "2"), ("is_non_blocking", "1")), fanout="k"
    ),
}  # fmt: skip
"""All must be written: what a selection file leaves out is not set to a default but is whatever memory held. So
an algorithm that stands neither here nor above is never chosen."""


def algorithms(implementation: Implementation) -> dict[str, tuple[Algorithm, ...]]:
    """Return those that this library's selection file may name. Raises HostError where it cannot be read.

    Empty before MPICH 4, which has no selection file.
    """
    contents = library(implementation)
    if not contents.selection or SELECTION_VARIABLE not in contents.variables:
        return {}
    known: dict[str, list[Algorithm]] = {}
    for native in sorted(contents.algorithms - _NOT_FOR_US):
        match = _LIBRARY_NAME.fullmatch(native)
        if match is None or (native not in _PARAMETERS and match[2] not in _PLAIN):
            continue
        operation, own = match[1].lower(), match[2]
        if operation in OPERATIONS and f"collective={operation}" in contents.selection:
            parameters = _PARAMETERS.get(native, _Parameters())
            known.setdefault(operation, []).append(
                Algorithm(_NAMES.get(own, own), native, bool(parameters.segment), bool(parameters.fanout))
            )
    return {operation: tuple(names) for operation, names in known.items()}


def choice_scope(operation: str) -> ChoiceScope:
    """Return whether the selection file can ask for the size of an operation; what it lacks others can choose."""
    known = OPERATIONS.get(operation)
    return "one for all sizes" if known and not known.size else "by size"


@dataclass(frozen=True, slots=True)
class Forced:
    """A forced algorithm is one with all that a selection file would write for it."""

    native: str
    parameters: tuple[tuple[str, str], ...]
    composed: bool
    """MPICH would put the operation together from several, unless it is told not to."""


def forced(implementation: Implementation, operation: str, choice: Choice) -> Forced | None:
    """Return what this choice comes to; None for the default. Raises InputError as `selection_files` does."""
    known = algorithms(implementation)
    if operation not in known:
        raise UnknownNameError(f"configurable operation of {implementation.id}", operation, known)
    if not choice.algorithm:
        return None
    own = {algorithm.name: algorithm for algorithm in known[operation]}
    _check_choice(implementation, operation, choice, own)
    native = own[choice.algorithm].native
    return Forced(native, tuple(_values(native, choice).items()), _is_composed(library(implementation), operation))


def operation_of(native: str) -> str:
    """Return the operation of an algorithm that the library names so; '' if it is none."""
    match = _LIBRARY_NAME.fullmatch(native)
    return match[1].lower() if match else ""


def own_name(native: str) -> str:
    """Return the algorithm's name without its operation: `scatter_ring_allgather`."""
    match = _LIBRARY_NAME.fullmatch(native)
    return match[2] if match else ""


def selection_files(implementation: Implementation, decisions: Sequence[Decision]) -> dict[str, str]:
    """Return the text of each selection file, by the variable that must name it.

    A decision takes two: one with the algorithms, one that keeps MPICH from putting the operation together from
    one algorithm within hosts and another between them, which it does by default and asks first.
    Raises InputError for what this version does not have, or a selection file cannot express.
    """
    names = _checked(implementation, decisions)
    decided = [decision for decision in decisions if any(rule.choice.algorithm for rule in decision.rules)]
    if not decided:
        return {}
    contents, version = library(implementation), _numbers(implementation.version)
    files = {SELECTION_VARIABLE: text(tuned(contents.selection, decided, partial(_leaf, names), names, version))}
    composed = [decision for decision in decided if _is_composed(contents, decision.operation)]
    if composed:
        files[COMPOSITION_VARIABLE] = text(tuned(contents.composition, composed, _flat_leaf, names, version))
    return files


def _checked(implementation: Implementation, decisions: Sequence[Decision]) -> Names:
    """The library's names. Raises InputError for what it does not have, or what no selection file can express."""
    known = algorithms(implementation) if decisions else {}
    names: dict[tuple[str, str], str] = {}
    decided: set[tuple[str, int]] = set()
    for decision in decisions:
        operation = decision.operation
        if operation not in known:
            raise UnknownNameError(f"configurable operation of {implementation.id}", operation, known)
        if (operation, decision.ranks) in decided:
            raise InputError(f"{operation} at {decision.ranks} ranks: duplicate rule", "remove one of the two")
        decided.add((operation, decision.ranks))
        own = {algorithm.name: algorithm for algorithm in known[operation]}
        for rule in decision.rules:
            if rule.choice.algorithm:
                _check_choice(implementation, operation, rule.choice, own)
        names |= {(operation, name): algorithm.native for name, algorithm in own.items()}
        check(decision, names)
    return names


def _check_choice(
    implementation: Implementation, operation: str, choice: Choice, known: Mapping[str, Algorithm]
) -> None:
    if choice.algorithm not in known:
        raise UnknownNameError(f"algorithm for {operation} of {implementation.id}", choice.algorithm, known)
    algorithm = known[choice.algorithm]
    what = f"{choice.algorithm} for {operation} of {implementation.id}"
    if choice.segment_bytes and not algorithm.segments:
        raise InputError(f"{what} takes no segment size", "leave it out")
    if choice.fanout and not algorithm.fanout:
        raise InputError(f"{what} takes no fan-out", "leave it out")
    if choice.fanout == 1 or choice.fanout < 0 or choice.segment_bytes < 0:
        raise InputError(
            f"{what} cannot have a fan-out of {choice.fanout}, segments of {choice.segment_bytes} bytes",
            "give a fan-out of 2 or more, segments of 1 byte or more, or leave them out",
        )


def _leaf(names: Names, operation: str, choice: Choice) -> Tree:
    """`{"algorithm=MPIR_Bcast_intra_tree": {"tree_type=kary": {}, "k=4": {}, ...}}`."""
    name = names[operation, choice.algorithm]
    return {f"algorithm={name}": {f"{key}={value}": {} for key, value in _values(name, choice).items()}}


def _values(name: str, choice: Choice) -> dict[str, str]:
    """What is written below an algorithm."""
    parameters = _PARAMETERS.get(name, _Parameters())
    values = dict(parameters.values)
    if choice.segment_bytes:
        values[parameters.segment] = str(choice.segment_bytes)
    if choice.fanout:
        values[parameters.fanout] = str(choice.fanout)
    return values


def flat_composition(operation: str) -> str:
    """Return the composition that leaves an operation to one algorithm; '' where every composition does."""
    letter = _FLAT.get(operation)
    return f"MPIDI_{operation.capitalize()}_intra_composition_{letter}" if letter else ""


def _is_composed(contents: Library, operation: str) -> bool:
    return (
        flat_composition(operation) in contents.compositions and f"collective={operation}" in contents.composition
    )


def _flat_leaf(operation: str, _choice: Choice) -> Tree:
    return {f"composition={flat_composition(operation)}": {}}


def _numbers(version: str) -> tuple[int, ...]:
    return version_numbers(version)[:3]
