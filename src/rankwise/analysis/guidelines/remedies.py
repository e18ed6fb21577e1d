"""What ends a violation: another call in the program, an algorithm that the implementation has, or a profile."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from rankwise.analysis.guidelines import rules
from rankwise.analysis.guidelines.checks import Check
from rankwise.analysis.guidelines.findings import Finding
from rankwise.core.tuning import Algorithm, Choice, Decision, Part, Profile, Rule
from rankwise.core.units import format_size
from rankwise.profiles.sentences import decision_sentence
from rankwise.profiles.words import choice_words

Algorithms = Mapping[str, Sequence[Algorithm]]
"""What an implementation offers, by operation."""


@dataclass(frozen=True, slots=True)
class Remedy:
    """How to end one violated guideline."""

    words: str
    """What to call in its place, at which sizes, and what that was measured to take."""
    decision: Decision | None = None
    """The choice of algorithm, where the implementation has one that works as the mock-up does."""
    tuned_by: str = ""
    """The line that finds and validates a better setting; '' where Rankwise can set nothing that matters."""
    profiles: tuple[tuple[str, str], ...] = ()
    """What profiles that are already there choose at these sizes, in words, and the line that loads each."""


def remedy_for(
    finding: Finding, algorithms: Algorithms, testbed: str = "local", profiles: Sequence[Profile] = ()
) -> Remedy:
    """Return what mends a violated guideline, on an implementation that offers these `algorithms`.

    `profiles`: those that were made for this testbed.
    """
    tuned_by = _tuned_by(finding, algorithms, testbed)
    known = tuple(suggestion for profile in profiles for suggestion in _of_profile(finding, profile))
    if finding.guideline == rules.SPLIT:
        return Remedy("; ".join(_in_parts(finding)), tuned_by=tuned_by, profiles=known)
    if finding.guideline == rules.MONOTONY:
        text = "; ".join(f"at {format_size(violation.size_bytes)} pad it to {_times(violation.other, [violation])}"
                          for violation in finding.violations)  # fmt: skip
        return Remedy(text, tuned_by=tuned_by, profiles=known)
    rule = next(guideline for guideline in rules.GUIDELINES if guideline.mockup == finding.guideline)
    text = "; ".join(_times(f"{rule.instead} {_span(same)}", same) for same in stretches(finding))
    text += f": {rule.replacement}"
    fitting = fits(rule, algorithms.get(rule.operation, ()))
    return Remedy(text, decision(finding, fitting) if fitting else None, tuned_by, known)


def algorithm_words(chosen: Decision) -> str:
    """Return `or let a profile choose: allreduce on 4 ranks rabenseifner up to 4 KiB, as by default above`."""
    return f"or let a profile choose: {decision_sentence(chosen)}"


def stretches(finding: Finding) -> list[tuple[Check, ...]]:
    """Return neighbouring sizes at which the guideline is violated, taken together."""
    runs = groupby(finding.checks, key=lambda check: check.word == "violated")
    return [tuple(same) for violated, same in runs if violated]


def _span(same: Sequence[Check]) -> str:
    """`at 8 B`, `between 8 B and 1 KiB`."""
    low, high = format_size(same[0].size_bytes), format_size(same[-1].size_bytes)
    return f"at {low}" if len(same) == 1 else f"between {low} and {high}"


def _times(said: str, same: Sequence[Check]) -> str:
    """What takes the place of the operation, and what it takes: `... (0.61 times the time)`."""
    least, most = (f"{1 / pick(check.ratio for check in same):.2f}" for pick in (max, min))
    times = least if least == most else f"{least} to {most}"
    return f"{said} ({times} times the time)"


def _in_parts(finding: Finding) -> Iterator[str]:
    for violation in finding.violations:
        yield _times(f"at {format_size(violation.size_bytes)} send it in parts, {violation.other}", [violation])


def _tuned_by(finding: Finding, algorithms: Algorithms, testbed: str) -> str:
    """The tuner knows thresholds of plain messages, and the algorithms of collectives that have a choice."""
    name = finding.implementation
    where = "" if testbed == "local" else f" --testbed {testbed}"
    if finding.operation == "pingpong":
        layout = finding.options.layout
        return f"rankwise tune {name}{where} --for p2p" if layout in rules.CONTIGUOUS else ""
    if len(algorithms.get(finding.operation, ())) < 2:
        return ""
    sizes = ",".join(str(violation.size_bytes) for violation in finding.violations)
    return f"rankwise tune {name}{where} --for {finding.operation} -n {finding.ranks} --sizes {sizes}"


def _of_profile(finding: Finding, profile: Profile) -> Iterator[tuple[str, str]]:
    """What a profile chooses for the operation at violated sizes, and what its validation measured."""
    name = finding.implementation
    for part in profile.parts:
        for decided in part.tuning.decisions if part.implementation == name else ():
            if (decided.operation, decided.ranks) != (finding.operation, finding.ranks):
                continue
            chosen = dict.fromkeys(choice_words(_choice(decided, check.size_bytes)) for check in finding.violations
                                   if _choice(decided, check.size_bytes) != Choice())  # fmt: skip
            if chosen:
                text = f"profile {profile.name} has {'; '.join(chosen)} there{_validated(finding, part)}"
                yield text, f"rankwise run --profile {profile.name} --mpi {name} -n {finding.ranks} -- ./app"


def _choice(decided: Decision, size_bytes: int) -> Choice:
    fitting = (rule.choice for rule in decided.rules if rule.up_to_bytes is None or size_bytes <= rule.up_to_bytes)
    return next(fitting, Choice())


def _validated(finding: Finding, part: Part) -> str:
    """The geometric mean of its validation near the violated sizes; '' where nothing was measured there."""
    low, high = finding.violations[0].size_bytes / 2, finding.violations[-1].size_bytes * 2
    logarithms = [
        math.log(verdict.ratio)
        for verdict in part.verdicts
        if (verdict.benchmark, verdict.ranks) == (finding.operation, finding.ranks)
        and low <= verdict.size_bytes <= high
    ]
    if not logarithms:
        return ""
    return f" ({math.exp(sum(logarithms) / len(logarithms)):.2f} times the default's time)"


def fits(rule: rules.Guideline, offered: Sequence[Algorithm]) -> Algorithm | None:
    """Return the algorithm whose name says that it works as the mock-up does, the plainest one if several do."""
    for wanted in rule.algorithms:
        named = [algorithm for algorithm in offered if wanted <= _words(algorithm.name)]
        if named:
            return min(named, key=lambda algorithm: len(_words(algorithm.name)))
    return None


def _words(name: str) -> set[str]:
    return set(re.findall(r"[a-z0-9]+", name.lower()))


def decision(finding: Finding, algorithm: Algorithm) -> Decision:
    """Choose `algorithm` at the sizes at which the guideline is violated, leave the default elsewhere.

    What lies between two sizes that were measured goes with the larger; beyond the last nothing is changed.
    """
    merged: list[Rule] = []
    for check in finding.checks:
        choice = Choice(algorithm.name) if check.word == "violated" else Choice()
        if merged and merged[-1].choice == choice:
            merged.pop()
        merged.append(Rule(check.size_bytes, choice))
    if merged and merged[-1].choice == Choice():
        merged.pop()
    return Decision(finding.operation, finding.ranks, (*merged, Rule(None, Choice())))
