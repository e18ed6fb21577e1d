"""The prover says of each sort of mistake which rank and which step make it, and why, and takes what is right."""

import pytest

from rankwise.schedules.model import NOWHERE, Kind, Memory, Network, Place, Problem, Schedule, Step, grouped
from rankwise.schedules.prover import prove

INPUT, OUTPUT, SCRATCH = (lambda at, memory=memory: Place(memory, at) for memory in Memory)


def send(peer: int, source: Place, length: int, *after: int, tag: int = 0) -> Step:
    return Step(Kind.SEND, peer, tag, source, NOWHERE, length, after)


def receive(peer: int, target: Place, length: int, *after: int, tag: int = 0) -> Step:
    return Step(Kind.RECEIVE, peer, tag, NOWHERE, target, length, after)


def copy(source: Place, target: Place, length: int, *after: int) -> Step:
    return Step(Kind.COPY, -1, 0, source, target, length, after)


def reduce(source: Place, target: Place, length: int, *after: int) -> Step:
    return Step(Kind.REDUCE, -1, 0, source, target, length, after)


def of(*ranks: list[Step], scratch: int = 8) -> list[Schedule]:
    return [Schedule(rank, tuple(steps), scratch) for rank, steps in enumerate(ranks)]


def faults(problem: Problem, *ranks: list[Step]) -> list[str]:
    return [str(fault) for fault in prove(problem, of(*ranks)).faults]


PAIR = Problem("bcast", 2, count=4)
SUM = Problem("allreduce", 2, count=4)
ORDERED = Problem("allreduce", 2, count=4, commutative=False)


def test_what_is_right_is_taken() -> None:
    assert faults(PAIR, [send(1, INPUT(0), 4)], [receive(0, OUTPUT(0), 4)]) == []
    swapped = [
        [
            send(1 - me, INPUT(0), 4),
            receive(1 - me, SCRATCH(0), 4),
            copy(INPUT(0), OUTPUT(0), 4, 0),
            reduce(SCRATCH(0), OUTPUT(0), 4, 1, 2),
        ]
        for me in (0, 1)
    ]
    assert faults(SUM, *swapped) == []


def test_the_order_of_the_ranks_is_kept_where_it_must_be() -> None:
    def side(me: int, mine_first: bool) -> list[Step]:
        first, second = (INPUT(0), SCRATCH(0)) if mine_first else (SCRATCH(0), INPUT(0))
        return [
            send(1 - me, INPUT(0), 4),
            receive(1 - me, SCRATCH(0), 4),
            copy(second, OUTPUT(0), 4, 0, 1),
            reduce(first, OUTPUT(0), 4, 1, 2),
        ]

    proof = prove(ORDERED, of(side(0, True), side(1, False)))
    assert proof.in_place, "INPUT is needed after OUTPUT has been written"
    assert [fault.rank for fault in proof.faults] == [0]
    wrong = faults(ORDERED, side(0, False), side(1, False))
    assert "rank 0, step 3: elements 0 to 3 of OUTPUT end as what step 3 of rank 0 made" in wrong[0]
    assert "rank 1 before rank 0: not the order of the ranks" in wrong[0]


