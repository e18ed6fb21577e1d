"""Finds a schedule for a network: trees found chunk by chunk, and all algorithms, by the estimate of `cost`.

Everything is tried as it will be written: a message of so many chunks, each of them one element. So what is found
is never worse, by that estimate, than any of our algorithms with the same chunks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from rankwise.core.errors import InputError
from rankwise.schedules import along_trees, cost, generator
from rankwise.schedules.chunk_trees import ChunkTrees, Places, Tree, trees
from rankwise.schedules.cost import CostModel
from rankwise.schedules.generator import Algorithm, RefusedError
from rankwise.schedules.model import Network, Problem, Schedule

OPERATIONS = ("bcast", "reduce", "allreduce", "allgather")
_LEAST_CHUNK_BYTES = 2048
_CHUNKS = (1, 4, 8, 16, 32, 64, 128, 256)
_MOST_TRANSFERS = 17_000
"""Of chunks, in one schedule along trees; what 256 ranks take 10 s for, tried in all ways, on one slow core."""
_MANY_RANKS = 64
"""Beyond this number fewer ways are tried."""
_MOST_TREE_NODES = 4096
"""Nodes times trees that differ."""


@dataclass(frozen=True, slots=True)
class Wish:
    """What a schedule is wanted for."""

    operation: str
    ranks: int
    size_bytes: int
    """Of the message; for allgather of a rank's block."""
    root: int = 0
    network: Network | None = None

    def problem(self, chunks: int) -> Problem:
        """Return the operation with each chunk as one element."""
        return Problem(
            self.operation, self.ranks, self.root, chunks, network=self.network,
            element_bytes=max(1, -(-self.size_bytes // chunks)),
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Candidate:
    """One way that was tried."""

    name: str
    """`trees ...`, or an algorithm's name with what it was told."""
    chunks: int
    seconds: float
    """The estimate."""


@dataclass(frozen=True, slots=True)
class Synthesis:
    """The best schedule of all that were tried."""

    wish: Wish
    best: Candidate
    problem: Problem
    """Each chunk is one element of it."""
    schedules: tuple[Schedule, ...]
    tried: tuple[Candidate, ...]
    """All of them, the best first."""


_Make = Callable[[], tuple[Schedule, ...]]


def synthesise(wish: Wish, model: CostModel | None = None) -> Synthesis:
    """Find the schedule with the least estimate. Raises InputError for an operation that is not in OPERATIONS.

    It tries the same candidates on every machine, however fast.
    """
    if wish.operation not in OPERATIONS:
        raise InputError(
            f"{wish.operation} cannot be synthesised",
            f"it can for {', '.join(OPERATIONS)}; others: rankwise schedule list",
        )
    if wish.size_bytes < 1:
        raise InputError("a message of no bytes needs no schedule", "give a size of 1 byte or more")
    model = model or CostModel()
    tried: list[tuple[Candidate, Problem, _Make]] = [*_by_algorithms(wish, model), *_by_trees(wish, model)]
    tried.sort(key=lambda one: one[0].seconds)
    best, problem, make = tried[0]
    return Synthesis(wish, best, problem, make(), tuple(one for one, _, _ in tried))


def _chunks(wish: Wish) -> list[int]:
    """How often a message may be divided: powers of two, and where algorithms divide it among the ranks."""
    most = max(1, wish.size_bytes // _LEAST_CHUNK_BYTES)
    return [chunks for chunks in _CHUNKS if chunks <= most]


def _by_algorithms(wish: Wish, model: CostModel) -> Iterator[tuple[Candidate, Problem, _Make]]:
    usual, most = _chunks(wish), 2 * _MOST_TRANSFERS
    if wish.ranks > _MANY_RANKS:
        usual = [chunks for chunks in usual if chunks in {1, 64}]
    divisions = sorted({*usual, min(wish.ranks, wish.size_bytes)})
    for one in generator.algorithms(wish.operation):
        for chunks in divisions if wish.operation != "allgather" or one.segmented else (1,):
            for segment in (0, 1) if one.segmented and 1 < chunks <= most // wish.ranks else (0,):
                problem = replace(wish.problem(chunks), segment=segment)
                try:
                    seconds = cost.seconds_of(one, problem, model)
                except RefusedError:
                    continue
                told = f", segments of {segment}" if segment else ""
                yield Candidate(f"{one.id}{told}", chunks, seconds), problem, _made(one, problem)


def _made(one: Algorithm, problem: Problem) -> _Make:
    return lambda: generator.schedules(one, problem)


def _kept(schedules: tuple[Schedule, ...]) -> _Make:
    return lambda: schedules


def _by_trees(wish: Wish, model: CostModel) -> Iterator[tuple[Candidate, Problem, _Make]]:
    places = Places(wish.ranks, wish.network, model)
    moved = wish.ranks * {"allgather": wish.ranks, "allreduce": 2}.get(wish.operation, 1)
    many = wish.ranks > _MANY_RANKS
    possible = [chunks for chunks in _chunks(wish) if chunks == 1 or chunks * moved <= _MOST_TRANSFERS]
    for chunks in (possible[0], *possible[1:][-1:]) if many else possible:
        problem = wish.problem(chunks)
        for name, roots in _roots(wish, places, chunks):
            for far_first in (False, True) if places.sites > 1 else (False,):
                for most in (1, 2) if many else (1, 2, 0):
                    schedules = _along(problem, places, roots, most, far_first)
                    told = (
                        f"trees from {name}{', sites first' * far_first}{f', {most} by the root' if most else ''}"
                    )
                    yield (
                        Candidate(told, chunks, cost.seconds(problem, schedules, model)), problem,
                        _kept(schedules),
                    )  # fmt: skip


def _roots(wish: Wish, places: Places, chunks: int) -> Iterator[tuple[str, list[int]]]:
    """The root of each chunk's tree: as the operation has it; for an allreduce one or the other choice."""
    if wish.operation in {"bcast", "reduce"}:
        yield f"rank {wish.root}", [wish.root] * chunks
    elif wish.operation == "allgather":
        yield "each rank", list(range(wish.ranks)) * chunks
    else:
        leaders = [members[0] for members in places.members]
        for site in range(places.sites if wish.ranks <= _MANY_RANKS else 1):
            inside = [rank for rank, at in zip(leaders, places.site, strict=True) if at == site]
            yield f"site {site}", [inside[chunk % len(inside)] for chunk in range(chunks)]
        if places.sites > 1:
            yield "all nodes", [leaders[chunk % len(leaders)] for chunk in range(chunks)]


def _along(
    problem: Problem, places: Places, roots: list[int], most_of_root: int, far_first: bool
) -> tuple[Schedule, ...]:
    chunk_bytes = float(problem.element_bytes)
    most = max(1, _MOST_TREE_NODES // len(places.members))

    def down() -> list[Tree]:
        return trees(ChunkTrees(places, chunk_bytes, most_of_root, far_first), roots, most)

    def up() -> list[Tree]:  # time runs backwards there: the last chunk comes first
        return trees(ChunkTrees(places, chunk_bytes, most_of_root, far_first, backwards=True), roots[::-1], most)[
            ::-1
        ]

    match problem.operation:
        case "bcast":
            return along_trees.bcast(problem, down())
        case "reduce":
            return along_trees.reduce(problem, up())
        case "allgather":
            return along_trees.allgather(problem, down())
    return along_trees.allreduce(problem, up(), down())
