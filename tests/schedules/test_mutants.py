"""A schedule with one mistake in it is refused, unless it still does the same, for every algorithm."""

from collections.abc import Callable
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankwise.schedules import generator
from rankwise.schedules.generator import Algorithm
from rankwise.schedules.model import Kind, Memory, Place, Problem, Schedule, Step
from rankwise.schedules.prover import prove
from support.schedule_machine import wrong
from support.schedule_problems import made, problems

ALGORITHMS = generator.algorithms()
ORDERS = 40
"""In which a mutant that was accepted is carried out."""


def moved(place: Place, by: int) -> Place:
    return Place(place.memory, place.offset + by)


def another_peer(step: Step, chance: Random, ranks: int, number: int) -> Step | None:
    others = [rank for rank in range(ranks) if rank != step.peer]
    return step._replace(peer=chance.choice(others)) if step.peer >= 0 and others else None


def another_tag(step: Step, chance: Random, ranks: int, number: int) -> Step | None:
    return step._replace(tag=step.tag + chance.randint(1, 3)) if step.peer >= 0 else None


def another_length(step: Step, chance: Random, ranks: int, number: int) -> Step | None:
    return step._replace(length=step.length + chance.choice([-1, 1])) if step.length else None


def another_source(step: Step, chance: Random, ranks: int, number: int) -> Step | None:
    reads = step.length and step.kind is not Kind.RECEIVE
    return step._replace(source=moved(step.source, chance.choice([-1, 1]))) if reads else None


def another_target(step: Step, chance: Random, ranks: int, number: int) -> Step | None:
    writes = step.length and step.kind is not Kind.SEND
    return step._replace(target=moved(step.target, chance.choice([-1, 1]))) if writes else None


def another_memory(step: Step, chance: Random, ranks: int, number: int) -> Step | None:
    others = [memory for memory in Memory if memory is not step.source.memory]
    reads = step.length and step.kind is not Kind.RECEIVE
    return step._replace(source=Place(chance.choice(others), step.source.offset)) if reads else None


def dropped_dependency(step: Step, chance: Random, ranks: int, number: int) -> Step | None:
    gone = chance.choice(step.after) if step.after else -1
    return step._replace(after=tuple(one for one in step.after if one != gone)) if step.after else None


def cycle(step: Step, chance: Random, ranks: int, number: int) -> Step | None:
    return step._replace(after=(*step.after, number))


def copied_for_reduced(step: Step, chance: Random, ranks: int, number: int) -> Step | None:
    return step._replace(kind=Kind.COPY) if step.kind is Kind.REDUCE else None


Mutation = Callable[[Step, Random, int, int], Step | None]
NEVER_EQUIVALENT: tuple[Mutation, ...] = (another_peer, another_tag, cycle)
AT_TIMES_EQUIVALENT: tuple[Mutation, ...] = (
    another_length, another_source, another_target, another_memory, dropped_dependency, copied_for_reduced,
)  # fmt: skip


def mutant(schedules: tuple[Schedule, ...], mutation: Mutation, chance: Random) -> tuple[Schedule, ...]:
    """Return the schedules with another step of one rank; none if there is no such step."""
    places = [(one.rank, at) for one in schedules for at in range(len(one.steps))]
    chance.shuffle(places)
    for rank, at in places:
        whole = schedules[rank]
        step = mutation(whole.steps[at], chance, len(schedules), at)
        if step is not None:
            steps = (*whole.steps[:at], step, *whole.steps[at + 1 :])
            return (*schedules[:rank], Schedule(rank, steps, whole.scratch), *schedules[rank + 1 :])
    return ()


@pytest.mark.parametrize("one", ALGORITHMS, ids=lambda one: one.id)
@given(data=st.data())
def test_a_mistake_is_refused(one: Algorithm, data: st.DataObject) -> None:
    mutation = data.draw(st.sampled_from([*NEVER_EQUIVALENT, *AT_TIMES_EQUIVALENT]))
    problem = data.draw(problems(one, most_ranks=6, small=True))
    changed = mutant(made(one, problem), mutation, Random(data.draw(st.integers(0, 10**6))))
    if not changed:
        return
    proof = prove(problem, changed)
    if proof.right:
        assert mutation not in NEVER_EQUIVALENT
        for order in range(ORDERS):
            assert wrong(problem, changed, order) == ""
    else:
        assert all(0 <= fault.rank < problem.ranks and fault.reason for fault in proof.faults)


def without_a_step(schedules: tuple[Schedule, ...], rank: int, at: int) -> tuple[Schedule, ...]:
    """What waited for it waits for what it waited for."""
    whole = schedules[rank]
    steps = []
    for step in whole.steps:
        after = {two for one in step.after for two in (whole.steps[at].after if one == at else (one,))}
        steps.append(step._replace(after=tuple(sorted(one - (one > at) for one in after))))
    del steps[at]
    return (*schedules[:rank], Schedule(rank, tuple(steps), whole.scratch), *schedules[rank + 1 :])


@pytest.mark.parametrize("one", ALGORITHMS, ids=lambda one: one.id)
def test_no_message_can_be_left_out(one: Algorithm) -> None:
    problem = Problem(one.operation, 4, count=16)
    schedules = made(one, problem)
    for schedule in schedules:
        for at, step in enumerate(schedule.steps):
            if step.peer >= 0:
                assert not prove(problem, without_a_step(schedules, schedule.rank, at)).right
