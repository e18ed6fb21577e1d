"""Finds a schedule for a network: trees or routes chunk by chunk, or an algorithm, by the estimate of `cost`.

Everything is tried as it will be written: a message of so many chunks, each of them one element. So what is found
is never worse, by that estimate, than any of our algorithms with the same chunks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from rankwise.core.errors import InputError
from rankwise.schedules import along_routes, along_trees, cost, generator
from rankwise.schedules.chunk_routes import Routes
from rankwise.schedules.chunk_trees import ChunkTrees, Places, Tree, trees
from rankwise.schedules.cost import CostModel
from rankwise.schedules.generator import Algorithm, RefusedError
from rankwise.schedules.model import Network, Problem, Schedule

OPERATIONS = ("bcast", "reduce", "allreduce", "allgather", "reduce_scatter", "gather", "scatter", "alltoall")
_BLOCKS = {"allgather", "reduce_scatter", "gather", "scatter", "alltoall"}
"""Those whose size is that of one rank's block, or of one pair's."""
_PAIRS = {"allgather", "reduce_scatter", "alltoall"}
"""Those of which each rank has something for each other one."""
_ONE_WAY = {"gather", "scatter", "alltoall"}
"""Those whose blocks go from one rank to another."""
_MOVES = {"allreduce": 2, "reduce_scatter": 3}
"""What a chunk takes on a rank beside one that is only passed on: down again, or its sum, which is slow to try."""
_LEAST_CHUNK_BYTES = 2048
_CHUNKS = (1, 4, 8, 16, 32, 64, 128, 256)
_MOST_TRANSFERS = 17_000
"""Of chunks, in one schedule along trees; what 256 ranks take 10 s for, tried in all ways, on one slow core."""
_MOST_SEGMENTS = 200_000
"""Of blocks for each pair of ranks, in one algorithm's schedules; C takes a second for them."""
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
    """Of the message; of a rank's block, or a pair's, where there are such."""
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
_Tried = tuple[Candidate, Problem, _Make]
_Found = Iterator[tuple[str, Problem, tuple[Schedule, ...]]]


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
    places = Places(wish.ranks, wish.network, model)
    searches = (_by_routes, _by_bundles) if wish.operation in _ONE_WAY else (_by_trees,)
    tried: list[_Tried] = [*_by_algorithms(wish, model)]
    tried += [_judged(*candidate, model) for ways in searches for candidate in ways(wish, places)]
    tried.sort(key=lambda candidate: candidate[0].seconds)
    best, problem, make = tried[0]
    return Synthesis(wish, best, problem, make(), tuple(candidate for candidate, _, _ in tried))


