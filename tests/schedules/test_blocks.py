"""The algorithms that move blocks send as many messages, elements and rounds as their files say."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankwise.schedules import generator
from rankwise.schedules.model import Kind, Problem
from rankwise.schedules.traffic import traffic


def log(ranks: int) -> int:
    """Return log2, rounded up."""
    return (ranks - 1).bit_length()


def halved(ranks: int) -> int:
    """Return the next lower power of two."""
    return 1 << (ranks.bit_length() - 1)


def by_pairs(ranks: int) -> tuple[int, int]:
    """Messages and rounds of what needs a power of two, with a step before and after for the ranks beyond."""
    power = halved(ranks)
    return power * log(power) + 2 * (ranks - power), log(power) + 2 * (ranks > power)


def binomial(ranks: int) -> int:
    """Blocks that are sent where each subtree's go to its root: for a power of two P / 2 log2 P."""
    return sum(min(one & -one, ranks - one) for one in range(1, ranks))


def each_pair(ranks: int) -> tuple[int, int, int]:
    return ranks * (ranks - 1), ranks * (ranks - 1), ranks - 1


FORMS: dict[str, Callable[[int], tuple[int, int | None, int]]] = {
    "gather.linear": lambda p: (p - 1, p - 1, p - 1),
    "gather.binomial": lambda p: (p - 1, binomial(p), log(p)),
    "scatter.linear": lambda p: (p - 1, p - 1, p - 1),
    "scatter.binomial": lambda p: (p - 1, binomial(p), log(p)),
    "allgather.linear": each_pair,
    "allgather.ring": each_pair,
    "allgather.bruck": lambda p: (p * log(p), p * (p - 1), log(p)),
    "allgather.gather_bcast": lambda p: (2 * (p - 1), binomial(p) + p * (p - 1), 2 * log(p)),
    "alltoall.linear": each_pair,
    "alltoall.pairwise": each_pair,
    "alltoall.bruck": lambda p: (p * log(p), p * sum(map(int.bit_count, range(p))), log(p)),
    "reduce_scatter.pairwise": each_pair,
    "reduce_scatter.ring": each_pair,
    "reduce_scatter.reduce_scatterv": lambda p: (2 * (p - 1), p * (p - 1) + binomial(p), 2 * log(p)),
}
"""Messages, blocks and rounds."""


@pytest.mark.parametrize("name", FORMS)
@given(ranks=st.integers(1, 33), count=st.sampled_from([1, 3, 64]), root=st.integers(0, 32))
def test_messages_blocks_and_rounds(name: str, ranks: int, count: int, root: int) -> None:
    operation, _, algorithm = name.partition(".")
    problem = Problem(operation, ranks, root % ranks if operation in {"gather", "scatter"} else 0, count)
    found = traffic(problem, generator.schedules(generator.algorithm(operation, algorithm), problem))
    messages, blocks, rounds = FORMS[name](ranks)
    assert (found.messages, found.elements, found.rounds) == (messages, blocks * count, rounds)


@pytest.mark.parametrize("name", ["allgather.recursive_doubling", "reduce_scatter.recursive_halving"])
@given(ranks=st.integers(1, 33), count=st.sampled_from([1, 3, 64]))
def test_any_number_of_ranks_in_pairs(name: str, ranks: int, count: int) -> None:
    operation, _, algorithm = name.partition(".")
    problem = Problem(operation, ranks, count=count)
    found = traffic(problem, generator.schedules(generator.algorithm(operation, algorithm), problem))
    assert (found.messages, found.rounds) == by_pairs(ranks)
    if ranks == halved(ranks):
        assert found.elements == ranks * (ranks - 1) * count
        assert found.most_sent == (ranks - 1) * count


@given(pairs=st.integers(1, 16))
def test_neighbours_exchange_in_half_as_many_rounds_as_ranks(pairs: int) -> None:
    ranks = 2 * pairs
    problem = Problem("allgather", ranks, count=5)
    found = traffic(problem, generator.schedules(generator.algorithm("allgather", "neighbor_exchange"), problem))
    assert (found.messages, found.elements, found.rounds) == (ranks * pairs, 5 * ranks * (ranks - 1), pairs)


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
