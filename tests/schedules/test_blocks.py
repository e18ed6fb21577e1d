"""What the algorithms that move blocks refuse, how many messages they have under way, and how few steps."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankwise.schedules import generator
from rankwise.schedules.model import Kind, Problem


def log(ranks: int) -> int:
    """Return log2, rounded up."""
    return (ranks - 1).bit_length()


def test_an_odd_number_of_neighbours_is_refused() -> None:
    with pytest.raises(generator.RefusedError, match="even"):
        generator.schedules(generator.algorithm("allgather", "neighbor_exchange"), Problem("allgather", 5))


@given(ranks=st.integers(2, 20), flying=st.integers(1, 25))
def test_no_more_messages_are_under_way_than_asked_for(ranks: int, flying: int) -> None:
    """A send can begin when the one `flying` before it has ended, and no sooner."""
    problem = Problem("alltoall", ranks, fan_out=flying)
    steps = generator.schedule(generator.algorithm("alltoall", "linear"), problem, 0).steps
    for kind in (Kind.SEND, Kind.RECEIVE):
        numbers = [number for number, step in enumerate(steps) if step.kind is kind]
        waits = [steps[number].after for number in numbers]
        expected = [() if at < flying else (numbers[at - flying],) for at in range(len(numbers))]
        assert waits == expected


@pytest.mark.parametrize(
    "name",
    [
        "gather.binomial", "scatter.binomial", "allgather.bruck", "allgather.recursive_doubling",
        "allgather.gather_bcast", "reduce_scatter.recursive_halving", "reduce_scatter.reduce_scatterv",
    ],
)  # fmt: skip
@given(rank=st.integers(0, 10**6 - 1))
def test_a_rank_of_a_million_has_few_steps(name: str, rank: int) -> None:
    operation, _, algorithm = name.partition(".")
    problem = Problem(operation, 10**6, count=3)
    steps = generator.schedule(generator.algorithm(operation, algorithm), problem, rank).steps
    assert 0 < len(steps) <= 10 * log(10**6)
