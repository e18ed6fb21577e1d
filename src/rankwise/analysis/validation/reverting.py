"""What goes back to the default: a setting, a rule, or the sizes at which a rule was not shown to be no slower."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from rankwise.analysis.labels import cell_words
from rankwise.analysis.tunings import range_words
from rankwise.analysis.validation.acting import DEFAULTS, rule_behind
from rankwise.core.records import Cell
from rankwise.core.tuning import Choice, Decision, Reason, Rule, Tuning
from rankwise.core.units import sizes_between

Range = tuple[int, int | None]
"""The first and the last size in bytes; None: there is no last."""


@dataclass(frozen=True, slots=True)
class Bad:
    """A cell because of which something goes back, and why in words."""

    cell: Cell
    why: str
    is_own: bool = False
    """It is one of the rule's own sizes, and only not shown: the rule may stay at others."""


@dataclass(frozen=True, slots=True)
class Reverted:
    """A tuning without what was to blame."""

    tuning: Tuning
    reasons: tuple[Reason, ...]
    unexplained: tuple[str, ...]
    """Cells that nothing in the tuning is to blame for."""


def without(
    tuning: Tuning, bad: Sequence[Bad], own: Iterable[Cell], *, is_over: bool, base: Tuning = DEFAULTS
) -> Reverted:
    """Return the tuning without what the bad cells are due to.

    The rule that a cell is due to goes; where all of its bad cells are its own, it stays between neighbouring ones
    of its own cells (`own`: of all rules) that are not bad. Where a cell is due to no rule, the setting that was
    chosen last goes, or everything if `is_over`, since then no other validation follows. Nothing of `base` goes.
    """
    left, reasons, unexplained = tuning, [], []
    of_rules: dict[tuple[Decision, Rule], list[Bad]] = {}
    setting: Reason | None = None
    for bad_cell in bad:
        why = _words(bad_cell)
        if (rule_due := rule_behind(tuning, bad_cell.cell)) is not None and rule_due[0] not in base.decisions:
            of_rules.setdefault(rule_due, []).append(bad_cell)
        elif setting is not None:
            continue
        elif (tuning.settings, tuning.host_settings) == (base.settings, base.host_settings):
            unexplained.append(why)
        elif is_over:
            setting = Reason("everything", f"goes back to the default: {why}")
            reasons.append(setting)
        else:
            left, setting = without_last_setting(left, why, base)
            reasons.append(setting)
    sizes: dict[tuple[Decision, Rule], set[int]] = {}
    for cell in own:
        if (rule_due := rule_behind(tuning, cell)) is not None:
            sizes.setdefault(rule_due, set()).add(cell.size_bytes)
    for (decision, rule), of_rule in of_rules.items():
        kept: tuple[Range, ...] = ()
        if all(harmed.is_own for harmed in of_rule) and not is_complete(decision):
            not_shown = {harmed.cell.size_bytes for harmed in of_rule}
            first = _first_size(decision, rule)
            kept = kept_ranges(first, rule.up_to_bytes, sizes.get((decision, rule), ()), not_shown)
        if (now := without_rule(left, decision, rule, kept)) != left:
            left = now
            reasons.append(_reason(decision, rule, kept, of_rule))
    return Reverted(base if is_over and setting else left, tuple(reasons), tuple(unexplained))


def kept_ranges(first: int, last: int | None, sizes: Collection[int], bad: Collection[int]) -> tuple[Range, ...]:
    """Return the ranges between `first` and `last` without bad sizes, each from one of `sizes` to another.

    At its ends a rule was looked at, so the outer ranges reach as far as it does. A single size says nothing of
    those beside it.
    """
    known = sorted({*sizes, *bad})
    runs = [[*run] for is_bad, run in groupby(known, lambda size: size in bad) if not is_bad]
    return tuple(
        (first if run[0] == known[0] else run[0], last if run[-1] == known[-1] else run[-1])
        for run in runs
        if len(run) > 1
    )


