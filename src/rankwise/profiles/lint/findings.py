"""What is found in a settings file, and the versions that its names are looked up in."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from rankwise.core.units import whole_number
from rankwise.core.vocabulary import Objection, Vocabulary, nearest

Kind = Literal["unknown name", "out of range", "unreachable", "unit", "other version", "syntax", "no effect"]
LARGEST = 2**31 - 1
_UNITS = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30}
_SIZE = re.compile(r"([0-9]{1,18})\s*([kmg]?)(?:i?b)?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Finding:
    """Something in a file that does not do what it seems to."""

    line: int
    kind: Kind
    message: str
    remedy: str = ""


class UnreadableError(ValueError):
    """A text that is not of its format at all; `line` is where this shows."""

    def __init__(self, line: int, message: str) -> None:
        super().__init__(message)
        self.line = line


@dataclass(frozen=True, slots=True)
class Known:
    """The versions that a file is checked against."""

    vocabularies: tuple[Vocabulary, ...] = ()
    named: bool = False
    """One version was asked for, so that others do not matter."""

    def of(self, family: str) -> tuple[Vocabulary, ...]:
        """Return those of one family."""
        return tuple(vocabulary for vocabulary in self.vocabularies if vocabulary.family == family)

    def algorithm(self, family: str, operation: str, written: str, line: int) -> Iterator[Finding]:
        """Yield a finding if no version has this algorithm, or if versions disagree about it."""
        having = [vocabulary for vocabulary in self.of(family) if operation in vocabulary.algorithms]
        names = {
            vocabulary.implementation: vocabulary.algorithms[operation].get(written, "") for vocabulary in having
        }
        if not names:
            return
        if not any(names.values()):
            last = having[-1].algorithms[operation]
            yield Finding(
                line, "unknown name", f"{operation} has no algorithm {written} in {', '.join(names)}",
                nearest(written, last),
            )  # fmt: skip
        elif len(set(names.values())) > 1 and not self.named:
            ids = {
                name: [implementation for implementation, other in names.items() if other == name]
                for name in names.values()
            }
            listing = "; ".join(f"{name or 'nothing'} in {', '.join(who)}" for name, who in ids.items())
            yield Finding(
                line, "other version",
                f"algorithm {written} of {operation} is not the same in all versions: {listing}",
                "name the version that reads this: --mpi",
            )  # fmt: skip

    def variable(self, family: str, name: str, value: str, line: int) -> Iterator[Finding]:
        """Yield a finding if versions do not have this variable, or object to its value."""
        having = [vocabulary for vocabulary in self.of(family) if vocabulary.variables]
        knowing = [vocabulary for vocabulary in having if name in vocabulary.variables]
        lacking = ", ".join(vocabulary.implementation for vocabulary in having if name not in vocabulary.variables)
        if lacking and not knowing:
            known = [other for vocabulary in having for other in vocabulary.variables]
            yield Finding(line, "unknown name", f"{name} is unknown to {lacking}", nearest(name, known))
        elif lacking:
            yield Finding(
                line, "other version", f"{name} is unknown to {lacking}", "name the version that reads this: --mpi"
            )
        yield from _value_findings(knowing, name, value, line)


def _value_findings(having: Sequence[Vocabulary], name: str, value: str, line: int) -> Iterator[Finding]:
    """What versions object to, each objection once with the versions that have it."""
    objections: dict[str, list[str]] = {}
    remedies: dict[str, str] = {}
    for vocabulary in having:
        values = vocabulary.variables[name]
        objection = vocabulary.objection(name, value)
        if values and value not in values:
            objection = Objection(f"{name} cannot be '{value[:40]}'", nearest(value, values))
        if objection is not None:
            objections.setdefault(objection.message, []).append(vocabulary.implementation)
            remedies[objection.message] = objection.remedy or remedies.get(objection.message, "")
    for message, ids in objections.items():
        yield Finding(line, "out of range", f"{message} ({', '.join(ids)})", remedies[message])


def size_findings(what: str, written: str, line: int) -> Iterator[Finding]:
    """Yield a finding if this is not a whole number of bytes that fits into an int of C."""
    if re.fullmatch(r"[0-9]+", written):
        size = whole_number(written)
        if size is None or size > LARGEST:
            yield Finding(line, "out of range", f"{what} {written[:30]} is more than {LARGEST}")
        return
    match = _SIZE.fullmatch(written)
    remedy = f"write {int(match[1]) * _UNITS[match[2].lower()]}" if match else "write a whole number of bytes"
    yield Finding(line, "unit", f"{what} '{written[:30]}' is not a whole number of bytes in digits", remedy)
