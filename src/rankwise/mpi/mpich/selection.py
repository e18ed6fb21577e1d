"""MPICH's selection files: decisions put into its own default tree of questions, which stays as it is elsewhere.

A selection file is JSON: each key is a question (`comm_size<=4`, `avg_msg_size<=1024`), what is below it is for
those who answer yes, the next key for the others; a leaf is an algorithm with its parameters. A file that leaves
out an operation, or a case, ends every program that comes to it, so what comes out here is always complete.

What the questions about sizes count was read in MPICH's sources (4.0.2 and 5.0) and seen in runs:
`avg_msg_size` are bytes of one rank's vector or block, and only some operations have it; `total_msg_size` is
the same times the ranks for an allgather or a reduce_scatter_block, the sum of all blocks for an allgatherv, the
whole vector for a reduce_scatter; gather and scatter count elements, and alltoallv the caller's own blocks, which
may differ from rank to rank, so that ranks could choose differently: they get one choice for all sizes. Scans are
not asked for a size.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from rankwise.core.errors import InputError
from rankwise.core.tuning import Choice, Decision

Tree = dict[str, "Tree"]
Names = Mapping[tuple[str, str], str]
"""The library's names, by operation and our name of the algorithm."""
Leaf = Callable[[str, Choice], Tree]
"""Writes a choice, given the operation."""

LARGEST_SIZE = 2**31 - 1
"""The library reads sizes as C ints."""

_OF_COMMUNICATORS = ("comm_type=", "comm_size", "comm_hierarchy=", "comm_avg_ppn", "is_node_consecutive=")
_WITHIN = "comm_type=intra"
"""Not between two groups; not asked of operations that have only this form."""
_PAGE_BYTES = 4096


@dataclass(frozen=True, slots=True)
class Operation:
    """An operation has questions of its own in a selection file."""

    size: str = ""
    """The question about its size; '' if there is none that all ranks answer alike."""
    times_ranks: bool = False
    """That question counts the message sizes of all ranks together."""
    reduces: bool = False
    in_place: bool = False
    """Its algorithms do not work in place: such calls keep the default."""


OPERATIONS: Mapping[str, Operation] = {
    "allgather": Operation("total_msg_size", times_ranks=True),
    "allgatherv": Operation("total_msg_size", times_ranks=True),
    "allreduce": Operation("avg_msg_size", reduces=True),
    "alltoall": Operation("avg_msg_size", in_place=True),
    "alltoallv": Operation(in_place=True),
    "barrier": Operation(),
    "bcast": Operation("avg_msg_size"),
    "exscan": Operation(),
    "gather": Operation(),
    "reduce": Operation("avg_msg_size", reduces=True),
    "reduce_scatter": Operation("total_msg_size", reduces=True),
    "reduce_scatter_block": Operation("total_msg_size", times_ranks=True, reduces=True),
    "scan": Operation(),
    "scatter": Operation(),
}
"""By their names in our benchmarks, which are MPICH's too."""


@dataclass(frozen=True, slots=True)
class Needs:
    """Needs are what an algorithm asks of a call; calls without it keep the default."""

    power_of_two: bool = False
    """Of the ranks."""
    built_in: bool = False
    """A reduction with an operator of MPI's own, and at least as many elements as ranks."""
    nodes: bool = False
    """Several ranks on a host."""
    equal_blocks: bool = False


NEEDS: Mapping[str, Needs] = {
    "MPIR_Allgather_intra_recursive_doubling": Needs(power_of_two=True),
    "MPIR_Allgatherv_intra_recursive_doubling": Needs(power_of_two=True),
    "MPIR_Allreduce_intra_reduce_scatter_allgather": Needs(built_in=True),
    "MPIR_Allreduce_intra_smp": Needs(nodes=True),
    "MPIR_Barrier_intra_smp": Needs(nodes=True),
    "MPIR_Bcast_intra_smp": Needs(nodes=True),
    "MPIR_Reduce_intra_reduce_scatter_gather": Needs(built_in=True),
    "MPIR_Reduce_intra_smp": Needs(nodes=True),
    "MPIR_Reduce_scatter_block_intra_noncommutative": Needs(power_of_two=True),
    "MPIR_Reduce_scatter_intra_noncommutative": Needs(power_of_two=True, equal_blocks=True),
}
"""Of the algorithms that do not take every call; the library does not check what a selection file chooses."""


def tuned(tree: Tree, decisions: Sequence[Decision], leaf: Leaf, names: Names, version: Sequence[int]) -> Tree:
    """Return `tree` with these decisions, each for communicators of its ranks that a program made.

    Each has passed `check`.
    """
    result = dict(tree)
    for operation in dict.fromkeys(decision.operation for decision in decisions):
        key = f"collective={operation}"
        branch = result[key]
        default = branch.get(_WITHIN, branch)
        changed = {
            decision.ranks: _of_programs(
                default, _decided(default, decision, leaf, names), decision.ranks, version
            )
            for decision in decisions
            if decision.operation == operation
        }
        chosen = _for_ranks(default, changed)
        result[key] = {**branch, _WITHIN: chosen} if _WITHIN in branch else chosen
    return result


