"""What of a tuning acts on a cell, and to which rule a cell is due."""

from __future__ import annotations

from rankwise.analysis.tunings import rule_at
from rankwise.core.records import Cell
from rankwise.core.tuning import Choice, Decision, Rule, Tuning

DEFAULTS = Tuning()
EDGE_BYTES = 16
"""A cell so few bytes above a rule's last size looks whether the rule really ends there: an element or two."""

STEPS = {
    "allgather": ("allgather", "bcast", "gather"),
    "allreduce": ("allreduce", "bcast", "reduce"),
    "barrier": ("allreduce", "barrier", "bcast", "reduce"),
    "bcast": ("bcast",),
    "gather": ("gather",),
    "reduce": ("reduce",),
    "scatter": ("scatter",),
}
"""Which operations on fewer ranks these are made of where an implementation does them in steps: Open MPI's HAN
(coll_han_*.c) and MPICH's smp algorithms and compositions. Others may be made of anything."""
OF_PARTS = ("nonblocking", "smp")
"""Algorithms of MPICH that call such operations; all others that a rule can choose send messages of their own."""


def communicator_ranks(cell: Cell) -> int:
    """Return the size of the communicators that the cell's operation runs on."""
    return cell.ranks // cell.options.groups


def acting(tuning: Tuning, cell: Cell) -> tuple[object, ...]:
    """Return all that may act on a cell: two tunings for which it is the same do the same there.

    Settings act everywhere, a rule on communicators of its size. A decision for fewer ranks may act inside where
    the implementation chooses itself, since it does operations in steps (Open MPI's HAN, MPICH's `smp`); one for
    the ranks of the whole job may act on its groups, as Intel MPI's tables do.
    """
    ranks = communicator_ranks(cell)
    due = rule_at(tuning, cell.benchmark, ranks, cell.size_bytes)
    return (
        tuning.settings, tuning.host_settings, due[1].choice if due else Choice(), _within(tuning, cell),
        _of_job(tuning, cell),
    )  # fmt: skip


def acts(tuning: Tuning, cell: Cell, base: Tuning = DEFAULTS) -> bool:
    """Return whether a cell may differ at all from what it is with `base`."""
    return acting(tuning, cell) != acting(base, cell)


def has_rule(tuning: Tuning, cell: Cell) -> bool:
    """Return whether a rule for its own size and ranks, other than the default's, decides how a cell is done."""
    due = rule_at(tuning, cell.benchmark, communicator_ranks(cell), cell.size_bytes)
    return due is not None and due[1].choice != Choice()


def rule_behind(tuning: Tuning, cell: Cell) -> tuple[Decision, Rule] | None:
    """Return the rule, other than the default's, that a cell is due to; None if it is due to none.

    That of its own size and ranks; else one of the whole job; else the largest that acts inside; else the one that
    ends just below its size.
    """
    size, ranks = cell.size_bytes, communicator_ranks(cell)
    due = rule_at(tuning, cell.benchmark, ranks, size)
    if due and due[1].choice != Choice():
        return due
    if job := _of_job(tuning, cell):
        return rule_at(Tuning(decisions=job), cell.benchmark, cell.ranks, size)
    inside = [decision for decision in _within(tuning, cell) if decision.operation == cell.benchmark]
    if inside:
        largest = max(inside, key=lambda decision: decision.ranks)
        same = rule_at(tuning, cell.benchmark, largest.ranks, size)
        chosen = [rule for rule in largest.rules if rule.choice != Choice()]
        return same if same and same[1].choice != Choice() else (largest, chosen[-1])
    below = rule_at(tuning, cell.benchmark, ranks, size - EDGE_BYTES)
    return below if below and below[1].choice != Choice() else None


def _within(tuning: Tuning, cell: Cell) -> tuple[Decision, ...]:
    steps, ranks = STEPS.get(cell.benchmark), communicator_ranks(cell)
    due = rule_at(tuning, cell.benchmark, ranks, cell.size_bytes)
    if due and due[1].choice != Choice() and due[1].choice.algorithm not in OF_PARTS:
        return ()
    return tuple(
        decision
        for decision in tuning.decisions
        if decision.ranks < ranks and (steps is None or decision.operation in steps)
    )


def _of_job(tuning: Tuning, cell: Cell) -> tuple[Decision, ...]:
    """The decisions for all ranks of a job whose operation runs on groups of them, at this size."""
    if cell.options.groups == 1:
        return ()
    due = rule_at(tuning, cell.benchmark, cell.ranks, cell.size_bytes)
    return (due[0],) if due and due[1].choice != Choice() else ()
