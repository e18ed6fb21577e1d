"""Whether what a profile asks for is what the implementation says is in force."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from rankwise.core.errors import InputError
from rankwise.core.host_settings import setting
from rankwise.core.schedule_names import chosen_schedule
from rankwise.core.tuning import Decision, Part, ReadBack, Setting
from rankwise.core.units import parse_size_bytes
from rankwise.profiles import words

State = Literal["in force", "not in force", "cannot be read back"]


@dataclass(frozen=True, slots=True)
class Check:
    """One choice of a profile, and what a run with it said."""

    implementation: str
    subject: str
    """`eager-threshold`, `bcast at 4 ranks`, or the name of a kernel setting."""
    wanted: str
    found: str
    """In the implementation's words; '' where it says nothing."""
    state: State


def checks(part: Part, evidence: Mapping[int, ReadBack], files: Sequence[str] = ()) -> tuple[Check, ...]:
    """Check the knobs and decisions of a part; `evidence`: what runs have said, by their number of ranks.

    `files` are those that were loaded: an implementation never says which algorithm ran, but it may say which file
    it chooses by, or as `algorithms of OPERATION` the text of a variable that it has read.
    """
    everything = [pair for read_back in evidence.values() for pair in read_back.in_force]
    results = [_of_setting(part, setting, everything) for setting in part.tuning.settings]
    for decision in part.tuning.decisions:
        said = evidence.get(decision.ranks, ReadBack())
        schedules = {chosen_schedule(rule.choice) for rule in decision.rules} - {""}
        if schedules:
            results.append(_of_schedules(part, decision, schedules, said))
        if any(rule.choice.algorithm and not chosen_schedule(rule.choice) for rule in decision.rules):
            results.append(_of_decision(part, decision, said, files))
    return tuple(results)


def host_check(part: Part, key: str, wanted: str, actual: str) -> Check:
    """Check a setting of kernel or NICs; `actual` is '' where none is so named, of MTUs that of every NIC."""
    said = " ".join(actual.split()) or "no such setting here"
    return _check(part, key, wanted, [said], setting(key).is_met(wanted, actual))


def _of_setting(part: Part, setting: Setting, said: Iterable[tuple[str, str]]) -> Check:
    values = [value for knob, value in said if knob == setting.knob]
    same = all(_same(setting.value, value) for value in values)
    return _check(part, setting.knob, words.value_words(setting), values, same)


def _of_decision(part: Part, decision: Decision, said: ReadBack, files: Sequence[str]) -> Check:
    """By what the implementation chooses: a file of ours, or the value of one of our variables."""
    ours = {*files, *(value for _, value in part.native.environment)}
    own = f"algorithms of {decision.operation}"
    read = [value for knob, value in said.in_force if knob == own]
    read = read or [value for knob, value in said.in_force if "/" in value and not _is_set(part, knob)]
    remarks = [f"{Path(value).name if value in files else value} was read" for value in read]
    subject = f"{decision.operation} at {decision.ranks} ranks"
    return _check(part, subject, f"{len(decision.rules)} rules", remarks, any(value in ours for value in read))


def _of_schedules(part: Part, decision: Decision, schedules: set[str], said: ReadBack) -> Check:
    """By what the overlay has counted: a run that it did not act in says nothing, and has none of them."""
    ran = [name for subject, name in said.in_force if subject == f"schedules of {decision.operation}"]
    subject = f"{decision.operation} at {decision.ranks} ranks, by schedules"
    wanted, in_use = ", ".join(sorted(schedules)), sorted(ran) or ["none"]
    return _check(part, subject, wanted, in_use, schedules <= {*ran})


def _is_set(part: Part, knob: str) -> bool:
    return any(setting.knob == knob for setting in part.tuning.settings)


def _check(part: Part, subject: str, wanted: str, said: Iterable[str], same: bool) -> Check:
    actual = ", ".join(dict.fromkeys(said))
    state: State = "cannot be read back" if not actual else "in force" if same else "not in force"
    return Check(part.implementation, subject, wanted, actual, state)


def _same(wanted: str, said: str) -> bool:
    """As words, or as sizes: 64K is 65536."""
    if wanted.strip().casefold() == said.strip().casefold():
        return True
    with contextlib.suppress(InputError):
        return parse_size_bytes(wanted) == parse_size_bytes(said)
    return False
