"""Writes schedules in GOAL, the language of LogGOPSim (Hoefler, Schneider, Lumsdaine, LSAP 2010)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rankwise.schedules.model import Kind, Schedule, Step

NANOSECONDS_PER_BYTE = 0.1
"""Of copying and reducing."""


def goal_of(
    schedules: Sequence[Schedule], element_bytes: int, nanoseconds_per_byte: float = NANOSECONDS_PER_BYTE
) -> str:
    """Return the schedules of all ranks. GOAL has no message of no bytes: a signal is one of a byte."""
    lines = [f"num_ranks {len(schedules)}"]
    for schedule in schedules:
        lines += ["", f"rank {schedule.rank} {{"]
        lines += (f"l{number + 1}: {_work(step, element_bytes, nanoseconds_per_byte)}"
                  for number, step in enumerate(schedule.steps))  # fmt: skip
        lines += _requirements(schedule)
        lines.append("}")
    return "\n".join([*lines, ""])


def _work(step: Step, element_bytes: int, nanoseconds_per_byte: float) -> str:
    size = step.length * element_bytes
    if step.kind is Kind.SEND:
        return f"send {max(size, 1)}b to {step.peer} tag {step.tag}"
    if step.kind is Kind.RECEIVE:
        return f"recv {max(size, 1)}b from {step.peer} tag {step.tag}"
    return f"calc {round(size * nanoseconds_per_byte)}"


def _requirements(schedule: Schedule) -> Iterator[str]:
    for number, step in enumerate(schedule.steps):
        for earlier in step.after:
            yield f"l{number + 1} requires l{earlier + 1}"
