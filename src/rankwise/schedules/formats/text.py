"""Writes a schedule as the text that C reads: see csrc/schedules/schedule_file.h."""

from __future__ import annotations

from collections.abc import Iterator

from rankwise.schedules.fixed import FixedSchedule
from rankwise.schedules.model import Kind, Place, Step


def text_of(fixed: FixedSchedule) -> str:
    """Return the text; the schedule must have been proved, for C checks no more than what keeps it safe."""
    return "\n".join([*_lines(fixed), ""])


def _lines(fixed: FixedSchedule) -> Iterator[str]:
    yield "# rankwise schedule 1"
    yield f"operation {fixed.operation}"
    yield f"ranks {fixed.ranks}"
    yield f"root {fixed.root}"
    yield f"chunks {fixed.chunks}"
    if fixed.commutative:
        yield "commutative"
    if fixed.multiple:
        yield "multiple"
    for schedule in fixed.schedules:
        yield f"rank {schedule.rank} scratch {schedule.scratch}"
        for step in schedule.steps:
            yield " ".join(_words(step))


def _words(step: Step) -> Iterator[str]:
    yield step.kind.name.lower()
    if step.peer >= 0:
        yield f"{step.peer} {step.tag}"
    if step.kind is not Kind.RECEIVE:
        yield _place(step.source)
    if step.kind is not Kind.SEND:
        yield _place(step.target)
    yield str(step.length)
    if step.after:
        yield "after"
        yield from map(str, step.after)


def _place(place: Place) -> str:
    return f"{place.memory.name.lower()} {place.offset}"
