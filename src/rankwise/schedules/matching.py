"""Which send meets which receive, and in which order all that happens can happen.

A message is one event: with rendezvous semantics its send ends only when its receive has begun, and the other
way round. So schedules cannot deadlock if, and only if, their events have an order (Lamport 1978).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from rankwise.schedules.model import Kind, Schedule, Step

_VERBS = {Kind.COPY: "copy", Kind.REDUCE: "reduce"}


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong, and where: the step of a rank, or -1 for the rank as a whole."""

    rank: int
    step: int
    reason: str

    def __str__(self) -> str:
        where = f"rank {self.rank}" + (f", step {self.step}" if self.step >= 0 else "")
        return f"{where}: {self.reason}"


class FaultyError(Exception):
    """Schedules are wrong: `faults` says where."""

    def __init__(self, faults: Sequence[Fault]) -> None:
        super().__init__(str(faults[0]))
        self.faults = tuple(faults)


Event = tuple[int, int, int, int]
"""Rank and step; of a message those of the send, then those of its receive; else -1, -1."""


@dataclass(frozen=True, slots=True)
class Order:
    """All events in an order in which they can happen, and for each the numbers of those right before it."""

    events: tuple[Event, ...]
    before: tuple[tuple[int, ...], ...]


def words(step: Step) -> str:
    """Return what a step does, for messages."""
    if step.kind is Kind.SEND:
        return f"send of {_elements(step.length)} to rank {step.peer}, tag {step.tag}"
    if step.kind is Kind.RECEIVE:
        return f"receive of {_elements(step.length)} from rank {step.peer}, tag {step.tag}"
    return f"{_VERBS[step.kind]} of {_elements(step.length)}" if step.length else "join"


def _elements(count: int) -> str:
    return f"{count} element{'s' * (count != 1)}"


def ancestors(steps: Sequence[Step]) -> list[int]:
    """Return for each step the set of those that have ended before it begins, as bits of an integer."""
    reach: list[int] = []
    for step in steps:
        bits = 0
        for earlier in step.after:
            bits |= reach[earlier] | 1 << earlier
        reach.append(bits)
    return reach


def check_dependencies(schedules: Sequence[Schedule]) -> None:
    """Raise FaultyError where a step waits for no step of its rank, for itself, or for a later one."""
    faults = []
    for schedule in schedules:
        for number, step in enumerate(schedule.steps):
            for earlier in step.after:
                if not 0 <= earlier < len(schedule.steps):
                    faults.append(
                        Fault(schedule.rank, number, f"it waits for step {earlier}, which does not exist")
                    )
                elif earlier >= number:
                    faults.append(Fault(schedule.rank, number, _later(schedule.steps, number, earlier)))
    if faults:
        raise FaultyError(faults)


def _later(steps: Sequence[Step], number: int, on: int) -> str:
    """A circle, or only the wrong order?"""
    seen, todo = set[int](), [on]
    while todo:
        current = todo.pop()
        if current == number:
            return f"it waits for step {on}, which waits for it: a cyclic dependency"
        if current not in seen and 0 <= current < len(steps):
            seen.add(current)
            todo += steps[current].after
    return f"it waits for step {on}, which comes behind it: put steps behind those that they wait for"


def match(schedules: Sequence[Schedule]) -> dict[tuple[int, int], tuple[int, int]]:
    """Return for each send (rank, step) its receive (rank, step).

    Raises FaultyError for what nothing answers to, lengths that differ, and messages that might take one
    another's place: of one pair of ranks, with one tag, without an order on both sides.
    """
    faults = _nowhere(schedules)
    if faults:
        raise FaultyError(faults)
    pairs = {}
    reach: dict[int, list[int]] = {}
    for (sender, receiver, _), (sends, receives) in _sides(schedules).items():
        there, here = schedules[sender].steps, schedules[receiver].steps
        if len(sends) == len(receives) == 1 and there[sends[0]].length == here[receives[0]].length:
            pairs[sender, sends[0]] = (receiver, receives[0])  # the usual case
            continue
        faults += [
            Fault(sender, number, f"rank {receiver} has no receive for this {words(there[number])}")
            for number in sends[len(receives) :]
        ]
        faults += [
            Fault(receiver, number, f"rank {sender} has no send for this {words(here[number])}")
            for number in receives[len(sends) :]
        ]
        for rank, numbers in ((sender, sends), (receiver, receives)):
            if len(numbers) > 1:
                if rank not in reach:
                    reach[rank] = ancestors(schedules[rank].steps)
                faults += _ambiguous(schedules[rank], numbers, reach[rank])
        for out, into in zip(sends, receives, strict=False):
            if there[out].length != here[into].length:
                reason = f"its {words(here[into])} meets step {out} of rank {sender}, a {words(there[out])}"
                faults.append(Fault(receiver, into, reason))
            pairs[sender, out] = (receiver, into)
    if faults:
        raise FaultyError(sorted(faults, key=lambda fault: (fault.rank, fault.step)))
    return pairs


