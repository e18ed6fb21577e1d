"""A heat map of guideline and size for each implementation, and what to do about each violation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rankwise.analysis import labels
from rankwise.analysis.guidelines.checks import Check, Word
from rankwise.analysis.guidelines.findings import Finding, violation
from rankwise.core.units import format_size
from rankwise.report.canvas import time_words
from rankwise.report.guidelines import MARKS, RemedyShown
from rankwise.report.page import Outcome, Section
from rankwise.report.views import colour_depth, format_ratio, interval

_KINDS: dict[Word, str] = {"holds": "faster", "violated": "slower", "undecided": "undecided"}
"""The style sheet's names: an operation is to be no slower than what it is held to."""
OUTCOMES = tuple(Outcome(word, MARKS[word][0], kind) for word, kind in _KINDS.items())
"""The outcomes of a check, in the order in which they are shown."""


@dataclass(frozen=True, slots=True)
class _Cell:
    """One check; `kind` '' where none was made."""

    word: str = ""
    kind: str = ""
    mark: str = ""
    ratio: str = ""
    interval: str = ""
    strength: float = 0.0
    tip: str = ""


@dataclass(frozen=True, slots=True)
class _Violation:
    title: str
    """`allreduce ≤ reduce + bcast`."""
    worst: str
    remedy: RemedyShown


@dataclass(frozen=True, slots=True)
class _Map:
    """One implementation on one number of ranks."""

    implementation: str
    ranks: int
    sizes_bytes: tuple[int, ...]
    rows: tuple[tuple[str, tuple[_Cell, ...]], ...]
    violations: tuple[_Violation, ...]


def guidelines(
    findings: Sequence[Finding], remedies: Mapping[Finding, RemedyShown], *, delta: float, alpha: float
) -> Section:
    """Return the heat maps with the remedies of what is violated."""
    values = {"maps": _maps(findings, remedies), "outcomes": OUTCOMES, "delta": delta, "alpha": alpha}
    return Section("guidelines", values, link="Guidelines")


def _maps(findings: Sequence[Finding], remedies: Mapping[Finding, RemedyShown]) -> list[_Map]:
    several = labels.varied((finding.options, finding.placement) for finding in findings)
    sizes = tuple(sorted({check.size_bytes for finding in findings for check in finding.checks}))
    maps = []
    for name, ranks in dict.fromkeys((finding.variant, finding.ranks) for finding in findings):
        own = [finding for finding in findings if (finding.variant, finding.ranks) == (name, ranks)]
        rows = tuple((finding.label(several), _row(finding, sizes)) for finding in own)
        violations = tuple(
            _Violation(finding.label(several), violation(finding.worst), remedies.get(finding, RemedyShown(())))
            for finding in own
            if finding.word == "violated"
        )
        maps.append(_Map(name, ranks, sizes, rows, violations))
    return maps


def _row(finding: Finding, sizes: Sequence[int]) -> tuple[_Cell, ...]:
    checks = {check.size_bytes: check for check in finding.checks}
    return tuple(_cell(checks[size]) if size in checks else _Cell() for size in sizes)


def _cell(check: Check) -> _Cell:
    tip = "\n".join(
        (
            f"{check.operation}, {format_size(check.size_bytes)}: {time_words(check.operation_seconds)}",
            f"{check.other}: {time_words(check.other_seconds)}",
            f"{check.word}: {format_ratio(check.ratio)} × the time {interval(check)}",
            f"p = {check.p_value:.2g}, {check.launches} launches",
        )
    )
    return _Cell(
        check.word, _KINDS[check.word], MARKS[check.word][0], format_ratio(check.ratio), interval(check),
        colour_depth(check.ratio), tip,
    )  # fmt: skip
