"""Messages, elements, rounds and crossings of the WAN are what the closed forms of the algorithms say."""

from math import ceil, log2

import pytest

from rankwise.schedules import generator
from rankwise.schedules.model import Network, Problem, grouped
from rankwise.schedules.traffic import Traffic, traffic


def counted(operation: str, name: str, problem: Problem) -> Traffic:
    return traffic(problem, generator.schedules(generator.algorithm(operation, name), problem))


@pytest.mark.parametrize("ranks", range(1, 20))
def test_ring(ranks: int) -> None:
    """Patarasuk and Yuan 2009: 2 (P - 1) rounds, and 2 (P - 1) / P of the data from each rank."""
    count = 12 * ranks
    found = counted("allreduce", "ring", Problem("allreduce", ranks, count=count))
    assert (found.rounds, found.chain) == (2 * (ranks - 1), 2 * (ranks - 1))
    assert (found.messages, found.elements) == (2 * ranks * (ranks - 1), 2 * (ranks - 1) * count)
    assert found.most_sent == 2 * (ranks - 1) * count // ranks
    assert found.reduced == (ranks - 1) * count


@pytest.mark.parametrize("ranks", range(1, 20))
def test_binomial(ranks: int) -> None:
    found = counted("bcast", "binomial", Problem("bcast", ranks, root=ranks // 2, count=5))
    assert (found.rounds, found.messages) == (ceil(log2(ranks)), ranks - 1)
    assert found.chain == max(rank.bit_count() for rank in range(ranks))
    assert found.elements == 5 * (ranks - 1)


def test_levels_add_up() -> None:
    network = grouped([[2, 2], [4]])
    found = counted("bcast", "binomial", Problem("bcast", 8, count=3, network=network))
    assert [one.level for one in found.levels] == ["WAN", "site", "node"]
    assert [one.messages for one in found.levels] == [1, 1, 5]
    assert [one.elements for one in found.levels] == [3, 3, 15]
    assert [one.chain for one in found.levels] == [1, 1, 2]


def test_one_rank_sends_one_message_at_a_time() -> None:
    """A root with many children is one message deep, and takes many rounds."""
    problem = Problem("bcast", 8, count=3, segment=1, network=Network())
    found = counted("bcast", "binomial", problem)
    assert (found.chain, found.rounds) == (3, 9)