@pytest.mark.parametrize(
    ("ranks", "told"),
    [
        pytest.param(([send(1, INPUT(0), 4)],), "schedules of 1 ranks, not of 2", id="too few ranks"),
        pytest.param(([send(1, INPUT(0), 4)], []), "rank 0, step 0: rank 1 has no receive for", id="alone"),
        pytest.param(([], [receive(0, OUTPUT(0), 4)]), "rank 1, step 0: rank 0 has no send for", id="never sent"),
        pytest.param(
            ([send(1, INPUT(0), 3)], [receive(0, OUTPUT(0), 4)]),
            "rank 1, step 0: its receive of 4 elements from rank 0, tag 0 meets step 0 of rank 0, a send of 3",
            id="length",
        ),
        pytest.param(([send(1, INPUT(1), 4)], [receive(0, OUTPUT(0), 4)]),
                     "elements 1 to 4 of INPUT, which has 4", id="beyond the end"),
        pytest.param(([send(1, INPUT(-1), 4)], []), "elements -1 to 2 of INPUT", id="before the start"),
        pytest.param(([send(2, INPUT(0), 4)], []), "the ranks are 0 to 1", id="peer"),
        pytest.param(([send(1, INPUT(0), 4, tag=-1)], []), "tags 0 or more", id="tag"),
        pytest.param(([send(1, INPUT(0), -1)], []), "its length is negative", id="negative"),
        pytest.param(([send(1, INPUT(0), 4, 7)], []), "waits for step 7, which does not exist", id="no such step"),
        pytest.param(([copy(SCRATCH(0), INPUT(0), 1)], []), "writes to INPUT", id="input"),
        pytest.param(([copy(SCRATCH(0), SCRATCH(1), 2)], []), "elements of SCRATCH that it writes", id="overlap"),
        pytest.param(
            ([copy(INPUT(0), SCRATCH(0), 1, 1), copy(INPUT(0), SCRATCH(0), 1, 0)], []), "cyclic", id="cycle"
        ),
        pytest.param(
            ([copy(INPUT(0), SCRATCH(0), 1, 1), copy(INPUT(0), SCRATCH(0), 1)], []), "comes behind it", id="order"
        ),
        pytest.param(
            ([send(1, INPUT(0), 2), send(1, INPUT(2), 2)],
             [receive(0, OUTPUT(0), 2), receive(0, OUTPUT(2), 2, 0)]),
            "rank 0, step 1: this send of 2 elements to rank 1, tag 0 may be under way at once with step 0",
            id="ambiguous",
        ),
        pytest.param(
            ([send(1, INPUT(0), 4)], [receive(0, OUTPUT(0), 4), copy(OUTPUT(0), SCRATCH(0), 1)]),
            "reads elements of OUTPUT that step 0 (receive of 4 elements from rank 0, tag 0) touches",
            id="race with a posted receive",
        ),
        pytest.param(
            ([copy(INPUT(0), SCRATCH(0), 4), send(1, SCRATCH(0), 4, 0), copy(INPUT(0), SCRATCH(0), 4, 0)],
             [receive(0, OUTPUT(0), 4)]),
            "rank 0, step 2: this copy of 4 elements writes elements of SCRATCH that step 1",
            id="race with a send",
        ),
        pytest.param(
            ([receive(1, SCRATCH(0), 1), send(1, INPUT(0), 4, 0)],
             [receive(0, OUTPUT(0), 4), send(0, OUTPUT(0), 1, 0)]),
            "a deadlock: step",
            id="deadlock",
        ),
        pytest.param(([send(1, INPUT(0), 3)], [receive(0, OUTPUT(0), 3)]),
                     "rank 1: element 3 of OUTPUT ends as elements of OUTPUT of rank 1 that nothing",
                     id="too little"),
        pytest.param(([send(1, INPUT(0), 2), send(1, INPUT(0), 2, tag=1)],
                      [receive(0, OUTPUT(0), 2), receive(0, OUTPUT(2), 2, tag=1)]),
                     "rank 1, step 1: elements 2 to 3 of OUTPUT end as INPUT from 0 on of rank 0, not as",
                     id="wrong elements"),
    ],
)  # fmt: skip
def test_a_mistake_in_a_broadcast(ranks: tuple[list[Step], ...], told: str) -> None:
    found = faults(PAIR, *ranks)
    assert told in found[0]


def test_a_contribution_counted_twice() -> None:
    def side(me: int) -> list[Step]:
        return [
            send(1 - me, INPUT(0), 4),
            receive(1 - me, SCRATCH(0), 4),
            copy(SCRATCH(0), OUTPUT(0), 4, 0, 1),
            reduce(SCRATCH(0), OUTPUT(0), 4, 2),
        ]

    assert "counts rank 1 twice" in faults(SUM, side(0), side(1))[0]


def test_a_barrier_hears_of_everybody() -> None:
    two = Problem("barrier", 3)
    quiet = [[send(1, INPUT(0), 0)], [receive(0, INPUT(0), 0), send(2, INPUT(0), 0, 0)], [receive(1, INPUT(0), 0)]]
    found = faults(two, *quiet)
    assert found == [
        "rank 0: it may leave the barrier before ranks 1-2",
        "rank 1: it may leave the barrier before rank 2",
    ]


def test_a_message_sent_before_a_word_was_heard_does_not_carry_it() -> None:
    """Both send first: rank 1 tells rank 2 nothing of rank 0."""
    none = INPUT(0)
    ring = [
        [send((me + 1) % 3, none, 0), receive((me + 2) % 3, none, 0)] for me in range(3)
    ]  # fmt: skip
    assert len(faults(Problem("barrier", 3), *ring)) == 3


def test_large_counts_cost_nothing() -> None:
    huge = Problem("bcast", 2, count=10**15)
    assert faults(huge, [send(1, INPUT(0), 10**15)], [receive(0, OUTPUT(0), 10**15)]) == []


@pytest.mark.parametrize(
    ("network", "names", "level"),
    [
        (Network(), ("network",), 0),
        (grouped([[2], [1]]), ("WAN", "site", "node"), 2),
        (Network(((0, 0, 1),)), ("WAN", "site"), 1),
        (Network(((0, 0, 1), (0, 1, 2), (0, 1, 2))), ("WAN", "site", "level 2", "node"), 1),
    ],
)
def test_levels_of_links(network: Network, names: tuple[str, ...], level: int) -> None:
    assert network.link_names() == names
    assert network.link_level(0, 1) == level
    assert network.link_level(0, 2) == 0
