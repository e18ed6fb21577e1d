"""A schedule written in Python waits for what its data need and nothing else; its mistakes are told by rank."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from rankwise.core.errors import InputError
from rankwise.schedules.model import Kind, Memory
from rankwise.schedules.written import Rank, load, schedule


@schedule("allgather", chunks=1)
def ring(rank: Rank, ranks: int) -> None:
    """Blocks go round."""
    rank.copy(rank.input[:], rank.output[rank])
    for turn in range(ranks - 1):
        rank.send((rank + 1) % ranks, rank.output[(rank - turn) % ranks])
        rank.receive((rank - 1) % ranks, rank.output[(rank - turn - 1) % ranks])


@schedule("reduce", chunks=2)
def in_order(rank: Rank, ranks: int) -> None:
    """Each rank puts its own before what it has of the ranks behind it."""
    if rank == rank.root:
        rank.copy(rank.input[:], rank.output[:])
        for other in range(rank + 1, ranks):
            rank.recv_reduce(other, rank.output[:], behind=True)
    else:
        rank.send(rank.root, rank.input[:])


@schedule("barrier")
def dissemination(rank: Rank, ranks: int) -> None:
    """Hensgen, Finkel and Manber 1988."""
    distance = 1
    while distance < ranks:
        rank.send((rank + distance) % ranks)
        rank.receive((rank - distance) % ranks)
        distance *= 2


@schedule("bcast", chunks=3)
def chain(rank: Rank, ranks: int) -> None:
    for chunk in range(3):
        if rank > 0:
            rank.receive(rank - 1, rank.data[chunk])
        if rank + 1 < ranks:
            rank.send(rank + 1, rank.data[chunk])


@pytest.mark.parametrize("one", [ring, in_order, dissemination, chain], ids=lambda one: one.name)
@pytest.mark.parametrize("ranks", [1, 2, 3, 4, 7, 16])
def test_it_is_right(one: schedule, ranks: int) -> None:  # type: ignore[valid-type]
    proof = one.proof(ranks)  # type: ignore[attr-defined]
    assert proof.faults == ()


def test_the_order_of_the_ranks_is_kept() -> None:
    assert not in_order.proof(4).problem.commutative
    assert in_order.proof(4, root=0).right


def test_chunks_do_not_wait_for_one_another() -> None:
    middle = chain.fixed(3).schedules[1]
    assert [step.kind for step in middle.steps] == [Kind.RECEIVE, Kind.SEND] * 3
    assert [step.after for step in middle.steps] == [(), (0,), (), (2,), (), (4,)]
    assert [step.tag for step in middle.steps] == [0, 0, 1, 1, 2, 2]


def test_what_is_overwritten_has_been_sent() -> None:
    @schedule("bcast", chunks=1)
    def reused(rank: Rank, ranks: int) -> None:
        if rank == 0:
            for _ in range(2):
                rank.copy(rank.data[0], rank.scratch[0])
                rank.send(1, rank.scratch[0])
        else:
            rank.receive(0, rank.data[0])
            rank.receive(0, rank.data[0])

    root = reused.fixed(2).schedules[0]
    assert root.steps[2].after == (0, 1)
    assert root.scratch == 1
    assert reused.proof(2).right


def test_chunks_of_a_block_may_differ_so_none_takes_the_place_of_another() -> None:
    """Memory of its own, which recv_reduce receives into, keeps to that; a user may not."""
    found = schedule("allreduce", chunks=2)(lambda rank, ranks: rank.copy(rank.input[0], rank.scratch[1]))
    assert found.fixed(1).multiple
    assert not ring.fixed(4).multiple
    assert not in_order.fixed(4).multiple


def broken(action: Callable[[Rank], object]) -> Callable[[Rank, int], None]:
    def function(rank: Rank, ranks: int) -> None:
        if rank == 1:
            rank.copy(rank.input[:], rank.output[:])
            action(rank)

    return function


@pytest.mark.parametrize(
    ("action", "told"),
    [
        (lambda rank: rank.send(9, rank.input[0]), "ValueError: invalid rank 9: the ranks are 0 to 3"),
        (lambda rank: rank.input[4], "IndexError: chunk 4 of INPUT, which has 4 on this rank"),
        (lambda rank: rank.scratch[:], "IndexError: a slice is of chunks"),
        (lambda rank: rank.output[::2], "IndexError: a slice is of chunks"),
        (lambda rank: rank.copy(rank.input[0], rank.output[:]), "ValueError: 1 chunks cannot take the place of 4"),
        (lambda rank: 1 // 0, "ZeroDivisionError"),
    ],
)
def test_a_mistake_names_the_rank(action: Callable[[Rank], object], told: str) -> None:
    with pytest.raises(InputError, match=re.escape(f"function: rank 1, after 1 steps: {told}")):
        schedule("allreduce")(broken(action)).fixed(4)


def test_an_endless_function_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rankwise.schedules.written._MOST_STEPS", 100)

    @schedule("allreduce")
    def endless(rank: Rank, ranks: int) -> None:
        while True:
            rank.copy(rank.input[0], rank.output[0])

    with pytest.raises(InputError, match=r"rank 0, after 100 steps: .*more than 100 steps"):
        endless.fixed(2)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("x = 1", "has no schedule"),
        ("import nothing_like_that", "cannot be run: ModuleNotFoundError"),
        ("def (", "cannot be run: SyntaxError"),
        (
            "import rankwise\nrankwise.schedule('allredcue')(print)",
            "cannot be run: UnknownNameError: unknown operation",
        ),
        ("import rankwise\nf = rankwise.schedule('bcast', chunks=0)(print)", "divides blocks into 0 chunks"),
    ],
)
def test_a_wrong_file(text: str, told: str, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(text)
    with pytest.raises(InputError, match=told):
        load(tmp_path / "mine.py").fixed(2)


def test_memories_are_as_long_as_the_operation_has_them() -> None:
    lengths: dict[int, tuple[int, ...]] = {}

    def look(rank: Rank, ranks: int) -> None:
        lengths[int(rank)] = (len(rank.input), len(rank.output), len(rank.data), rank.chunks, rank.data.memory)

    schedule("bcast", chunks=4)(look).fixed(2, root=1)
    assert lengths == {0: (0, 4, 4, 4, Memory.OUTPUT), 1: (4, 0, 4, 4, Memory.INPUT)}
