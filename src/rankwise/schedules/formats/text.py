"""Writes a schedule as the text that C reads: see csrc/schedules/schedule_file.h."""

from __future__ import annotations

from collections.abc import Iterator

from rankwise.schedules.fixed import FixedSchedule
from rankwise.schedules.model import Kind, Memory, Step

KINDS = tuple(kind.name.lower() for kind in Kind)
MEMORIES = tuple(memory.name.lower() for memory in Memory)
"""As files name them."""


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
        yield from map(_line, schedule.steps)


def _line(step: Step) -> str:
    kind, peer, tag, source, target, length, after = step
    message = f" {peer} {tag}" if peer >= 0 else ""
    begin = f" {MEMORIES[source[0]]} {source[1]}" if kind != Kind.RECEIVE else ""
    end = f" {MEMORIES[target[0]]} {target[1]}" if kind != Kind.SEND else ""
    waits = f" after {' '.join(map(str, after))}" if after else ""
    return f"{KINDS[kind]}{message}{begin}{end} {length}{waits}"
