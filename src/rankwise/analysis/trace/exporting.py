"""What all formats of other tools have in common: tags that tell communicators apart, sizes of collectives."""

from __future__ import annotations

from rankwise.analysis.trace.collectives import OPERATIONS
from rankwise.analysis.trace.grammar import Communicator
from rankwise.analysis.trace.operations import Step, operation
from rankwise.analysis.trace.reading import RankTrace, Trace
from rankwise.core.errors import InputError

COLLECTIVE_TAG = -4
_MESSAGES = {"send", "isend", "recv", "irecv", "both", "start", "completion", "probe"}
_VARYING = ("gatherv", "scatterv", "allgatherv", "alltoallv", "alltoallw")


class Tags:
    """A number for each communicator and tag, since other formats have one communicator alone."""

    def __init__(self) -> None:
        self._numbers: dict[tuple[frozenset[tuple[int, ...]], int, int], int] = {}

    def number(self, communicator: Communicator | None, tag: int) -> int:
        """Return the number that stands for a tag on a communicator."""
        known = communicator or Communicator(())
        groups = frozenset((known.members, known.peers))  # both sides of an intercommunicator see the same
        return self._numbers.setdefault((groups, known.ordinal, tag), len(self._numbers))


def block_bytes(step: Step) -> int:
    """Return the bytes of a collective's buffer, or of one block: of varying blocks the mean."""
    name = operation(step.function)
    members = len(step.communicator.members) if step.communicator else 1
    size = max(step.bytes, step.received)
    if step.function.removesuffix("_c").lower().endswith("_block"):
        return size * members
    if name in {"gatherv", "allgatherv"} and step.bytes:
        return step.bytes
    if name == "scatterv" and not step.bytes:
        return step.received
    return size // members if name in _VARYING else size


def takes_messages(trace: RankTrace, row: tuple[int, ...]) -> bool:
    """Return whether a call becomes messages that others receive, or belongs to some."""
    function, kind = trace.functions[row[0]]
    if kind != "collective":
        return kind in _MESSAGES and len(row) > 1
    known = trace.communicators.get(row[1]) if len(row) > 4 else None
    is_known = known is not None and known.remote is None and trace.rank in known.members
    return is_known and operation(function) in OPERATIONS


def of_all(step: Step, trace: Trace) -> bool:
    """Return whether a collective is one of all ranks, in the order of MPI_COMM_WORLD."""
    known = step.communicator
    ranks = max(rank_trace.ranks for rank_trace in trace.ranks)
    return known is not None and known.remote is None and known.members == tuple(range(ranks))


def need_times(trace: Trace) -> None:
    """Raise InputError for a trace that does not tell when each call was."""
    if trace.keep != "all":
        option = "--summary-only" if trace.keep == "summary" else "--times statistics"
        raise InputError("this trace has no times of single calls", f"record it again without {option}")


def need_order(trace: Trace) -> None:
    """Raise InputError for a trace that other tools could not follow: a rank is missing, or all order is."""
    if trace.keep == "summary":
        raise InputError(
            "a summary has no order of calls", "record it again without --summary-only: that can be exported"
        )
    ranks = max(rank_trace.ranks for rank_trace in trace.ranks)
    if len(trace.ranks) < ranks:
        raise InputError(
            f"of {ranks} ranks only {len(trace.ranks)} left a trace: the others' messages are not known",
            "record it with a folder that all hosts can write to: -o",
        )
