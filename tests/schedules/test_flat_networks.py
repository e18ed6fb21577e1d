"""Where all ranks are alike, messages, elements and rounds are what the papers say, and steps grow with log P."""

from math import ceil, floor, log

import pytest

from rankwise.schedules import generator
from rankwise.schedules.model import Problem
from rankwise.schedules.traffic import Traffic, traffic

SIZES = (1, 2, 3, 4, 5, 7, 8, 12, 13, 16)
POWERS = (1, 2, 4, 8, 16, 32)
COUNT = 5 * 7 * 9 * 16


def counted(operation: str, name: str, ranks: int, count: int = COUNT, segment: int = 0, **more: int) -> Traffic:
    problem = Problem(operation, ranks, more.pop("root", 0), count, segment=segment, **more)
    return traffic(problem, generator.schedules(generator.algorithm(operation, name), problem))


def rounds_of_two(ranks: int) -> int:
    return (ranks - 1).bit_length()


def power_of_two(ranks: int) -> int:
    return 1 << ranks.bit_length() - 1


@pytest.mark.parametrize("operation", ["bcast", "reduce"])
@pytest.mark.parametrize("name", ["linear", "chain", "binary", "knomial", "bine", "binomial"])
@pytest.mark.parametrize("ranks", SIZES)
def test_trees_send_each_rank_the_data_once(operation: str, name: str, ranks: int) -> None:
    found = counted(operation, name, ranks, root=ranks // 2, segment=COUNT // 4)
    assert (found.messages, found.elements) == (4 * (ranks - 1), COUNT * (ranks - 1))
    assert found.reduced == (COUNT * (ranks - 1) if operation == "reduce" else 0)


@pytest.mark.parametrize("operation", ["bcast", "reduce"])
@pytest.mark.parametrize("ranks", SIZES)
def test_depths_of_trees(operation: str, ranks: int) -> None:
    whole = {name: counted(operation, name, ranks, 5, 5) for name in ("linear", "chain", "binary", "knomial")}
    if operation == "bcast":  # a reduction has four buffers, so that messages wait for others
        assert whole["linear"].chain == min(ranks - 1, 1)
    assert whole["linear"].rounds == ranks - 1
    assert whole["chain"].chain == ranks - 1
    assert whole["binary"].chain == floor(log(ranks, 2) + 1e-9)
    assert whole["knomial"].chain <= ceil(log(ranks, 4) - 1e-9)
    bine = counted(operation, "bine", ranks, 5)
    assert bine.rounds == power_of_two(ranks).bit_length() - 1 + (ranks > power_of_two(ranks))


@pytest.mark.parametrize("operation", ["bcast", "reduce"])
@pytest.mark.parametrize("ranks", SIZES[2:])
def test_a_chain_is_a_pipeline(operation: str, ranks: int) -> None:
    assert counted(operation, "chain", ranks, 60, 5).rounds == ranks - 2 + 12


@pytest.mark.parametrize("ranks", SIZES)
def test_what_is_scattered_and_gathered_comes_once(ranks: int) -> None:
    ring = counted("bcast", "scatter_allgather_ring", ranks, COUNT * ranks)
    doubling = counted("bcast", "scatter_allgather_doubling", ranks, COUNT * ranks)
    assert ring.elements == doubling.elements == COUNT * ranks * (ranks - 1)
    assert doubling.chain <= 2 * rounds_of_two(ranks) + 1
    assert ring.chain <= rounds_of_two(ranks) + ranks - 1


@pytest.mark.parametrize("lanes", [1, 2, 3])
@pytest.mark.parametrize("ranks", SIZES)
def test_chains_share_the_data(ranks: int, lanes: int) -> None:
    found = counted("bcast", "chains", ranks, 60, 60, lanes=lanes)
    assert (found.messages, found.elements) == (lanes * (ranks - 1), 60 * (ranks - 1))
    assert found.most_sent == (60 if ranks > 1 else 0)


@pytest.mark.parametrize("name", ["rabenseifner", "swing"])
@pytest.mark.parametrize("ranks", POWERS)
def test_halving_and_doubling(name: str, ranks: int) -> None:
    count = 6 * ranks
    found = counted("allreduce", name, ranks, count)
    assert found.rounds == found.chain == 2 * rounds_of_two(ranks)
    assert found.messages == 2 * ranks * rounds_of_two(ranks)
    assert found.elements == 2 * (ranks - 1) * count
    assert found.most_sent == 2 * (ranks - 1) * count // ranks
    assert found.reduced == (ranks - 1) * count


@pytest.mark.parametrize("name", ["rabenseifner", "swing", "recursive_doubling", "bine"])
@pytest.mark.parametrize("ranks", SIZES)
def test_ranks_beyond_a_power_of_two_cost_two_messages_each(name: str, ranks: int) -> None:
    core = power_of_two(ranks)
    found, alone = (counted("allreduce", name, size) for size in (ranks, core))
    assert found.messages - alone.messages == 2 * (ranks - core)
    assert found.elements - alone.elements == 2 * (ranks - core) * COUNT
    assert found.chain - alone.chain == 2 * (ranks > core)


@pytest.mark.parametrize("name", ["recursive_doubling", "bine"])
@pytest.mark.parametrize("ranks", POWERS)
def test_pairs_exchange_all(name: str, ranks: int) -> None:
    found = counted("allreduce", name, ranks)
    assert found.rounds == found.chain == rounds_of_two(ranks)
    assert found.elements == ranks * rounds_of_two(ranks) * COUNT


@pytest.mark.parametrize(
    ("ranks", "fan_out", "partners"), [(27, 3, 6), (16, 4, 6), (8, 8, 7), (12, 4, 5), (18, 3, 5)]
)
def test_recursive_multiplying(ranks: int, fan_out: int, partners: int) -> None:
    """k - 1 partners a round; 12 = 3 * 4 and 18 = 2 * 3 * 3 take part as a whole."""
    found = counted("allreduce", "recursive_multiplying", ranks, fan_out=fan_out)
    assert found.messages == ranks * partners
    assert found.elements == ranks * partners * COUNT


@pytest.mark.parametrize("ranks", SIZES)
def test_allreduce_up_and_down(ranks: int) -> None:
    tree, chain = counted("allreduce", "reduce_bcast", ranks), counted("allreduce", "chain", ranks, 60, 5)
    assert (tree.messages, tree.rounds) == (2 * (ranks - 1), 2 * rounds_of_two(ranks))
    assert chain.messages == 12 * 2 * (ranks - 1)
    if ranks > 3:
        assert chain.rounds == 2 * (ranks - 2) + 2 * 12


@pytest.mark.parametrize("ranks", SIZES)
def test_a_segmented_ring_sends_no_more(ranks: int) -> None:
    ring, segmented = (counted("allreduce", name, ranks, 60 * ranks, 20) for name in ("ring", "segmented_ring"))
    assert (segmented.elements, segmented.most_sent) == (ring.elements, ring.most_sent)
    assert segmented.messages == 3 * ring.messages


@pytest.mark.parametrize("ranks", POWERS)
def test_reduce_of_rabenseifner(ranks: int) -> None:
    count = 6 * ranks
    found = counted("reduce", "rabenseifner", ranks, count, root=ranks // 3)
    assert found.chain == 2 * rounds_of_two(ranks)
    assert found.messages == ranks * rounds_of_two(ranks) + ranks - 1
    assert found.reduced == (ranks - 1) * count
    assert found.most_sent <= 2 * count


@pytest.mark.parametrize("ranks", SIZES)
def test_barriers(ranks: int) -> None:
    found = {
        name: counted("barrier", name, ranks)
        for name in ("linear", "tree", "dissemination", "recursive_doubling", "double_ring")
    }
    core = power_of_two(ranks)
    assert found["linear"].messages == found["tree"].messages == 2 * (ranks - 1)
    assert found["tree"].rounds == 2 * rounds_of_two(ranks)
    assert found["dissemination"].messages == ranks * rounds_of_two(ranks)
    assert found["dissemination"].rounds == rounds_of_two(ranks)
    assert found["recursive_doubling"].messages == core * rounds_of_two(core) + 2 * (ranks - core)
    assert found["double_ring"].messages == found["double_ring"].chain == (2 * ranks if ranks > 1 else 0)


@pytest.mark.parametrize("operation", ["scan", "exscan"])
@pytest.mark.parametrize("ranks", SIZES)
def test_scans(operation: str, ranks: int) -> None:
    linear, doubling = counted(operation, "linear", ranks, 60, 5), counted(operation, "recursive_doubling", ranks)
    rounds = rounds_of_two(ranks)
    assert (linear.messages, linear.elements) == (12 * (ranks - 1), 60 * (ranks - 1))
    assert doubling.messages == ranks * rounds - 2**rounds + 1
    assert doubling.rounds == rounds


LOGARITHMIC = {
    "bcast": ("binary", "binomial", "bine", "chain", "knomial", "scatter_allgather_doubling", "chains"),
    "reduce": ("binary", "binary_in_order", "binomial", "bine", "chain", "knomial", "rabenseifner"),
    "allreduce": (
        "bine", "chain", "rabenseifner", "recursive_doubling", "recursive_multiplying", "reduce_bcast", "swing"
    ),
    "barrier": ("dissemination", "recursive_doubling", "tree", "double_ring"),
    "scan": ("linear", "recursive_doubling"),
    "exscan": ("linear", "recursive_doubling"),
}  # fmt: skip


@pytest.mark.parametrize(
    "name", [f"{operation}.{name}" for operation, names in LOGARITHMIC.items() for name in names]
)
@pytest.mark.parametrize("rank", [0, 1, 499_999, 524_287, 999_999])
def test_one_of_a_million_ranks_has_few_steps(name: str, rank: int) -> None:
    operation, algorithm = name.split(".")
    problem = Problem(operation, 10**6, 0, 8)
    made = generator.schedule(generator.algorithm(operation, algorithm), problem, rank)
    assert 0 < len(made.steps) <= 12 * 20 + 20