def _chunks(wish: Wish) -> list[int]:
    """How often a message may be divided: powers of two, and where algorithms divide it among the ranks."""
    most = max(1, wish.size_bytes // _LEAST_CHUNK_BYTES)
    return [chunks for chunks in _CHUNKS if chunks <= most]


def _by_algorithms(wish: Wish, model: CostModel) -> Iterator[_Tried]:
    usual, most = _chunks(wish), _MOST_SEGMENTS // wish.ranks if wish.operation in _PAIRS else 2 * _MOST_TRANSFERS
    if wish.ranks > _MANY_RANKS:
        usual = [chunks for chunks in usual if chunks in {1, 64}]
    divisions = sorted({*usual, min(wish.ranks, wish.size_bytes)})
    for algorithm in generator.algorithms(wish.operation):
        for chunks in divisions if wish.operation not in _BLOCKS or algorithm.segmented else (1,):
            for segment in (0, 1) if algorithm.segmented and 1 < chunks <= most // wish.ranks else (0,):
                problem = replace(wish.problem(chunks), segment=segment)
                try:
                    seconds = cost.seconds_of(algorithm, problem, model)
                except RefusedError:
                    continue
                suffix = f", segments of {segment}" if segment else ""
                yield Candidate(f"{algorithm.id}{suffix}", chunks, seconds), problem, _made(algorithm, problem)


def _made(algorithm: Algorithm, problem: Problem) -> _Make:
    return lambda: generator.schedules(algorithm, problem)


def _judged(name: str, problem: Problem, schedules: tuple[Schedule, ...], model: CostModel) -> _Tried:
    return Candidate(name, problem.count, cost.seconds(problem, schedules, model)), problem, lambda: schedules


def _divisions(wish: Wish, moved: int) -> list[int]:
    """How often blocks are divided that go `moved` times each; at many ranks the two ends alone."""
    possible = [chunks for chunks in _chunks(wish) if chunks == 1 or chunks * moved <= _MOST_TRANSFERS]
    return possible if wish.ranks <= _MANY_RANKS else [possible[0], *possible[1:][-1:]]


def _by_trees(wish: Wish, places: Places) -> _Found:
    moved = wish.ranks * _MOVES.get(wish.operation, 1) * (wish.ranks if wish.operation in _PAIRS else 1)
    for chunks in _divisions(wish, moved):
        problem = wish.problem(chunks)
        for name, roots in _roots(wish, places, chunks):
            for suffix, far_first, most in _kinds_of_trees(places):
                if most > 1 and wish.ranks > _MANY_RANKS and wish.operation in _PAIRS:
                    continue
                yield f"trees from {name}{suffix}", problem, _along(problem, places, roots, most, far_first)


def _kinds_of_trees(places: Places) -> Iterator[tuple[str, bool, int]]:
    """In words, whether sites come first, and to how many nodes the root sends a chunk itself; 0: to any."""
    for far_first in (False, True) if places.sites > 1 else (False,):
        for most in (1, 2) if places.ranks > _MANY_RANKS else (1, 2, 0):
            yield f"{', sites first' * far_first}{f', {most} by the root' if most else ''}", far_first, most


def _by_routes(wish: Wish, places: Places) -> _Found:
    """Each block by a route of its own, or part by part."""
    all_pairs, backwards = wish.operation == "alltoall", wish.operation == "gather"
    others = sorted(range(wish.ranks), key=lambda rank: (rank - wish.root) % wish.ranks)
    for chunks in _divisions(wish, wish.ranks**2 if all_pairs else wish.ranks):
        problem = wish.problem(chunks)
        for relayed in (False, True) if places.sites > 2 else (False,):
            for far_first in (False, True) if places.sites > 1 and not all_pairs else (False,):
                route = Routes(places, float(problem.element_bytes), relayed, backwards).route
                order = sorted(others, key=lambda rank: -places.distance(wish.root, rank)) if far_first else others
                match wish.operation:
                    case "scatter":
                        made = along_routes.scatter(problem, order, route)
                    case "gather":
                        made = along_routes.gather(problem, order, route)
                    case _:
                        made = along_routes.alltoall(problem, route)
                yield f"routes{', relayed' * relayed}{', far ones first' * far_first}", problem, made


def _by_bundles(wish: Wish, places: Places) -> _Found:
    """Along trees, each of whose messages has all blocks of those below."""
    if wish.operation == "alltoall":
        return
    problem, backwards = wish.problem(1), wish.operation == "gather"
    make = along_routes.gather_in_bundles if backwards else along_routes.scatter_in_bundles
    for blocks in sorted({1, max(1, wish.ranks // 4)}):
        for suffix, far_first, most in _kinds_of_trees(places):
            chunk_trees = ChunkTrees(places, float(wish.size_bytes * blocks), most, far_first, backwards)
            yield (
                f"bundles from rank {wish.root}{suffix}, as if of {blocks}",
                problem,
                make(problem, chunk_trees.tree(wish.root)),
            )


def _roots(wish: Wish, places: Places, chunks: int) -> Iterator[tuple[str, list[int]]]:
    """The root of each chunk's tree: as the operation has it; for an allreduce one or the other choice."""
    if wish.operation in {"bcast", "reduce"}:
        yield f"rank {wish.root}", [wish.root] * chunks
    elif wish.operation in {"allgather", "reduce_scatter"}:
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
        case "reduce_scatter":
            return along_trees.reduce_scatter(problem, up())
        case "allgather":
            return along_trees.allgather(problem, down())
    return along_trees.allreduce(problem, up(), down())
