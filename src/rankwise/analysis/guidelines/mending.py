"""What ends a violation: an algorithm that the implementation has itself, or another call in the program."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rankwise.analysis.guidelines import rules
from rankwise.analysis.guidelines.findings import Finding
from rankwise.core.tuning import Algorithm, Choice, Decision, Rule
from rankwise.core.units import format_size

Algorithms = Mapping[str, Sequence[Algorithm]]
"""What an implementation offers, by operation."""


@dataclass(frozen=True, slots=True)
class Remedy:
    """How to end one violated guideline."""

    words: str
    decision: Decision | None = None
    """The choice of algorithm, where the implementation has one that works as the mock-up does."""
    tuned_by: str = ""
    """The line that finds, proves and writes a better setting; '' where Rankwise can set nothing that matters."""


def remedy(finding: Finding, algorithms: Algorithms, testbed: str = "local") -> Remedy:
    """What mends a violated guideline, on an implementation that offers these `algorithms`."""
    sizes = ", ".join(format_size(one.size_bytes) for one in finding.violations)
    tuned_by = _tuned_by(finding, algorithms, testbed)
    if finding.guideline == rules.SPLIT:
        return Remedy(f"at {sizes} send it in parts: {finding.worst.other}", tuned_by=tuned_by)
    if finding.guideline == rules.MONOTONY:
        words = f"at {sizes} it goes by another algorithm or protocol than at {finding.worst.other}"
        return Remedy(words if tuned_by else f"{words}; report it to its developers", tuned_by=tuned_by)
    rule = next(one for one in rules.GUIDELINES if one.mockup == finding.guideline)
    fitting = fits(rule, algorithms.get(rule.operation, ()))
    if fitting is None:
        return Remedy(f"at {sizes} {rule.replacement}", tuned_by=tuned_by)
    words = f"at {sizes} try its algorithm {fitting.name} for {rule.operation}; or {rule.replacement}"
    return Remedy(words, decision(finding, fitting), tuned_by)


def _tuned_by(finding: Finding, algorithms: Algorithms, testbed: str) -> str:
    """The tuner knows thresholds of plain messages, and the algorithms of collectives that have a choice."""
    name = finding.implementation.split(" ")[0]
    where = "" if testbed == "local" else f" --testbed {testbed}"
    if finding.operation == "pingpong":
        layout = finding.options.layout
        return f"rankwise tune {name}{where} --for p2p" if layout in rules.CONTIGUOUS else ""
    if len(algorithms.get(finding.operation, ())) < 2:
        return ""
    sizes = ",".join(str(one.size_bytes) for one in finding.violations)
    return f"rankwise tune {name}{where} --for {finding.operation} -n {finding.ranks} --sizes {sizes}"


def fits(rule: rules.Guideline, offered: Sequence[Algorithm]) -> Algorithm | None:
    """The algorithm whose name says that it works as the mock-up does, the plainest one if several do."""
    for wanted in rule.algorithms:
        named = [one for one in offered if wanted <= _words(one.name)]
        if named:
            return min(named, key=lambda one: len(_words(one.name)))
    return None


def _words(name: str) -> set[str]:
    return set(re.findall(r"[a-z0-9]+", name.lower()))


def decision(finding: Finding, algorithm: Algorithm) -> Decision:
    """`algorithm` at the sizes at which the guideline is violated, the implementation's own choice elsewhere.

    What lies between two sizes that were measured goes with the larger; beyond the last nothing is changed.
    """
    found: list[Rule] = []
    for one in finding.checks:
        choice = Choice(algorithm.name) if one.word == "violated" else Choice()
        if found and found[-1].choice == choice:
            found.pop()
        found.append(Rule(one.size_bytes, choice))
    if found and found[-1].choice == Choice():
        found.pop()
    return Decision(finding.operation, finding.ranks, (*found, Rule(None, Choice())))