def _nowhere(schedules: Sequence[Schedule]) -> list[Fault]:
    """The messages to and from ranks that there are not."""
    return [
        Fault(schedule.rank, number, f"{words(step)}: the ranks are 0 to {len(schedules) - 1}")
        for schedule in schedules
        for number, step in enumerate(schedule.steps)
        if step.kind <= Kind.RECEIVE and not 0 <= step.peer < len(schedules)
    ]


def _sides(schedules: Sequence[Schedule]) -> dict[tuple[int, int, int], tuple[list[int], list[int]]]:
    """Of each sender, receiver and tag the steps that send, and those that receive."""
    sides: dict[tuple[int, int, int], tuple[list[int], list[int]]] = defaultdict(lambda: ([], []))
    for schedule in schedules:
        rank = schedule.rank
        for number, step in enumerate(schedule.steps):
            if step.kind is Kind.SEND:
                sides[rank, step.peer, step.tag][0].append(number)
            elif step.kind is Kind.RECEIVE:
                sides[step.peer, rank, step.tag][1].append(number)
    return sides


def _ambiguous(schedule: Schedule, numbers: Sequence[int], reach: Sequence[int]) -> list[Fault]:
    for number, next_one in pairwise(numbers):
        if not reach[next_one] >> number & 1:
            reason = (
                f"this {words(schedule.steps[next_one])} may be under way at once with step {number}, "
                "which has the same tag: give it another, or let it wait"
            )
            return [Fault(schedule.rank, next_one, reason)]
    return []


def order(schedules: Sequence[Schedule]) -> Order:
    """Return the events of all ranks in order. Raises FaultyError where they have none, as in a deadlock."""
    check_dependencies(schedules)
    pairs = match(schedules)
    number = [[-1] * len(schedule.steps) for schedule in schedules]
    events: list[Event] = []
    for schedule, of_steps in zip(schedules, number, strict=True):
        rank = schedule.rank
        for at, step in enumerate(schedule.steps):
            if step.kind is Kind.RECEIVE:
                continue
            of_steps[at] = len(events)
            if step.kind is Kind.SEND:
                other_rank, other_at = pairs[rank, at]
                number[other_rank][other_at] = len(events)
                events.append((rank, at, other_rank, other_at))
            else:
                events.append((rank, at, -1, -1))
    before: list[set[int]] = []
    for rank, at, other_rank, other_at in events:
        of_steps = number[rank]
        waits = {of_steps[earlier] for earlier in schedules[rank].steps[at].after}
        if other_at >= 0:
            of_steps = number[other_rank]
            waits.update([of_steps[earlier] for earlier in schedules[other_rank].steps[other_at].after])
        before.append(waits)
    return _sorted(schedules, events, before)


def _sorted(schedules: Sequence[Schedule], events: list[Event], before: list[set[int]]) -> Order:
    """Kahn's algorithm (1962)."""
    behind: list[list[int]] = [[] for _ in events]
    missing = [len(waits) for waits in before]
    for number, waits in enumerate(before):
        for other in waits:
            behind[other].append(number)
    line = [number for number, count in enumerate(missing) if not count]
    for number in line:  # it grows meanwhile
        for other in behind[number]:
            missing[other] -= 1
            if not missing[other]:
                line.append(other)
    if len(line) < len(events):
        raise FaultyError([_deadlock(schedules, events, before, missing)])
    place = [0] * len(line)
    for at, number in enumerate(line):
        place[number] = at
    return Order(
        tuple([events[number] for number in line]),
        tuple([tuple([place[earlier] for earlier in before[number]]) for number in line]),
    )


def _deadlock(
    schedules: Sequence[Schedule], events: list[Event], before: list[set[int]], missing: list[int]
) -> Fault:
    """Who waits for whom: a circle among the events that are left."""
    path = [next(number for number, count in enumerate(missing) if count)]
    while path[-1] not in path[:-1]:
        path.append(next(earlier for earlier in before[path[-1]] if missing[earlier]))
    circle = [events[number] for number in path[path.index(path[-1]) :]]
    shown = [f"step {at} of rank {rank} ({words(schedules[rank].steps[at])})" for rank, at, *_ in circle[:8]]
    more = f" ... ({len(circle) - 1} in all)" if len(circle) > 8 else ""
    return Fault(circle[0][0], circle[0][1], f"a deadlock: {' waits for '.join(shown)}{more}")
