"""What an operation asks of its memories: what OUTPUT must hold, and what MPI_IN_PLACE makes one."""

from __future__ import annotations

from collections.abc import Iterator

from rankwise.schedules.model import ROOTED, Memory, Problem

Alias = tuple[Memory, Memory, int]
"""The first memory begins at this offset of the second."""


def alias(problem: Problem, rank: int) -> Alias | None:
    """Return what MPI_IN_PLACE makes one memory on this rank, where it may be asked for; None: nothing."""
    operation, start = problem.operation, 0
    if operation in ROOTED and rank != problem.root:
        return None
    if operation == "exscan" and not rank:
        return None
    if operation in {"gather", "scatter", "allgather"}:
        start = problem.block_start(rank)
    if operation == "scatter":
        return Memory.OUTPUT, Memory.INPUT, start
    return Memory.INPUT, Memory.OUTPUT, start


def real_memories(aliased: Alias | None) -> list[Memory]:
    """Return for each memory the one in which it is."""
    return [aliased[1] if aliased and memory is aliased[0] else memory for memory in Memory]


def real_begins(aliased: Alias | None) -> list[int]:
    """Return for each memory from which element of that one on."""
    return [aliased[2] if aliased and memory is aliased[0] else 0 for memory in Memory]


def expected(problem: Problem, rank: int) -> Iterator[tuple[int, int, int, int]]:
    """Yield what OUTPUT must hold: start, end, the position in INPUT that start has, and ranks as bits."""
    everybody = (1 << problem.ranks) - 1
    length = problem.output_length(rank)
    match problem.operation:
        case "bcast":
            runs = [(length, 0, 1 << problem.root)]
        case "scatter":
            runs = [(length, problem.block_start(rank), 1 << problem.root)]
        case "reduce_scatter":
            runs = [(length, problem.block_start(rank), everybody)]
        case "scan":
            runs = [(length, 0, (2 << rank) - 1)]
        case "exscan":
            runs = [(length, 0, (1 << rank) - 1)]
        case "allgather" | "gather" if length:
            runs = [(problem.block_length(other), 0, 1 << other) for other in range(problem.ranks)]
        case "alltoall":
            runs = list(_exchanged(problem, rank))
        case _:
            runs = [(length, 0, everybody)]
    start = 0
    for elements, position, ranks in runs:
        if elements:
            yield start, start + elements, position, ranks
        start += elements


def _exchanged(problem: Problem, rank: int) -> Iterator[tuple[int, int, int]]:
    for other in range(problem.ranks):
        start = sum(problem.matrix[other][:rank]) if problem.matrix else rank * problem.count
        yield problem.sent(other, rank), start, 1 << other