def without_rule(tuning: Tuning, decision: Decision, rule: Rule, kept: Sequence[Range] = ()) -> Tuning:
    """Return the tuning with the default in that rule's place, but for the sizes in `kept`, which ascend.

    Neighbours that are now the same are merged. A decision that left no size to the default goes as a whole: its
    implementation may not be able to.
    """
    complete = is_complete(decision)
    decisions = []
    for old_decision in tuning.decisions:
        if (old_decision.operation, old_decision.ranks) != (decision.operation, decision.ranks):
            decisions.append(old_decision)
            continue
        rules: list[Rule] = []
        for old in old_decision.rules:
            if complete:
                parts = [replace(old, choice=Choice())]
            else:
                parts = [old] if old.up_to_bytes != rule.up_to_bytes else _narrowed(decision, rule, kept)
            for new in parts:
                if rules and rules[-1].choice == new.choice:
                    rules.pop()
                rules.append(new)
        if any(new.choice != Choice() for new in rules):
            decisions.append(replace(old_decision, rules=tuple(rules)))
    return replace(tuning, decisions=tuple(decisions))


def _narrowed(decision: Decision, rule: Rule, kept: Sequence[Range]) -> list[Rule]:
    narrowed: list[Rule] = []
    for first, last in kept:
        if first > _first_size(decision, rule):
            narrowed.append(Rule(first - 1, Choice()))
        narrowed.append(Rule(last, rule.choice))
    if not narrowed or narrowed[-1].up_to_bytes != rule.up_to_bytes:
        narrowed.append(Rule(rule.up_to_bytes, Choice()))
    return narrowed


def without_last_setting(tuning: Tuning, why: str, base: Tuning = DEFAULTS) -> tuple[Tuning, Reason]:
    """Return the tuning without the setting that was chosen last, or without all of the hosts'; `why`: the reason.

    What `base` has, stays: a knob that it sets goes back to the value there.
    """
    new = [setting for setting in tuning.settings if setting not in base.settings]
    if new:
        last, before = new[-1], {setting.knob: setting for setting in base.settings}
        kept = (before.get(setting.knob) if setting == last else setting for setting in tuning.settings)
        reason = Reason(last.knob, f"{last.value} goes back to the {_before(last.knob in before)}: {why}")
        return replace(tuning, settings=tuple(setting for setting in kept if setting)), reason
    names = ", ".join(name for name, value in tuning.host_settings if (name, value) not in base.host_settings)
    reason = Reason("host settings", f"{names} go back to the {_before(bool(base.host_settings))}: {why}")
    return replace(tuning, host_settings=base.host_settings), reason


def _before(is_validated: bool) -> str:
    return "validated value" if is_validated else "default"


def is_complete(decision: Decision) -> bool:
    """Return whether a decision leaves no size to the default."""
    return all(rule.choice != Choice() for rule in decision.rules)


def rule_words(rule: Rule) -> str:
    """Name a rule: `ring (up to 1 MiB)`."""
    return f"{rule.choice.algorithm} ({range_words(rule) if rule.up_to_bytes is not None else 'to any size'})"


def _first_size(decision: Decision, rule: Rule) -> int:
    before = [earlier.up_to_bytes for earlier in decision.rules[: decision.rules.index(rule)]]
    return (before[-1] or 0) + 1 if before else 0


def _words(bad: Bad) -> str:
    return f"{bad.why} {cell_words(bad.cell)}"


def _reason(decision: Decision, rule: Rule, kept: Sequence[Range], own: Sequence[Bad]) -> Reason:
    """Say what becomes of a rule, and the first cell that is why; how many there are besides."""
    more = f", and {len(own) - 1} more cell{'s' * (len(own) > 2)}" if len(own) > 1 else ""
    if kept:
        ranges = " and ".join(sizes_between(first - 1 if first else None, last) for first, last in kept)
        what = f"stays {ranges} only"
    else:
        whole = is_complete(decision) and len(decision.rules) > 1
        what = f"goes back to the default{' with all others, since no size can be left to it' if whole else ''}"
    subject = f"{decision.operation} at {decision.ranks} ranks"
    return Reason(subject, f"{rule_words(rule)} {what}: {_words(own[0])}{more}")
