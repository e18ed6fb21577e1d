"""What two profiles do differently, implementation by implementation."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from rankwise.core.tuning import Part, Profile
from rankwise.profiles import words

ABSENT = "as by default"


@dataclass(frozen=True, slots=True)
class Difference:
    """One choice of one implementation (or of `hosts`), in words; ABSENT where a profile leaves it alone."""

    implementation: str
    subject: str
    one: str
    other: str


def differences(profile: Profile, other: Profile) -> tuple[Difference, ...]:
    """Return all of them; an implementation that only one profile has is a difference too."""
    left = {part.implementation: part for part in profile.parts}
    right = {part.implementation: part for part in other.parts}
    result: list[Difference] = []
    for name in dict.fromkeys((*left, *right)):
        if name not in left or name not in right:
            has = "yes"
            result.append(Difference(name, "", has if name in left else "", has if name in right else ""))
        result += _between(name, _choices(left.get(name)), _choices(right.get(name)))
    result += _between("hosts", words.host_settings(profile), words.host_settings(other))
    return tuple(result)


def _between(name: str, choices: dict[str, str], other: dict[str, str]) -> Iterator[Difference]:
    for subject in dict.fromkeys((*choices, *other)):
        here, there = choices.get(subject, ABSENT), other.get(subject, ABSENT)
        if here != there:
            yield Difference(name, subject, here, there)


def _choices(part: Part | None) -> dict[str, str]:
    if part is None:
        return {}
    choices = {setting.knob: words.value_words(setting) for setting in part.tuning.settings}
    for decision in part.tuning.decisions:
        rules = "; ".join(f"{sizes}: {choice}" for sizes, choice in words.decision_words(decision))
        choices[f"{decision.operation} at {decision.ranks} ranks"] = rules
    return choices
