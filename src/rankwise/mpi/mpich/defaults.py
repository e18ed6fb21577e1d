"""What MPICH takes by itself: how one call answers the questions of the selection that the library carries."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from rankwise.core.units import whole_number
from rankwise.mpi.mpich.algorithms import flat_composition, own_name
from rankwise.mpi.mpich.library import Library
from rankwise.mpi.mpich.selection import OPERATIONS, Tree

_QUESTION = re.compile(r"(\w+)\s*(<=|<|=)\s*(\w+)")
_ANY = "any"
_FLOAT_BYTES = 4
"""Of an element of a reduction, as our benchmarks have it."""
_WORDS = {
    "comm_type": "intra", "is_commutative": "yes", "is_op_built_in": "yes", "is_block_regular": "yes",
    "is_sendbuf_inplace": "no",
}  # fmt: skip
"""Answers that all of our benchmarks give, with their default options."""


def default_algorithm(contents: Library, operation: str, size_bytes: int, hosts: Sequence[str]) -> str:
    """Return what the library's own selection comes to, as `own_name` calls it.

    `hosts` has one entry a rank. '' where MPICH puts the operation together from one algorithm within hosts and
    another between them, and where a question cannot be answered.
    """
    if operation not in OPERATIONS:
        return ""
    key, answers = f"collective={operation}", _answers(operation, size_bytes, hosts)
    whole = flat_composition(operation)
    if whole in contents.compositions and _leaf(contents.composition.get(key, {}), answers) != whole:
        return ""
    return own_name(_leaf(contents.selection.get(key, {}), answers))


def _answers(operation: str, size_bytes: int, hosts: Sequence[str]) -> dict[str, str | int]:
    ranks = len(hosts)
    total = size_bytes * (ranks if OPERATIONS[operation].times_ranks else 1)
    apart = max(Counter(hosts).values()) == 1
    return {
        **_WORDS, "comm_size": ranks, "comm_hierarchy": "flat" if apart else "parent",
        "avg_msg_size": size_bytes, "total_msg_size": total, "count": size_bytes // _FLOAT_BYTES,
    }  # fmt: skip


def _leaf(tree: Tree, answers: dict[str, str | int], *, of_communicator: bool = True) -> str:
    """The name at the end of the way through the tree; '' where there is none.

    MPICH asks the first questions, those about the communicator, when that is made, and then takes `comm_size<8`
    to hold for 8 as well.
    """
    for key, below in tree.items():
        kind, _, name = key.partition("=")
        if kind in ("algorithm", "composition"):
            return name
        about = of_communicator and key.startswith("comm_")
        if _holds(key, answers, or_equal=about):
            return _leaf(below, answers, of_communicator=about)
    return ""


def _holds(question: str, answers: dict[str, str | int], *, or_equal: bool) -> bool:
    match = _QUESTION.fullmatch(question)
    answer = answers.get(match[1]) if match else None
    if match is None or match[3] == _ANY:
        return match is not None
    if not isinstance(answer, int):
        return answer == match[3]
    if match[3] == "pow2":
        largest = 1 << (int(answers["comm_size"]).bit_length() - 1)
        return answer < largest if match[2] == "<" else answer == largest
    limit = whole_number(match[3])
    if limit is None:
        return False
    return {"=": answer == limit, "<=": answer <= limit, "<": answer < limit or (or_equal and answer == limit)}[
        match[2]
    ]
