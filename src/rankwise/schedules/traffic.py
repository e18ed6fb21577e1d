"""What schedules send: rounds, messages and elements, by the level of the links that they cross."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rankwise.schedules import matching
from rankwise.schedules.model import Kind, Network, Problem, Schedule


@dataclass(frozen=True, slots=True)
class LevelTraffic:
    """What crosses the links of one level."""

    level: str
    """`WAN`, `site`, `node`; `network` where all ranks are alike."""
    messages: int
    elements: int
    chain: int
    """The most of them one after another, each of which waits for the one before."""


@dataclass(frozen=True, slots=True)
class Traffic:
    """What the schedules of all ranks send."""

    rounds: int
    """If all messages took the same time, and a rank could send one and receive one at once."""
    chain: int
    """Messages one after another, each of which waits for the one before."""
    messages: int
    elements: int
    reduced: int
    """Elements that are reduced, on all ranks."""
    scratch: int
    """The most elements of scratch memory of a rank."""
    most_sent: int
    """The most elements that a rank sends."""
    levels: tuple[LevelTraffic, ...]
    """From the outermost to the innermost."""
    round_of: dict[tuple[int, int], int]
    """Of each send (rank, step), its round, from 0."""


@dataclass(frozen=True, slots=True)
class Shown:
    """A schedule, and what it sends. An element is a byte, or a chunk where the schedule is a file's."""

    title: str
    description: str
    problem: Problem
    schedules: tuple[Schedule, ...]
    traffic: Traffic
    bytes_per_element: float


def traffic(problem: Problem, schedules: Sequence[Schedule]) -> Traffic:
    """Return what the schedules send. Raises FaultyError where messages do not match, or can deadlock."""
    order = matching.order(schedules)
    network = problem.network or Network()
    names = network.link_names()
    messages, elements = [0] * len(names), [0] * len(names)
    sent = [0] * len(schedules)
    chains: list[tuple[int, ...]] = []  # of each event: of any level, then of each level
    for (rank, at, other, _), before in zip(order.events, order.before, strict=True):
        step = schedules[rank].steps[at]
        chain = [max(lengths) for lengths in zip(*(chains[event] for event in before), strict=True)] or [0] * (
            len(names) + 1
        )
        if step.kind is Kind.SEND:
            level = network.link_level(rank, other)
            messages[level] += 1
            elements[level] += step.length
            sent[rank] += step.length
            chain[0] += 1
            chain[level + 1] += 1
        chains.append(tuple(chain))
    longest = [max(lengths) for lengths in zip(*chains, strict=True)] or [0] * (len(names) + 1)
    round_of = _rounds(schedules, order)
    return Traffic(
        rounds=max(round_of.values(), default=-1) + 1,
        chain=longest[0],
        messages=sum(messages),
        elements=sum(elements),
        reduced=sum(step.length for schedule in schedules for step in schedule.steps if step.kind is Kind.REDUCE),
        scratch=max((schedule.scratch for schedule in schedules), default=0),
        most_sent=max(sent, default=0),
        levels=tuple(map(LevelTraffic, names, messages, elements, longest[1:])),
        round_of=round_of,
    )


def _rounds(schedules: Sequence[Schedule], order: matching.Order) -> dict[tuple[int, int], int]:
    """The round of each message: the first in which both ranks are free, those with more behind them first."""
    height = [0] * len(order.events)
    for number in reversed(range(len(order.events))):
        weight = order.events[number][2] >= 0
        for earlier in order.before[number]:
            height[earlier] = max(height[earlier], height[number] + weight)
    waiting = [len(events) for events in order.before]
    behind: list[list[int]] = [[] for _ in waiting]
    for number, events in enumerate(order.before):
        for earlier in events:
            behind[earlier].append(number)
    ready = [number for number, count in enumerate(waiting) if not count]
    round_of: dict[tuple[int, int], int] = {}
    now = 0
    while ready:
        done, left = [], []
        senders, receivers = set[int](), set[int]()
        todo = sorted(ready, key=lambda number: (-height[number], order.events[number]))
        for number in todo:  # it grows by local steps, which take no time
            rank, at, other, _ = order.events[number]
            if other >= 0 and (rank in senders or other in receivers):
                left.append(number)
            elif other >= 0:
                senders.add(rank)
                receivers.add(other)
                round_of[rank, at] = now
                done.append(number)
            else:
                todo += _freed(number, behind, waiting)
        ready = left + [free for number in done for free in _freed(number, behind, waiting)]
        now += bool(done)
    return round_of


def _freed(number: int, behind: list[list[int]], waiting: list[int]) -> list[int]:
    freed = []
    for later in behind[number]:
        waiting[later] -= 1
        if not waiting[later]:
            freed.append(later)
    return freed
