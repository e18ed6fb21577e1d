"""Every algorithm that is registered is right, for any ranks, root, count and network, or says why not."""

from collections.abc import Iterable

import hypothesis
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankwise.schedules import generator
from rankwise.schedules.generator import Algorithm
from rankwise.schedules.model import BLOCKED, REDUCING, ROOTED, Kind, Problem, Schedule, grouped
from rankwise.schedules.prover import prove
from support.schedule_machine import wrong
from support.schedule_problems import made, problems

ALGORITHMS = generator.algorithms()
every_algorithm = pytest.mark.parametrize("one", ALGORITHMS, ids=lambda one: one.id)
COUNTS = (0, 1, 7)
MOST_RANKS = 64 if hypothesis.settings().max_examples > 25 else 20
"""By day fewer: what takes time grows with their square."""


def refuted(problem: Problem, schedules: tuple[Schedule, ...]) -> list[str]:
    proof = prove(problem, schedules)
    return [f"{fault}{' (in place)' * proof.in_place}" for fault in proof.faults]


def held(one: Algorithm, ranks: Iterable[int]) -> None:
    """All roots and a few counts, in order and in any order where the algorithm can do both."""
    for size in ranks:
        for root in range(size if one.operation in ROOTED else 1):
            for count in COUNTS:
                for commutative in {True, bool(one.commutative_only) or one.operation not in REDUCING}:
                    problem = Problem(one.operation, size, root, count, commutative=commutative)
                    assert refuted(problem, made(one, problem)) == [] or not made(one, problem), problem


@every_algorithm
def test_few_ranks(one: Algorithm) -> None:
    held(one, (1, 2, 3, 4, 5, 7, 8))


@every_algorithm
@pytest.mark.nightly
@pytest.mark.timeout(1800)
def test_up_to_64_ranks(one: Algorithm) -> None:
    held(one, (6, *range(9, 65)))


@every_algorithm
@given(data=st.data())
def test_any_problem(one: Algorithm, data: st.DataObject) -> None:
    problem = data.draw(problems(one, MOST_RANKS))
    schedules = made(one, problem)
    if schedules:
        assert refuted(problem, schedules) == []


@every_algorithm
def test_it_can_do_a_plain_problem(one: Algorithm) -> None:
    """What refuses everything would pass all other tests."""
    networks = [grouped([[2, 1], [3, 2]])] if one.for_networks else [None]
    for network in networks:
        problem = Problem(one.operation, 8, count=64, network=network)
        assert one.operation == "barrier" or any(
            step.kind is Kind.SEND for schedule in generator.schedules(one, problem) for step in schedule.steps
        )


@every_algorithm
@given(data=st.data())
def test_carried_out_on_real_elements(one: Algorithm, data: st.DataObject) -> None:
    """The prover is not the only judge."""
    problem = data.draw(problems(one, most_ranks=9, small=True))
    schedules = made(one, problem)
    if schedules:
        assert wrong(problem, schedules, data.draw(st.integers(0, 99))) == ""


@every_algorithm
def test_blocks_of_many_lengths(one: Algorithm) -> None:
    """Zeros first, last, and everywhere but at one rank."""
    if one.operation in BLOCKED and not one.equal_blocks:
        for counts in ((0, 3, 2, 0), (0, 0, 0, 9), (5, 0, 0, 0), (0,) * 5, (1, 2, 3, 4, 5, 6, 7)):
            for root in range(len(counts) if one.operation in ROOTED else 1):
                problem = Problem(one.operation, len(counts), root, counts=counts)
                schedules = made(one, problem)
                assert not schedules or refuted(problem, schedules) == [], problem


@hypothesis.settings(max_examples=hypothesis.settings().max_examples // 3)
@every_algorithm
@given(data=st.data())
def test_a_step_of_one_rank_needs_no_other_rank(one: Algorithm, data: st.DataObject) -> None:
    """Its own alone, or with all others: the same."""
    problem = data.draw(problems(one, most_ranks=9))
    schedules = made(one, problem)
    for schedule in reversed(schedules):
        assert generator.schedule(one, problem, schedule.rank) == schedule
