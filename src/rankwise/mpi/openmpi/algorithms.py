"""Decisions as the rules files that Open MPI reads: one for its component `tuned`, one for `han` above it.

Both hold, for each operation, communicator sizes, and for each of these message sizes, from which on a choice
holds. For a size that is not there Open MPI takes the next smaller one, hence the rules that lead back to
the default: for smaller communicators, and for the one just above each that is decided. Sizes are counted
differently: `tuned` looks at all that one rank holds, which for some operations is the benchmark's size times the
ranks; `han` looks at the benchmark's own.

A release build says nothing about a file that it cannot read and goes on with its defaults.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rankwise.core.errors import InputError, UnknownNameError
from rankwise.core.tuning import Algorithm, Choice, ChoiceScope, Decision
from rankwise.core.vocabulary import Objection, Vocabulary
from rankwise.mpi.openmpi import values
from rankwise.mpi.openmpi.parameters import Installation

MOST_FANOUT = 32
_GLOBAL_LEVEL = 2
"""How `han` numbers the communicator itself, below which it has those within and between hosts."""


@dataclass(frozen=True, slots=True)
class Operation:
    """An operation is what Open MPI's decision code (4.0 to 5.0) makes of it."""

    number: int
    total: bool = False
    """Compares sizes times the communicator's ranks."""
    all_sizes: str = ""
    """Why one choice has to do for all sizes; '' if it need not."""
    sized: bool = True
    segmented: frozenset[str] = frozenset()
    """Algorithms that take a segment size."""
    fanned: frozenset[str] = frozenset()
    """Algorithms that take a number of chains."""
    reordering: frozenset[str] = frozenset()
    """Algorithms that give wrong results where the operator does not commute: rules know nothing of it."""
    led_by_han: bool = False
    """`han`, where it is on, does this one, unless its rules say otherwise."""


_TREES = frozenset({"chain", "pipeline", "binomial"})
_REDUCING_TREES = _TREES | {"binary"}
_UNSEEN = "its size is not looked at"
_OF_ARGUMENTS = "each rank looks at arguments that may differ between them: a switch would abort correct programs"
OPERATIONS = {
    "allgather": Operation(0, total=True, led_by_han=True),
    "allgatherv": Operation(1),
    "allreduce": Operation(
        2, segmented=frozenset({"segmented_ring"}), reordering=frozenset({"ring", "segmented_ring"}),
        led_by_han=True,
    ),
    "alltoall": Operation(3, total=True),
    "alltoallv": Operation(4, all_sizes=_UNSEEN),
    "barrier": Operation(6, sized=False, led_by_han=True),
    "bcast": Operation(
        7, segmented=_TREES | {"split_binary_tree", "binary_tree", "knomial"}, fanned=frozenset({"chain"}),
        led_by_han=True,
    ),
    "exscan": Operation(8, all_sizes=_UNSEEN),
    "gather": Operation(
        9, total=True, all_sizes=_OF_ARGUMENTS, segmented=frozenset({"linear_sync"}), led_by_han=True
    ),
    "reduce": Operation(
        11, segmented=_REDUCING_TREES | {"in-order_binary"}, fanned=frozenset({"chain"}),
        reordering=_REDUCING_TREES, led_by_han=True,
    ),
    "reduce_scatter": Operation(12, reordering=frozenset({"recursive_halving", "ring"})),
    "reduce_scatter_block": Operation(13, total=True),
    "scan": Operation(14, all_sizes=_UNSEEN),
    "scatter": Operation(15, total=True, all_sizes=_OF_ARGUMENTS, led_by_han=True),
}  # fmt: skip
"""By our benchmarks' names. What sizes are compared: `coll_tuned_decision_dynamic.c`."""

_ALGORITHM = re.compile(r"coll_(?:tuned_|(?P<han>han)_use_)(?P<operation>\w+)_algorithm")
_FOR_TWO_RANKS = "two_proc"
"""Aborts any other number of ranks, and is the default of two."""


def algorithms(installation: Installation) -> dict[str, tuple[Algorithm, ...]]:
    """Return what `tuned` of this installation can be told to take, and is right for every program."""
    return {
        name: tuple(algorithm for algorithm in known if algorithm.name not in OPERATIONS[name].reordering)
        for name, known in nameable(installation).items()
    }


