"""The estimate of a schedule's time is what a calculation by hand gives, where one can be made."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankwise.core.errors import InputError
from rankwise.schedules import cost, generator
from rankwise.schedules.cost import CostModel
from rankwise.schedules.model import NOWHERE, Kind, Memory, Network, Place, Problem, Schedule, Step, grouped
from support.schedule_problems import problems

MODEL = CostModel(
    overhead_seconds=1e-5, near_seconds=1e-4, local_seconds=1e-6, node_bytes_per_second=1e8,
    memory_bytes_per_second=1e9, eager_bytes=1e6,
)  # fmt: skip
MESSAGE = 2 * MODEL.overhead_seconds
TWO_SITES = Network(((0, 0, 1, 1), (0, 1, 2, 3)), ((0, 0.02), (0.02, 0)), ((0, 1e7), (1e7, 0)), 1e8)


def estimate(name: str, problem: Problem) -> float:
    return cost.seconds_of(generator.algorithm(problem.operation, name), problem, MODEL)


def test_one_message_takes_overheads_delay_and_its_bytes_over_the_rate() -> None:
    problem = Problem("bcast", 2, count=1000, element_bytes=8)
    assert estimate("linear", problem) == pytest.approx(MESSAGE + 1e-4 + 8000 / 1e8)


def test_within_a_node_it_goes_through_memory() -> None:
    problem = Problem("bcast", 2, count=1000, element_bytes=8, network=grouped([[2]]))
    assert estimate("linear", problem) == pytest.approx(MESSAGE + 1e-6 + 8000 / 1e9)


def test_a_longer_one_than_is_sent_eagerly_costs_a_round_trip_more() -> None:
    problem = Problem("bcast", 2, count=1_000_001, element_bytes=1)
    assert estimate("linear", problem) == pytest.approx(MESSAGE + 3e-4 + 1_000_001 / 1e8, rel=1e-3)


def test_between_sites_the_slowest_resource_counts_once() -> None:
    """Bytes are passed on as they come: not once more for each resource."""
    problem = Problem("gather", 4, root=0, counts=(0, 0, 100_000, 0), element_bytes=1, network=TWO_SITES)
    assert estimate("linear", problem) == pytest.approx(MESSAGE + 0.02 + 100_000 / 1e7)


def test_messages_over_one_link_go_one_after_another() -> None:
    problem = Problem("gather", 4, root=0, counts=(0, 0, 100_000, 100_000), element_bytes=1, network=TWO_SITES)
    assert estimate("linear", problem) == pytest.approx(MESSAGE + 0.02 + 200_000 / 1e7)


@given(ranks=st.integers(2, 12), count=st.integers(1, 10**5))
def test_a_root_takes_in_no_more_than_its_interface(ranks: int, count: int) -> None:
    found = estimate("linear", Problem("gather", ranks, count=count, element_bytes=1))
    least = (ranks - 1) * count / 1e8
    assert least <= found <= least + 1e-4 + (ranks + 1) * MODEL.overhead_seconds + count / 1e9 + 1e-9


@given(ranks=st.integers(2, 9), segments=st.integers(1, 20))
def test_a_segmented_chain_is_a_pipeline(ranks: int, segments: int) -> None:
    found = estimate("chain", Problem("bcast", ranks, count=segments, segment=1, element_bytes=50_000))
    hop = 50_000 / 1e8
    assert found == pytest.approx((segments - 1) * hop + (ranks - 1) * (hop + 1e-4 + MESSAGE), abs=4e-5 * ranks)


@given(data=st.data())
def test_schedules_from_python_and_from_c_are_the_same(data: st.DataObject) -> None:
    one = data.draw(st.sampled_from([one for one in generator.algorithms() if one.operation != "alltoall"]))
    problem = data.draw(problems(one, most_ranks=9, small=True))
    try:
        made = generator.schedules(one, problem)
    except generator.RefusedError:
        return
    assert cost.seconds(problem, made) == cost.seconds_of(one, problem)


def test_a_receive_that_nobody_sends_to_is_said() -> None:
    receive = Step(Kind.RECEIVE, 0, 0, NOWHERE, Place(Memory.OUTPUT, 0), 1)
    with pytest.raises(InputError, match="end"):
        cost.seconds(Problem("bcast", 2), (Schedule(0, ()), Schedule(1, (receive,))))


def test_two_ranks_that_wait_for_each_other_are_said() -> None:
    def rank(me: int) -> Schedule:
        other = 1 - me
        receive = Step(Kind.RECEIVE, other, 0, NOWHERE, Place(Memory.OUTPUT, other), 1)
        return Schedule(me, (receive, Step(Kind.SEND, other, 0, Place(Memory.INPUT, 0), NOWHERE, 1, (0,))))

    with pytest.raises(InputError, match="end"):
        cost.seconds(Problem("allgather", 2), (rank(0), rank(1)))
