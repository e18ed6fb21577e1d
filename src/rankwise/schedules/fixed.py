"""One schedule that somebody wrote or that was found, for one number of ranks, in chunks that serve any count."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from rankwise.schedules.generator import Algorithm, schedules
from rankwise.schedules.model import REDUCING, Kind, Problem, Schedule, Step
from rankwise.schedules.prover import Proof, prove


@dataclass(frozen=True, slots=True)
class FixedSchedule:
    """The schedules of all ranks, whose lengths and offsets are in chunks: parts of a block, nearly equal.

    What is right for blocks of `chunks` elements is right for any count, if no chunk takes the place of another
    one of its block: then all that a step touches has one length, whatever the count.
    """

    operation: str
    ranks: int
    root: int
    chunks: int
    """Into which each block is divided."""
    schedules: tuple[Schedule, ...]
    name: str = ""
    description: str = ""
    commutative: bool = False
    """Right only for operations that commute."""

    @property
    def multiple(self) -> bool:
        """Return whether counts must be multiples of the chunks: some chunk takes the place of another."""
        sent = {
            (schedule.rank, step.peer, step.tag, order): step.source.offset
            for schedule in self.schedules
            for order, step in _messages(schedule, Kind.SEND)
        }
        for schedule in self.schedules:
            for order, step in _messages(schedule, Kind.RECEIVE):
                source = sent.get((step.peer, schedule.rank, step.tag, order), step.target.offset)
                if (source - step.target.offset) % self.chunks:
                    return True
            for step in schedule.steps:
                if step.peer < 0 and (step.source.offset - step.target.offset) % self.chunks:
                    return True
        return False

    def problem(self, commutative: bool = True) -> Problem:
        """Return the operation with a chunk as an element."""
        return Problem(self.operation, self.ranks, self.root, self.chunks, commutative=commutative)


def _messages(schedule: Schedule, kind: Kind) -> list[tuple[int, Step]]:
    """Those with data, each with how many of its peer and tag come before."""
    counted: dict[tuple[int, int], int] = {}
    messages = []
    for step in schedule.steps:
        if step.kind is kind:
            order = counted.get((step.peer, step.tag), 0)
            counted[step.peer, step.tag] = order + 1
            if step.length:
                messages.append((order, step))
    return messages


def proved(fixed: FixedSchedule) -> tuple[FixedSchedule, Proof]:
    """Return the schedule with what it can do found out, and the proof, or what is wrong with it."""
    if fixed.operation in REDUCING and not fixed.commutative:
        proof = prove(fixed.problem(commutative=False), fixed.schedules)
        if proof.right:
            return fixed, proof
        fixed = replace(fixed, commutative=True)
    return fixed, prove(fixed.problem(), fixed.schedules)


def fixed_of(algorithm: Algorithm, problem: Problem) -> FixedSchedule:
    """Return what an algorithm makes of a problem, each element of which becomes a chunk. Raises RefusedError."""
    made = schedules(algorithm, problem)
    return of_schedules(problem, made, name=algorithm.name, description=algorithm.description)


def of_schedules(
    problem: Problem, made: Sequence[Schedule], name: str = "", description: str = ""
) -> FixedSchedule:
    """Return the schedules of all ranks with each element as a chunk."""
    return FixedSchedule(
        problem.operation, problem.ranks, problem.root, max(problem.count, 1), tuple(made), name, description
    )