def vocabulary(installation: Installation, implementation: str) -> Vocabulary:
    """Return all that this installation can be told, what no decision may name too; `han bcast`: those of han."""
    choices = {}
    for name, parameter in installation.parameters.items():
        match = _ALGORITHM.fullmatch(name)
        if match and parameter.choices:
            prefix = "han " if match["han"] else ""
            choices[prefix + match["operation"]] = dict(parameter.choices)

    def objection(name: str, value: str) -> Objection | None:
        return (
            values.objection(name, installation.parameters[name], value)
            if name in installation.parameters
            else None
        )

    names: dict[str, tuple[str, ...]] = dict.fromkeys(installation.parameters, ())
    return Vocabulary(implementation, "openmpi", installation.version, choices, names, objection)


def choice_scope(operation: str) -> ChoiceScope:
    """Return whether `tuned` can choose by the size of an operation; where it cannot choose at all, others can."""
    known = OPERATIONS.get(operation)
    return "by size" if known is None or (known.sized and not known.all_sizes) else "one for all sizes"


def parameters_of(installation: Installation, operation: str, choice: Choice) -> dict[str, int]:
    """Return the parameters of `tuned` that force this choice, by name, and their values; none for the default.

    Raises as `tuned_rules` does.
    """
    known = nameable(installation)
    if operation not in known:
        raise UnknownNameError("configurable operation of Open MPI", operation, known)
    chosen = numbers(installation, operation, known[operation], choice)
    if chosen == Numbers():
        return {}
    algorithm = next(algorithm for algorithm in known[operation] if algorithm.name == choice.algorithm)
    prefix = f"coll_tuned_{operation}_algorithm"
    parameters = {prefix: int(chosen.algorithm)}
    if algorithm.segments:
        parameters[f"{prefix}_segmentsize"] = chosen.segment
    if algorithm.fanout:
        parameters[f"{prefix}_chain_fanout"] = chosen.fanout
    return parameters


def nameable(installation: Installation) -> dict[str, tuple[Algorithm, ...]]:
    """Return all that a decision may name, also what is not offered because it reorders operands."""
    known: dict[str, tuple[Algorithm, ...]] = {}
    for name, operation in OPERATIONS.items():
        parameter = installation.parameters.get(f"coll_tuned_{name}_algorithm")
        if parameter is not None:
            known[name] = tuple(
                Algorithm(choice, number, choice in operation.segmented, choice in operation.fanned)
                for number, choice in parameter.choices
                if number != "0" and choice != _FOR_TWO_RANKS
            )
    return known


@dataclass(frozen=True, slots=True)
class Step:
    """From so many bytes on, of the benchmark's size: what."""

    from_bytes: int
    choice: Choice


def tuned_rules(installation: Installation, decisions: Sequence[Decision]) -> str:
    """Return `coll_tuned_dynamic_rules_filename`'s text. Algorithms that reorder are taken where named.

    Raises InputError for decisions that Open MPI cannot carry out or this version does not have.
    """
    known = nameable(installation)
    tables = by_operation(decisions, known)
    lines = [
        "# SIZE ALGORITHM FANOUT SEGMENT below each communicator size; algorithm 0: the default",
        str(len(tables)),
    ]
    for name, by_ranks in tables.items():
        operation = OPERATIONS[name]
        lines.append(f"{operation.number} # {name}{', total sizes' if operation.total else ''}")
        rows = {0: ["0 0 0 0"]}
        for ranks, steps in by_ranks.items():
            factor = ranks if operation.total else 1
            rows[ranks] = [
                f"{first_size(step.from_bytes, factor)} {numbers(installation, name, known[name], step.choice)}"
                for step in steps
            ]
        lines += _sections(rows, rows[0])
    return "\n".join(lines) + "\n"


def han_rules(decisions: Sequence[Decision]) -> str:
    """Return `coll_han_dynamic_rules_filename`'s text: the sizes left to `tuned`; '' if it needs no rules.

    The decisions must have passed `tuned_rules`.
    """
    led = [decision for decision in decisions if OPERATIONS[decision.operation].led_by_han]
    if not led:
        return ""
    tables = by_operation(led, {})
    lines = ["# SIZE COMPONENT below each communicator size", str(len(tables))]
    for name, by_ranks in tables.items():
        lines.append(f"{OPERATIONS[name].number} 1 {_GLOBAL_LEVEL}")
        rows = {1: ["0 han"]}
        for ranks, steps in by_ranks.items():
            rows[ranks] = [f"{step.from_bytes} {'tuned' if step.choice.algorithm else 'han'}" for step in steps]
        lines += _sections(rows, rows[1])
    return "\n".join(lines) + "\n"


