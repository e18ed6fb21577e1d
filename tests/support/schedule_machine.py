"""A machine that carries schedules out on real elements, in an order of chance: what the prover is held to.

It knows nothing of the prover. A receive that has been posted leaves garbage in its memory until the message is
there; a message is copied at once or when its receive has been posted, as chance has it.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from random import Random
from typing import Any

from rankwise.schedules.model import REDUCING, Kind, Memory, Place, Problem, Schedule, Step

Element = tuple[Any, ...]
"""The factors of a product, in order; each is (rank, position in its INPUT)."""
GARBAGE: Element = ("garbage",)


class Rank:
    """The memories of a rank, and which of its steps have begun and ended."""

    def __init__(self, problem: Problem, schedule: Schedule) -> None:
        me = schedule.rank
        self.steps = schedule.steps
        self.memory: dict[Memory, list[Element]] = {
            Memory.INPUT: [((me, at),) for at in range(problem.input_length(me))],
            Memory.OUTPUT: [GARBAGE] * problem.output_length(me),
            Memory.SCRATCH: [GARBAGE] * schedule.scratch,
        }
        self.begun: set[int] = set()
        self.ended: set[int] = set()

    def ready(self) -> list[int]:
        return [
            at for at, step in enumerate(self.steps) if at not in self.begun and self.ended.issuperset(step.after)
        ]

    def read(self, place: Place, length: int) -> list[Element]:
        return self.memory[place.memory][place.offset : place.offset + length]

    def write(self, place: Place, elements: list[Element]) -> None:
        self.memory[place.memory][place.offset : place.offset + len(elements)] = elements


def wrong(problem: Problem, schedules: Sequence[Schedule], seed: int) -> str:
    """Carry out the schedules in one order; return what is wrong in the end, '' if nothing is."""
    chance = Random(seed)
    ranks = [Rank(problem, schedule) for schedule in schedules]
    sends: dict[tuple[int, int, int], list[tuple[int, list[Element] | None]]] = defaultdict(list)
    receives: dict[tuple[int, int, int], list[int]] = defaultdict(list)
    while True:
        meets = [key for key in sends if sends[key] and receives[key]]
        begins = [(me, at) for me, rank in enumerate(ranks) for at in rank.ready()]
        if not meets and not begins:
            break
        if begins and (not meets or chance.random() < 0.5):
            me, at = chance.choice(begins)
            _begin(ranks[me], (me, at), sends, receives, chance)
        else:
            key = chance.choice(meets)
            (sent, copied), received = sends[key].pop(0), receives[key].pop(0)
            there, here = ranks[key[0]], ranks[key[1]]
            step = there.steps[sent]
            here.write(here.steps[received].target, copied or there.read(step.source, step.length))
            there.ended.add(sent)
            here.ended.add(received)
    stuck = [me for me, rank in enumerate(ranks) if len(rank.ended) < len(rank.steps)]
    return f"ranks {stuck} never end" if stuck else _wrong_data(problem, ranks)


def _begin(rank: Rank, which: tuple[int, int], sends: Any, receives: Any, chance: Random) -> None:
    me, at = which
    step: Step = rank.steps[at]
    rank.begun.add(at)
    if step.kind is Kind.SEND:
        copied = rank.read(step.source, step.length) if chance.random() < 0.5 else None
        sends[me, step.peer, step.tag].append((at, copied))
        if copied is not None:
            rank.ended.add(at)
    elif step.kind is Kind.RECEIVE:
        rank.write(step.target, [GARBAGE] * step.length)
        receives[step.peer, me, step.tag].append(at)
    else:
        new = rank.read(step.source, step.length)
        if step.kind is Kind.REDUCE:
            new = [a + b for a, b in zip(new, rank.read(step.target, step.length), strict=True)]
        rank.write(step.target, new)
        rank.ended.add(at)


def _wrong_data(problem: Problem, ranks: Sequence[Rank]) -> str:
    for me, rank in enumerate(ranks):
        for at, element in enumerate(rank.memory[Memory.OUTPUT]):
            should = output_element(problem, me, at)
            same = Counter(element) == Counter(should) if problem.commutative else element == should
            if not same:
                return f"element {at} of rank {me} is {element}, not {should}"
    return ""


def output_element(problem: Problem, me: int, at: int) -> Element:
    """What MPI says that an element of OUTPUT is."""
    last = {"scan": me, "exscan": me - 1}.get(problem.operation, problem.ranks - 1)
    if problem.operation in REDUCING:
        start = problem.block_start(me) if problem.operation == "reduce_scatter" else 0
        return tuple((rank, start + at) for rank in range(last + 1))
    if problem.operation == "bcast":
        return ((problem.root, at),)
    if problem.operation == "scatter":
        return ((problem.root, problem.block_start(me) + at),)
    for other in range(problem.ranks):
        alltoall = problem.operation == "alltoall"
        length = problem.sent(other, me) if alltoall else problem.block_length(other)
        if at < length:
            return ((other, sum(problem.sent(other, one) for one in range(me)) + at if alltoall else at),)
        at -= length
    raise IndexError(at)