def check(decision: Decision, names: Names) -> None:
    """Refuse a decision that no selection file can express, by an InputError."""
    operation, ranks = OPERATIONS[decision.operation], decision.ranks
    what = f"{decision.operation} at {ranks} ranks"
    if ranks < 2:
        raise InputError(f"{what} cannot be decided", "give at least 2 ranks")
    if not decision.rules or decision.rules[-1].up_to_bytes is not None:
        raise InputError(f"the rules of {what} leave out the largest messages", "give the last rule no upper size")
    limits = [rule.up_to_bytes for rule in decision.rules if rule.up_to_bytes is not None]
    if len(limits) != len(decision.rules) - 1 or limits != sorted(set(limits)):
        raise InputError(f"the rules of {what} must be sorted by size", "sort them")
    if limits and not operation.size:
        raise InputError(
            f"MPICH cannot change the algorithm of {decision.operation} with the size: its ranks would not agree",
            "give one rule for all sizes",
        )
    if limits and limits[-1] * (ranks if operation.times_ranks else 1) > LARGEST_SIZE:
        raise InputError(
            f"{what}: {limits[-1]} bytes are more than MPICH's selection file can name",
            "end the rule at a smaller size",
        )
    for algorithm in {rule.choice.algorithm for rule in decision.rules if rule.choice.algorithm}:
        if NEEDS.get(names[decision.operation, algorithm], Needs()).power_of_two and ranks & (ranks - 1):
            raise InputError(
                f"{what}: {algorithm} needs a power of two of ranks", "choose another algorithm, or other ranks"
            )


def text(tree: Tree) -> str:
    """Return the file's text. The library maps it and reads to its end, which must lie within a page."""
    written = json.dumps(tree, indent=1) + "\n"
    return written if len(written) % _PAGE_BYTES else written + "\n"


def _for_ranks(default: Tree, sizes: Mapping[int, Tree]) -> Tree:
    """`sizes` for communicators of exactly so many ranks."""
    branches: Tree = {}
    below = 0
    for ranks in sorted(sizes):
        if ranks - 1 > below:
            branches[f"comm_size<={ranks - 1}"] = default
        branches[f"comm_size<={ranks}"] = sizes[ranks]
        below = ranks
    branches["comm_size=any"] = default
    return branches


def _of_programs(default: Tree, changed: Tree, ranks: int, version: Sequence[int]) -> Tree:
    """`changed` for communicators that programs know, not for those that MPICH makes within larger ones.

    These are of the ranks of one host, and of the first rank of each host. Up to 4.x their kind can be asked
    for; from 5.0 on they have no node information, so that a question about that is always denied for them.
    """
    if tuple(version) >= (5,):
        return {f"comm_avg_ppn<={ranks}": changed, "comm_avg_ppn=any": default}
    return {
        "comm_hierarchy=node_roots": default,
        "comm_hierarchy=node": default,
        "comm_hierarchy=any": changed,
    }


def _decided(default: Tree, decision: Decision, leaf: Leaf, names: Names) -> Tree:
    """`default` with the decision where its questions about the communicator end.

    The library asks those once, when a communicator is made, and not quite in the same way as at each call
    (`comm_size<8` then holds for 8): so they stay where they are.
    """
    if default and all(key.replace(" ", "").startswith(_OF_COMMUNICATORS) for key in default):
        return {key: _decided(below, decision, leaf, names) for key, below in default.items()}
    operation = OPERATIONS[decision.operation]
    branches: Tree = {}
    for rule in decision.rules:
        chosen = default
        if rule.choice.algorithm:
            name = names[decision.operation, rule.choice.algorithm]
            chosen = _guarded(default, leaf(decision.operation, rule.choice), name)
        if rule.up_to_bytes is None:
            branches = {**branches, f"{operation.size}=any": chosen} if branches else chosen
        else:
            limit = rule.up_to_bytes * (decision.ranks if operation.times_ranks else 1)
            branches[f"{operation.size}<={limit}"] = chosen
    if operation.reduces:
        return {"is_commutative=yes": branches, "is_commutative=no": default}
    if operation.in_place:
        return {"is_sendbuf_inplace=yes": default, "is_sendbuf_inplace=no": branches}
    return branches


def _guarded(default: Tree, chosen: Tree, name: str) -> Tree:
    """`chosen` for the calls that the algorithm can do."""
    needs = NEEDS.get(name, Needs())
    if needs.nodes:
        chosen = {"comm_hierarchy=parent": chosen, "comm_hierarchy=any": default}
    if needs.equal_blocks:
        chosen = {"is_block_regular=yes": chosen, "is_block_regular=no": default}
    if needs.built_in:
        enough: Tree = {"count<pow2": default, "count=any": chosen}
        chosen = {"is_op_built_in=yes": enough, "is_op_built_in=no": default}
    return chosen
