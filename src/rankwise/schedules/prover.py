"""Proves a schedule by carrying it out on symbols: what each rank ends with, for any contents of INPUT.

An element's value is where it comes from: a position in INPUT, and the ranks whose INPUT it is the reduction of.
For an operation that does not commute these ranks are always consecutive, and a reduce appends them in order,
as associativity allows; for one that does they are a set, and none may be counted twice. Where no two steps
that are without order touch the same memory, one order of events stands for all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

from rankwise.schedules import matching
from rankwise.schedules.contract import alias, expected, real_begins, real_memories
from rankwise.schedules.matching import Fault, FaultyError, Order, words
from rankwise.schedules.model import IN_PLACE, Kind, Memory, Place, Problem, Schedule, Step
from rankwise.schedules.spans import Spans

V = TypeVar("V")
_Value = tuple[int, int]
"""What must be added to an element's offset to get its position in INPUT, and the ranks, as bits of an integer.

Without ranks it is no data, and the first is the number of the reason why."""
_MOST_FAULTS = 20


@dataclass(frozen=True, slots=True)
class Proof:
    """Whether schedules do what their operation says; without faults they do."""

    problem: Problem
    faults: tuple[Fault, ...]
    in_place: bool = False
    """Whether the faults are those with MPI_IN_PLACE, and there are none without."""

    @property
    def right(self) -> bool:
        """Return whether all is as it should be."""
        return not self.faults


def prove(problem: Problem, schedules: Sequence[Schedule]) -> Proof:
    """Prove the schedules of all ranks, out of place and, where it is asked of the operation, in place."""
    in_place = False
    try:
        _check_steps(problem, schedules)
        order = matching.order(schedules)
        reach = [matching.ancestors(schedule.steps) for schedule in schedules]
        _Execution(problem, schedules, order, reach, in_place).check()
        if problem.operation in IN_PLACE:
            in_place = True
            _Execution(problem, schedules, order, reach, in_place).check()
    except FaultyError as error:
        return Proof(problem, error.faults[:_MOST_FAULTS], in_place)
    return Proof(problem, ())


def _length(problem: Problem, schedule: Schedule, memory: Memory) -> int:
    if memory is Memory.SCRATCH:
        return schedule.scratch
    return (problem.input_length if memory is Memory.INPUT else problem.output_length)(schedule.rank)


def _check_steps(problem: Problem, schedules: Sequence[Schedule]) -> None:
    """Each step for itself: its peer, its tag, the bounds of what it touches, and that INPUT is only read."""
    if [schedule.rank for schedule in schedules] != list(range(problem.ranks)):
        raise FaultyError([Fault(0, -1, f"there are schedules of {len(schedules)} ranks, not of {problem.ranks}")])
    faults = []
    for schedule in schedules:
        if schedule.scratch < 0:
            faults.append(Fault(schedule.rank, -1, "it has less than no scratch memory"))
            continue
        lengths = {memory: _length(problem, schedule, memory) for memory in Memory}
        for number, step in enumerate(schedule.steps):
            reason = _objection(step, problem.ranks, lengths)
            if reason:
                faults.append(Fault(schedule.rank, number, f"{words(step)}: {reason}"))
    if faults:
        raise FaultyError(faults)


def _objection(step: Step, ranks: int, lengths: dict[Memory, int]) -> str:
    if step.length < 0:
        return "its length is negative"
    if step.kind <= Kind.RECEIVE and (not 0 <= step.peer < ranks or step.tag < 0):
        return f"the ranks are 0 to {ranks - 1}, tags 0 or more"
    for place, written in _touched(step):
        if place.offset < 0 or place.offset + step.length > lengths[place.memory]:
            end = place.offset + step.length
            return (
                f"elements {place.offset} to {end - 1} of {place.memory.name}, which has {lengths[place.memory]}"
            )
        if written and place.memory is Memory.INPUT:
            return "it writes to INPUT, which is only read"
    return ""


def _touched(step: Step) -> tuple[tuple[Place, bool], ...]:
    """The places that a step reads or writes, and whether it writes."""
    if not step.length:
        return ()
    if step.kind is Kind.SEND:
        return ((step.source, False),)
    if step.kind is Kind.RECEIVE:
        return ((step.target, True),)
    return (step.source, False), (step.target, True)


class _Execution:
    """One way to call the operation, in place or not."""

    def __init__(
        self, problem: Problem, schedules: Sequence[Schedule], order: Order, reach: list[list[int]], in_place: bool
    ) -> None:
        self.problem, self.schedules, self.order, self.reach = problem, schedules, order, reach
        aliases = [alias(problem, schedule.rank) if in_place else None for schedule in schedules]
        self.real = [real_memories(aliased) for aliased in aliases]
        self.begin = [real_begins(aliased) for aliased in aliases]
        self.reasons: list[str] = []
        self.writers: list[list[Spans[tuple[int, int]]]] = []
        self.data: list[list[Spans[_Value]]] = []

    def check(self) -> None:
        """Raise FaultyError unless all is right."""
        faults = [fault for schedule in self.schedules for fault in self._races(schedule)]
        if faults:
            raise FaultyError(faults)
        self.data = [self._contents(schedule) for schedule in self.schedules]
        for rank, at, other_rank, other_at in self.order.events:
            step = self.schedules[rank].steps[at]
            if step.length and other_at >= 0:
                self._move(rank, step, at, other_rank, self.schedules[other_rank].steps[other_at].target)
            elif step.length:
                self._move(rank, step, at, rank, step.target)
        faults = [fault for schedule in self.schedules for fault in self._wrong(schedule.rank)]
        if self.problem.operation == "barrier":
            faults = _unheard(self.schedules, self.order)
        if faults:
            raise FaultyError(faults)

    def _memories(self, schedule: Schedule, made: Callable[[Memory], V]) -> list[Spans[V]]:
        """One for each memory, with what `made` of it has at first; for one that is in another, this one."""
        spans = [Spans(_length(self.problem, schedule, memory), made(memory)) for memory in Memory]
        return [spans[memory] for memory in self.real[schedule.rank]]

    def _races(self, schedule: Schedule) -> Iterator[Fault]:
        """Two steps touch one memory, one of them writes, and neither is known to end before the other begins."""
        rank, reach, begin = schedule.rank, self.reach[schedule.rank], self.begin[schedule.rank]
        # of each element the step that wrote it last, and those that have read it since, as bits
        seen = self._memories(schedule, lambda _: (-1, 0))
        self.writers.append(seen)
        for number, step in enumerate(schedule.steps):
            if step.kind > Kind.RECEIVE and step.length:
                yield from self._overlap(rank, number, step)
            bit, after = 1 << number, step.after
            for place, writes in _touched(step):
                spans, start = seen[place.memory], place.offset + begin[place.memory]
                runs = spans.read(start, start + step.length)
                for _, _, (writer, readers) in runs:
                    if (not writes or not readers) and (writer < 0 or writer in after):
                        continue  # the usual case
                    known = reach[number] | bit
                    others = (readers if writes else 0) | (1 << writer if writer >= 0 else 0)
                    if others & ~known:
                        other = (others & ~known).bit_length() - 1
                        memory = self.real[rank][place.memory]
                        yield Fault(rank, number, (
                            f"this {words(step)} {'writes' if writes else 'reads'} elements of {memory.name} that "
                            f"step {other} ({words(schedule.steps[other])}) touches, without waiting for it"
                        ))  # fmt: skip
                        return
                if writes:
                    spans.write([(start, start + step.length, (number, 0))])
                else:
                    spans.write([(a, b, (writer, readers | bit)) for a, b, (writer, readers) in runs])

    def _overlap(self, rank: int, number: int, step: Step) -> Iterator[Fault]:
        """A copy to where the elements are already is nothing; one to elements half of which it reads is wrong."""
        (from_memory, source), (other, target) = step.source, step.target
        memory = self.real[rank][from_memory]
        apart = abs(source + self.begin[rank][from_memory] - target - self.begin[rank][other])
        if memory is self.real[rank][other] and 0 < apart < step.length:
            yield Fault(rank, number, f"this {words(step)} reads elements of {memory.name} that it writes")

    def _contents(self, schedule: Schedule) -> list[Spans[_Value]]:
        """INPUT holds data, all else nothing."""
        rank = schedule.rank

        def nothing(memory: Memory) -> _Value:
            self.reasons.append(f"elements of {memory.name} of rank {rank} that nothing has written")
            return len(self.reasons) - 1, 0

        made, length = self._memories(schedule, nothing), self.problem.input_length(rank)
        if length:
            start = self.begin[rank][Memory.INPUT]
            made[Memory.INPUT].write([(start, start + length, (-start, 1 << rank))])
        return made

    def _move(self, rank: int, step: Step, number: int, to_rank: int, target: Place) -> None:
        """Carry out a copy, a reduce or a message."""
        memory, start = step.source
        to_memory, to_start = target
        start += self.begin[rank][memory]
        by = to_start + self.begin[to_rank][to_memory] - start
        runs = [
            (a + by, b + by, (shift - by, ranks) if ranks else (shift, 0))
            for a, b, (shift, ranks) in self.data[rank][memory].read(start, start + step.length)
        ]
        into = self.data[to_rank][to_memory]
        if step.kind is Kind.REDUCE:
            runs = list(self._reduced(f"step {number} of rank {rank}", runs, into))
        into.write(runs)

    def _reduced(
        self, where: str, runs: list[tuple[int, int, _Value]], into: Spans[_Value]
    ) -> Iterator[tuple[int, int, _Value]]:
        for start, end, value in runs:
            for a, b, other in into.read(start, end):
                yield a, b, self._product(where, value, other)

    def _product(self, where: str, left: _Value, right: _Value) -> _Value:
        if not left[1] or not right[1]:
            return right if left[1] else left
        if left[0] != right[0]:
            reason = f"what {where} made of different positions in INPUT"
        elif self.problem.commutative and left[1] & right[1]:
            reason = f"what {where} made, which counts {_ranks(left[1] & right[1])} twice"
        elif not self.problem.commutative and left[1].bit_length() != (right[1] & -right[1]).bit_length() - 1:
            reason = f"what {where} made, {_ranks(left[1])} before {_ranks(right[1])}: not the order of the ranks"
        else:
            return left[0], left[1] | right[1]
        self.reasons.append(reason)
        return len(self.reasons) - 1, 0

    def _wrong(self, rank: int) -> Iterator[Fault]:
        """Elements of OUTPUT that are not what they should be."""
        for start, end, position, ranks in expected(self.problem, rank):
            real = self.begin[rank][Memory.OUTPUT] + start
            for a, b, value in self.data[rank][Memory.OUTPUT].read(real, real + end - start):
                should = (position - real, ranks)
                if value != should:
                    writer = self.writers[rank][Memory.OUTPUT].read(a, b)[0][2][0]
                    first, last = a - real + start, b - 1 - real + start
                    is_single = b - a == 1
                    shown = (
                        f"element {first} of OUTPUT ends"
                        if is_single
                        else f"elements {first} to {last} of OUTPUT end"
                    )
                    is_, wanted = self._meaning(value, a), self._meaning(should, a)
                    yield Fault(rank, writer, f"{shown} as {is_}, not as {wanted}")
                    return

    def _meaning(self, value: _Value, at: int) -> str:
        if not value[1]:
            return self.reasons[value[0]]
        reduced = "the reduction of " if value[1] & value[1] - 1 else ""
        return f"{reduced}INPUT from {value[0] + at} on of {_ranks(value[1])}"


def _unheard(schedules: Sequence[Schedule], order: Order) -> list[Fault]:
    """A barrier: no rank may be done before it has heard, by way of others perhaps, that all have begun."""
    heard: dict[tuple[int, int], int] = {}
    for rank, at, other_rank, other_at in order.events:
        start = 1 << rank
        for earlier in schedules[rank].steps[at].after:
            start |= heard[rank, earlier]
        heard[rank, at] = start
        if other_at >= 0:
            there = start | 1 << other_rank
            for earlier in schedules[other_rank].steps[other_at].after:
                there |= heard[other_rank, earlier]
            heard[other_rank, other_at] = there
    faults = []
    for schedule in schedules:
        known = 1 << schedule.rank
        for at in range(len(schedule.steps)):
            known |= heard[schedule.rank, at]
        missing = (1 << len(schedules)) - 1 & ~known
        if missing:
            faults.append(Fault(schedule.rank, -1, f"it may leave the barrier before {_ranks(missing)}"))
    return faults


def _ranks(bits: int) -> str:
    """Return `ranks 0-2, 5`."""
    parts: list[str] = []
    start = 0
    while bits >> start:
        if not bits >> start & 1:
            start += 1
            continue
        end = start
        while bits >> end + 1 & 1:
            end += 1
        parts.append(str(start) if start == end else f"{start}-{end}")
        start = end + 1
    many = len(parts) > 1 or "-" in parts[0]
    return ("ranks " if many else "rank ") + ", ".join(parts)
