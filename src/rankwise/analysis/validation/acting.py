"""What of a tuning acts on a cell, and the tuning without it."""

from __future__ import annotations

from dataclasses import replace

from rankwise.analysis.tunings import range_words, rule_at
from rankwise.core.records import Cell
from rankwise.core.tuning import Choice, Decision, Reason, Rule, Tuning

EDGE_BYTES = 16
"""A cell so few bytes above a rule's last size looks whether the rule really ends there: an element or two."""


def communicator_ranks(cell: Cell) -> int:
    """Return the size of the communicators that the cell's operation runs on."""
    return cell.ranks // cell.options.groups


def acting(tuning: Tuning, cell: Cell) -> tuple[object, ...]:
    """Return all that may act on a cell: two tunings for which it is the same do the same there.

    Settings act everywhere, a rule on communicators of its size. A decision for fewer ranks may act inside, since
    implementations do operations in steps (Open MPI's HAN, MPICH's `smp`); one for the ranks of the whole job may
    act on its groups, as Intel MPI's tables do.
    """
    ranks = communicator_ranks(cell)
    found = rule_at(tuning, cell.benchmark, ranks, cell.size_bytes)
    return (
        tuning.settings, tuning.host_settings, found[1].choice if found else Choice(), _within(tuning, cell),
        _of_job(tuning, cell),
    )  # fmt: skip


def acts(tuning: Tuning, cell: Cell) -> bool:
    """Return whether a cell may differ from the default's at all."""
    return acting(tuning, cell) != acting(Tuning(), cell)


def has_rule(tuning: Tuning, cell: Cell) -> bool:
    """Return whether a rule for its own size and ranks, other than the default's, decides how a cell is done."""
    found = rule_at(tuning, cell.benchmark, communicator_ranks(cell), cell.size_bytes)
    return found is not None and found[1].choice != Choice()


def rule_behind(tuning: Tuning, cell: Cell) -> tuple[Decision, Rule] | None:
    """Return the rule, other than the default's, that a cell is due to; None if it is due to none.

    That of its own size and ranks; else one of the whole job; else the largest that acts inside; else the one that
    ends just below its size.
    """
    size, ranks = cell.size_bytes, communicator_ranks(cell)
    found = rule_at(tuning, cell.benchmark, ranks, size)
    if found and found[1].choice != Choice():
        return found
    if job := _of_job(tuning, cell):
        return rule_at(Tuning(decisions=job), cell.benchmark, cell.ranks, size)
    inside = [one for one in _within(tuning, cell) if one.operation == cell.benchmark]
    if inside:
        largest = max(inside, key=lambda one: one.ranks)
        same = rule_at(tuning, cell.benchmark, largest.ranks, size)
        chosen = [rule for rule in largest.rules if rule.choice != Choice()]
        return same if same and same[1].choice != Choice() else (largest, chosen[-1])
    below = rule_at(tuning, cell.benchmark, ranks, size - EDGE_BYTES)
    return below if below and below[1].choice != Choice() else None


def _within(tuning: Tuning, cell: Cell) -> tuple[Decision, ...]:
    return tuple(one for one in tuning.decisions if one.ranks < communicator_ranks(cell))


def _of_job(tuning: Tuning, cell: Cell) -> tuple[Decision, ...]:
    """The decisions for all ranks of a job whose operation runs on groups of them, at this size."""
    if cell.options.groups == 1:
        return ()
    found = rule_at(tuning, cell.benchmark, cell.ranks, cell.size_bytes)
    return (found[0],) if found and found[1].choice != Choice() else ()


def is_complete(decision: Decision) -> bool:
    """Return whether a decision leaves no size to the default."""
    return all(one.choice != Choice() for one in decision.rules)


def without_rule(tuning: Tuning, decision: Decision, rule: Rule) -> Tuning:
    """Return the tuning with the default in that rule's place; neighbours that are now the same are merged.

    A decision that left no size to the default goes as a whole: its implementation may not be able to.
    """
    complete = is_complete(decision)
    decisions = []
    for one in tuning.decisions:
        if (one.operation, one.ranks) != (decision.operation, decision.ranks):
            decisions.append(one)
            continue
        rules: list[Rule] = []
        for old in one.rules:
            new = replace(old, choice=Choice()) if complete or old.up_to_bytes == rule.up_to_bytes else old
            if rules and rules[-1].choice == new.choice:
                rules.pop()
            rules.append(new)
        if any(new.choice != Choice() for new in rules):
            decisions.append(replace(one, rules=tuple(rules)))
    return replace(tuning, decisions=tuple(decisions))


def without_last_setting(tuning: Tuning, words: str) -> tuple[Tuning, Reason]:
    """Return the tuning without the setting that was chosen last, or without all of the hosts'; `words`: why."""
    if tuning.settings:
        last = tuning.settings[-1]
        reason = Reason(last.knob, f"{last.value} goes back to the default: {words}")
        return replace(tuning, settings=tuning.settings[:-1]), reason
    names = ", ".join(name for name, _ in tuning.host_settings)
    return replace(tuning, host_settings=()), Reason("host settings", f"{names} go back to the default: {words}")


def rule_words(rule: Rule) -> str:
    """Name a rule: `ring (up to 1 MiB)`."""
    return f"{rule.choice.algorithm} ({range_words(rule) if rule.up_to_bytes is not None else 'to any size'})"