def _sections(rows: Mapping[int, list[str]], default: list[str]) -> list[str]:
    """The communicator sizes in order, each above a decided one closed by the default."""
    closed = {size + 1: default for size in rows if rows[size] is not default} | dict(rows)
    lines = [str(len(closed))]
    for size in sorted(closed):
        lines += [f"{size} {len(closed[size])}", *closed[size]]
    return lines


def first_size(from_bytes: int, factor: int) -> int:
    """Return the smallest size compared that is above the rule before, to which N x FACTOR still belongs."""
    return (from_bytes - 1) * factor + 1 if from_bytes else 0


def by_operation(
    decisions: Sequence[Decision], known: Mapping[str, tuple[Algorithm, ...]]
) -> dict[str, dict[int, list[Step]]]:
    """Return the steps of each operation and number of ranks, both in order. Raises InputError.

    `known`: the algorithms of each operation; empty: they are not looked at.
    """
    tables: dict[str, dict[int, list[Step]]] = {}
    for decision in sorted(decisions, key=lambda decision: (decision.operation, decision.ranks)):
        if known and decision.operation not in known:
            raise UnknownNameError("configurable operation of Open MPI", decision.operation, known)
        table = tables.setdefault(decision.operation, {})
        if decision.ranks in table or decision.ranks < 2:
            what = "decided twice" if decision.ranks in table else "too few to decide anything for"
            raise InputError(
                f"{decision.operation} at {decision.ranks} ranks: {what}",
                "decide once for each number of ranks from 2 on",
            )
        table[decision.ranks] = _steps(decision)
    return tables


def _steps(decision: Decision) -> list[Step]:
    where = f"{decision.operation} at {decision.ranks} ranks"
    ends = [rule.up_to_bytes for rule in decision.rules]
    bounds = [end for end in ends[:-1] if end is not None]
    if not ends or ends[-1] is not None or len(bounds) != len(ends) - 1:
        raise InputError(
            f"{where}: only the last rule may have no upper size", "give every other rule an upper size"
        )
    if any(end < 0 for end in bounds) or bounds != sorted(set(bounds)):
        raise InputError(f"{where}: rules must be sorted by size", "sort them")
    operation = OPERATIONS[decision.operation]
    if not operation.sized:
        return [Step(0, decision.rules[0].choice)]
    starts = [0, *(end + 1 for end in bounds)]
    steps: list[Step] = []
    for start, rule in zip(starts, decision.rules, strict=True):
        if not steps or steps[-1].choice != rule.choice:
            steps.append(Step(start, rule.choice))
    if operation.all_sizes and len(steps) > 1:
        why = f"Open MPI takes one choice for all sizes ({operation.all_sizes})"
        raise InputError(f"{where}: {why}", "choose one of them")
    return steps


@dataclass(frozen=True, slots=True)
class Numbers:
    """Numbers are a choice as rules files have it; algorithm "0" is the default."""

    algorithm: str = "0"
    fanout: int = 0
    segment: int = 0

    def __str__(self) -> str:
        return f"{self.algorithm} {self.fanout} {self.segment}"


def numbers(installation: Installation, operation: str, known: Sequence[Algorithm], choice: Choice) -> Numbers:
    """Return a choice in numbers; a parameter that is left open gets this installation's own value.

    Raises InputError for what this version does not have, or out of range.
    """
    if not choice.algorithm and not (choice.segment_bytes or choice.fanout):
        return Numbers()
    by_name = {algorithm.name: algorithm for algorithm in known}
    if choice.algorithm not in by_name:
        raise UnknownNameError(
            f"{operation} algorithm of Open MPI {installation.version}", choice.algorithm, by_name
        )
    algorithm = by_name[choice.algorithm]
    prefix = f"coll_tuned_{operation}_algorithm"
    fanout = _parameter(
        choice.fanout, algorithm.fanout, MOST_FANOUT, f"{operation} {algorithm.name}: fan-out",
        installation.number(f"{prefix}_chain_fanout"),
    )  # fmt: skip
    segment = _parameter(
        choice.segment_bytes, algorithm.segments, 2**31 - 1, f"{operation} {algorithm.name}: segment size",
        installation.number(f"{prefix}_segmentsize"),
    )  # fmt: skip
    return Numbers(algorithm.native, fanout, segment)


def _parameter(value: int, taken: bool, most: int, what: str, otherwise: int) -> int:
    """The value to write for one that must be between 0 (left open) and `most`, and 0 where it is not taken."""
    if not taken and value:
        raise InputError(f"{what} {value}: this algorithm takes none", "leave it out")
    if not 0 <= value <= most:
        raise InputError(f"{what} {value} is out of range", f"0 to {most}")
    return value or (otherwise if taken else 0)
