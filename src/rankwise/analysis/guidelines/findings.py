"""The checks of one guideline over all sizes, taken together, and the answer in sentences."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from rankwise.analysis import labels
from rankwise.analysis.guidelines import rules
from rankwise.analysis.guidelines.checks import Check, Word
from rankwise.core.records import Notice, Options
from rankwise.core.units import format_size
from rankwise.stats.paired import MIN_FOR_DIFFERENCES


@dataclass(frozen=True, slots=True, eq=False)
class Finding:
    """One guideline on one implementation; `checks` ascend by size."""

    guideline: str
    implementation: str
    variant: str
    """The implementation with what it loads, as people read it."""
    operation: str
    ranks: int
    options: Options
    placement: str
    word: Word
    """`violated` if it is at any size, `holds` if it does at every one."""
    checks: tuple[Check, ...]

    @property
    def violations(self) -> tuple[Check, ...]:
        """The checks that failed."""
        return tuple(one for one in self.checks if one.word == "violated")

    @property
    def worst(self) -> Check:
        """The check with the largest ratio, of the violated ones if there are any."""
        return max(self.violations or self.checks, key=lambda one: one.ratio)

    def label(self, several: frozenset[str] = frozenset()) -> str:
        """Return `allreduce ≤ reduce + bcast`, with options that differ; `several` as in `labels.words`."""
        own = {rules.SPLIT: f"{self.operation} in parts", rules.MONOTONY: f"a larger {self.operation}"}
        words = f"{self.operation} ≤ {own.get(self.guideline, self.checks[0].other)}"
        return ", ".join([words, *labels.words(self.options, self.placement, several)])


def findings(checks: Iterable[Check]) -> tuple[Finding, ...]:
    """Return one finding an implementation, guideline, operation, ranks, options and placement.

    They come in the order of the checks, those with mock-ups first."""
    groups: defaultdict[tuple[tuple[str, str], str, str, int, Options, str], list[Check]] = defaultdict(list)
    for one in checks:
        key = (
            (one.implementation, one.variant),
            one.guideline,
            one.operation,
            one.ranks,
            one.options,
            one.placement,
        )
        groups[key].append(one)
    found = [
        Finding(guideline, *names, operation, ranks, options, placement, _together(group),
                tuple(sorted(group, key=lambda one: one.size_bytes)))
        for (names, guideline, operation, ranks, options, placement), group in groups.items()
    ]  # fmt: skip
    return tuple(sorted(found, key=lambda one: (one.variant, one.ranks, _place(one.guideline))))


def _place(guideline: str) -> int:
    order = [*(one.mockup for one in rules.GUIDELINES), rules.SPLIT, rules.MONOTONY]
    return order.index(guideline)


def _together(checks: Sequence[Check]) -> Word:
    words = {one.word for one in checks}
    if "violated" in words:
        return "violated"
    return "holds" if words == {"holds"} else "undecided"


def sentences(found: Sequence[Finding]) -> list[str]:
    """Return one sentence an implementation: how many checks came out how, and the worst violation."""
    said = []
    for name in dict.fromkeys(one.variant for one in found):
        own = [one for one in found if one.variant == name]
        counts = Counter(check.word for one in own for check in one.checks)
        violated = [one for one in own if one.word == "violated"]
        sentence = (
            f"{name}: {counts.total()} checks of {len(own)} guidelines: {counts['holds']} hold, "
            f"{counts['violated']} violated, {counts['undecided']} undecided."
        )
        if violated:
            worst = max((one.worst for one in violated), key=lambda one: one.ratio)
            sentence += f" The worst: {violation(worst)}."
        said.append(sentence)
    return said


def notices(found: Sequence[Finding]) -> tuple[Notice, ...]:
    """Return the warning that some checks had too few launches to show a violation, however large."""
    checks = [check for one in found for check in one.checks]
    short = [check.launches for check in checks if check.launches < MIN_FOR_DIFFERENCES]
    if not short:
        return ()
    return (
        Notice(
            "too-few-launches",
            f"to show a violation takes {MIN_FOR_DIFFERENCES} launches: {len(short)} of {len(checks)} checks had "
            f"fewer, down to {min(short)}",
            "a longer --time, fewer --bench, --sizes or --layout",
        ),
    )


def violation(check: Check) -> str:
    """Describe a violation: `allreduce of 32 KiB takes 1.42 [1.31, 1.55] times as long as reduce + bcast`."""
    against = check.other if check.guideline != rules.MONOTONY else f"{check.operation} of {check.other}"
    what = ", ".join([f"{check.operation} of {format_size(check.size_bytes)}", *labels.words(check.options, "")])
    ranks = "1 rank" if check.ranks == 1 else f"{check.ranks} ranks"
    return (
        f"{what} on {ranks} takes {check.ratio:.3g} [{check.ratio_low:.3g}, {check.ratio_high:.3g}] "
        f"times as long as {against}"
    )
