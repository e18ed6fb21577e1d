"""Decision tables of the overlay: which schedule does which operation (csrc/interpose/table.h)."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Generator, Iterator
from dataclasses import dataclass, field

from rankwise.profiles.lint.findings import Finding, Known
from rankwise.profiles.lint.intervals import Interval, is_covered

TITLE = "a decision table of the overlay"
FAMILY = "rankwise"
"""Under which the schedules of this Rankwise are known: algorithms, and as variables what each of them takes."""
HEADING = "# rankwise overlay 1"
NATIVE = "native"
FILE = "file"
_CONDITIONS = ("ranks", "bytes", "sites")
_WITHOUT_BYTES = {"gather", "scatter", "alltoall"}
"""Whose variants for blocks that differ do not know their bytes: only lines for all bytes hold there."""
_NUMBER = r"(?:([0-9]{1,15})([KMG]?))"
_RANGE = re.compile(rf"{_NUMBER}?(-)?{_NUMBER}?")
_SHIFTS = {"": 0, "K": 10, "M": 20, "G": 30}


@dataclass(frozen=True, slots=True)
class _Rule:
    operation: str
    ranges: dict[str, Interval] = field(default_factory=dict)

    @property
    def has_all_bytes(self) -> bool:
        return self.range("bytes") == Interval()

    def range(self, condition: str) -> Interval:
        return self.ranges.get(condition, Interval())


def recognises(text: str) -> bool:
    """Return whether the first line says so."""
    return text.startswith(HEADING)


def findings(text: str, known: Known) -> Iterator[Finding]:
    """Yield what the overlay would refuse, and lines that are never reached."""
    if not recognises(text):
        yield Finding(
            1, "syntax", f"the first line is not '{HEADING}'", "make it the first line: the overlay checks it"
        )
    before: list[_Rule] = []
    for number, line in enumerate(text.split("\n"), 1):
        words = line.partition("#")[0].split()
        if not words:
            continue
        rule = yield from _rule(words, number, known)
        if any(interval.is_empty for interval in rule.ranges.values()):
            continue
        covering = [
            earlier.range("bytes")
            for earlier in before
            if earlier.operation == rule.operation
            and all(is_covered(rule.range(name), [earlier.range(name)]) for name in ("ranks", "sites"))
            and (earlier.has_all_bytes or not (rule.has_all_bytes and rule.operation in _WITHOUT_BYTES))
        ]
        if is_covered(rule.range("bytes"), covering):
            yield Finding(
                number, "unreachable", f"lines before it take all {rule.operation} that it is for",
                "put what is for fewer cases first",
            )  # fmt: skip
        before.append(rule)


def _rule(words: list[str], line: int, known: Known) -> Generator[Finding, None, _Rule]:
    operation, rest = words[0], deque(words[1:])
    operations = {name for vocabulary in known.of(FAMILY) for name in vocabulary.algorithms}
    if operations and operation not in operations:
        yield Finding(line, "unknown name", f"unknown operation '{operation}'", ", ".join(sorted(operations)))
    ranges: dict[str, Interval] = {}
    while rest and "=" in rest[0].partition(":")[0]:
        name, _, written = rest.popleft().partition("=")
        if name not in _CONDITIONS:
            yield Finding(line, "unknown name", f"'{name}' is not a condition", f"known: {', '.join(_CONDITIONS)}")
            continue
        interval = _interval(written)
        if interval is None or interval.is_empty:
            yield Finding(line, "syntax", f"'{written[:40]}' is not a range of {name}", "write 2-64, 1M- or -8K")
        ranges[name] = interval or Interval()
    if not rest:
        yield Finding(line, "syntax", "no algorithm is named", f"write one, or {NATIVE}")
    else:
        yield from _algorithm(operation, rest[0], line, known)
    if len(rest) > 1:
        yield Finding(line, "syntax", f"'{rest[1]}' comes after the algorithm", "conditions come before it")
    return _Rule(operation, ranges)


def _algorithm(operation: str, written: str, line: int, known: Known) -> Iterator[Finding]:
    name, colon, parameters = written.partition(":")
    if name == NATIVE:
        if colon:
            yield Finding(line, "syntax", f"{NATIVE} takes no parameters", "leave them out")
        return
    if name == FILE:
        if not parameters:
            yield Finding(line, "syntax", f"{FILE} needs a schedule's file", f"write {FILE}:ring.json")
        return
    yield from known.algorithm(FAMILY, operation, name, line)
    takes = next((vocabulary.variables.get(f"{operation}.{name}") for vocabulary in known.of(FAMILY)), None)
    for assignment in parameters.split(",") if parameters else ():
        parameter, _, value = assignment.partition("=")
        if takes is not None and parameter not in takes:
            yield Finding(
                line, "unknown name", f"{operation}.{name} does not take {parameter}",
                f"it takes {', '.join(takes) or 'nothing'}",
            )  # fmt: skip
        elif not re.fullmatch(_NUMBER, value):
            yield Finding(line, "syntax", f"{parameter} needs a number", f"write {parameter}=4")


def _interval(written: str) -> Interval | None:
    """`2-64`, `1M-`, `-8K`, or one number; both ends belong to it."""
    match = _RANGE.fullmatch(written)
    if match is None or not (match[1] or match[4]) or (match[4] and not match[3]):
        return None
    low = int(match[1]) << _SHIFTS[match[2]] if match[1] else 0
    if not match[3]:
        return Interval(low, low)
    return Interval(low, int(match[4]) << _SHIFTS[match[5]]) if match[4] else Interval(low)
