"""What a tuning does with a cell, one tuning on top of another, and what becomes of its reasons."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from rankwise.core.records import Cell
from rankwise.core.tuning import Choice, Decision, Reason, Rule, Tuning
from rankwise.core.units import at_most


def rule_at(tuning: Tuning, operation: str, ranks: int, size_bytes: int) -> tuple[Decision, Rule] | None:
    """Return the rule that holds for a size, and its decision; None where no decision is about it."""
    for decision in tuning.decisions:
        if (decision.operation, decision.ranks) == (operation, ranks):
            for rule in decision.rules:
                if rule.up_to_bytes is None or size_bytes <= rule.up_to_bytes:
                    return decision, rule
    return None


def choice_at(tuning: Tuning, cell: Cell) -> Choice:
    """Return how this cell is done; the default where no decision is about it."""
    rule = rule_at(tuning, cell.benchmark, cell.ranks, cell.size_bytes)
    return rule[1].choice if rule else Choice()


def range_words(rule: Rule) -> str:
    """Say which sizes a rule is for: `up to 4 KiB`, `below 1 MiB`, `above`."""
    return "above" if rule.up_to_bytes is None else at_most(rule.up_to_bytes)


def merged(base: Tuning, over: Tuning) -> Tuning:
    """Return `over` and all of `base` that it does not set too: knobs, operations by ranks, host settings."""
    settings = {setting.knob: setting for setting in (*base.settings, *over.settings)}
    decisions = {(decision.operation, decision.ranks): decision for decision in (*base.decisions, *over.decisions)}
    return Tuning(
        settings=tuple(settings.values()),
        decisions=tuple(decisions.values()),
        host_settings=tuple(dict((*base.host_settings, *over.host_settings)).items()),
    )


def with_reverted(reasons: Sequence[Reason], reverted: Iterable[Reason]) -> list[Reason]:
    """Return the reasons with those why something does not stay, each behind the one why it was chosen.

    What was chosen and does not stay has no cost. A search of several knobs names the one it chose in its words.
    """
    merged_reasons = list(reasons)
    for back in reverted:
        chosen = f"{back.subject}="
        at = [
            i for i, old in enumerate(merged_reasons)
            if old.subject == back.subject or old.words.startswith(chosen)
        ]  # fmt: skip
        if at:
            old = merged_reasons[at[0]]
            merged_reasons[at[0]] = replace(old, words=f"{old.words}. But {back.words}", cost="")
        else:
            merged_reasons.append(back)
    return merged_reasons
