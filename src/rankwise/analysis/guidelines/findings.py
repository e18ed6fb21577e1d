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
        return tuple(check for check in self.checks if check.word == "violated")

    @property
    def worst(self) -> Check:
        """The check with the largest ratio, of the violated ones if there are any."""
        return max(self.violations or self.checks, key=lambda check: check.ratio)

    def label(self, several: frozenset[str] = frozenset()) -> str:
        """Return `allreduce ≤ reduce + bcast`, with options that differ; `several` as in `labels.words`."""
        own = {rules.SPLIT: f"{self.operation} in parts", rules.MONOTONY: f"a larger {self.operation}"}
        text = f"{self.operation} ≤ {own.get(self.guideline, self.checks[0].other)}"
        return ", ".join([text, *labels.words(self.options, self.placement, several)])


def findings(checks: Iterable[Check]) -> tuple[Finding, ...]:
    """Return one finding an implementation, guideline, operation, ranks, options and placement.

    They come in the order of the checks, those with mock-ups first."""
    groups: defaultdict[tuple[tuple[str, str], str, str, int, Options, str], list[Check]] = defaultdict(list)
    for check in checks:
        key = (
            (check.implementation, check.variant),
            check.guideline,
            check.operation,
            check.ranks,
            check.options,
            check.placement,
        )
        groups[key].append(check)
    all_findings = [
        Finding(guideline, *names, operation, ranks, options, placement, _together(group),
                tuple(sorted(group, key=lambda sized: sized.size_bytes)))
        for (names, guideline, operation, ranks, options, placement), group in groups.items()
    ]  # fmt: skip
    return tuple(
        sorted(all_findings, key=lambda finding: (finding.variant, finding.ranks, _place(finding.guideline)))
    )


def _place(guideline: str) -> int:
    order = [*(rule.mockup for rule in rules.GUIDELINES), rules.SPLIT, rules.MONOTONY]
    return order.index(guideline)


def _together(checks: Sequence[Check]) -> Word:
    verdict_words = {check.word for check in checks}
    if "violated" in verdict_words:
        return "violated"
    return "holds" if verdict_words == {"holds"} else "undecided"


def sentences(all_findings: Sequence[Finding]) -> list[str]:
    """Return one sentence an implementation: how many checks came out how, and the worst violation."""
    said = []
    for name in dict.fromkeys(finding.variant for finding in all_findings):
        own = [finding for finding in all_findings if finding.variant == name]
        counts = Counter(check.word for finding in own for check in finding.checks)
        violated = [finding for finding in own if finding.word == "violated"]
        sentence = (
            f"{name}: {counts.total()} checks of {len(own)} guidelines: {counts['holds']} hold, "
            f"{counts['violated']} violated, {counts['undecided']} undecided."
        )
        if violated:
            worst = max((finding.worst for finding in violated), key=lambda finding: finding.ratio)
            sentence += f" The worst: {violation(worst)}."
        said.append(sentence)
    return said


def notices(all_findings: Sequence[Finding]) -> tuple[Notice, ...]:
    """Return the warning that some checks had too few launches to show a violation, however large."""
    checks = [check for finding in all_findings for check in finding.checks]
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
