"""A collective operation as all ranks call it, and the schedule of a rank: a DAG of steps over three memories.

All lengths and offsets are in elements. What the memories hold for each operation is told in
`csrc/schedules/algorithm.h`, and by `input_length` and `output_length` here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from itertools import accumulate
from typing import NamedTuple

from rankwise.core.errors import InputError, UnknownNameError

OPERATIONS = (
    "bcast", "reduce", "allreduce", "reduce_scatter", "gather", "scatter", "allgather", "alltoall", "barrier",
    "scan", "exscan",
)  # fmt: skip
"""In the order of the enumeration in algorithm.h."""
ROOTED = frozenset({"bcast", "reduce", "gather", "scatter"})
REDUCING = frozenset({"reduce", "allreduce", "reduce_scatter", "scan", "exscan"})
BLOCKED = frozenset({"reduce_scatter", "gather", "scatter", "allgather"})
"""Those with a block of each rank, whose lengths `Problem.counts` may give."""
IN_PLACE = frozenset({"allreduce", "reduce", "scan", "exscan", "gather", "scatter", "allgather"})
"""Those that must also be right where INPUT is the part of OUTPUT that MPI_IN_PLACE stands for."""


class Memory(IntEnum):
    """Whose elements a place is among: the operation's input and output, and memory of the schedule's own."""

    INPUT = 0
    OUTPUT = 1
    SCRATCH = 2


class Kind(IntEnum):
    """What a step does."""

    SEND = 0
    RECEIVE = 1
    COPY = 2
    REDUCE = 3


class Place(NamedTuple):
    """An element of a memory."""

    memory: Memory
    offset: int


NOWHERE = Place(Memory.INPUT, 0)


class Step(NamedTuple):
    """One step of a rank. It may begin when the steps `after`, of the same rank, have ended.

    A send has a `source`, a receive a `target`, a copy and a reduce both; a reduce makes `target` of
    `source` op `target`. A copy of no elements stands for the steps that it waits for.
    """

    kind: Kind
    peer: int
    """Of a send or a receive; else -1."""
    tag: int
    source: Place
    target: Place
    length: int
    after: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Schedule:
    """The steps of one rank, in an order in which each comes behind those that it waits for."""

    rank: int
    steps: tuple[Step, ...]
    scratch: int = 0
    """Elements of its own memory."""


@dataclass(frozen=True, slots=True)
class Network:
    """Who is near whom: groups within groups, sites first, nodes last, each numbered from 0 in its level."""

    groups: tuple[tuple[int, ...], ...] = ()
    """Shape (levels, ranks)."""
    delay_seconds: tuple[tuple[float, ...], ...] = ()
    """One way, shape (sites, sites); empty: all alike."""
    bytes_per_second: tuple[tuple[float, ...], ...] = ()
    """Shape (sites, sites); empty: all alike."""
    node_bytes_per_second: float = 0.0

    @property
    def sites(self) -> int:
        """Return the number of groups of the outermost level."""
        return max(self.groups[0], default=-1) + 1 if self.groups else 1

    def link_level(self, rank: int, other: int) -> int:
        """Return the outermost level at which two ranks are in different groups; `levels` if in none."""
        for level, groups in enumerate(self.groups):
            if groups[rank] != groups[other]:
                return level
        return len(self.groups)

    def link_names(self) -> tuple[str, ...]:
        """Return the name of each link level, from the outermost on, then that within the innermost groups."""
        if not self.groups:
            return ("network",)
        between = [f"level {level}" for level in range(2, len(self.groups))]
        return ("WAN", *(["site", *between][: len(self.groups) - 1]), "node" if len(self.groups) > 1 else "site")


@dataclass(frozen=True, slots=True)
class Problem:
    """A collective operation on `ranks` ranks. A block is `count` elements, or counts[r] of rank r.

    `matrix` is alltoallv's alone, shape (ranks, ranks): the elements that rank s sends to rank r in row s.
    Segment, fan_out and lanes: 0 leaves them to the algorithm. Raises InputError for what makes no sense.
    """

    operation: str
    ranks: int
    root: int = 0
    count: int = 1
    counts: tuple[int, ...] = ()
    matrix: tuple[tuple[int, ...], ...] = ()
    commutative: bool = True
    segment: int = 0
    fan_out: int = 0
    lanes: int = 0
    element_bytes: int = 0
    network: Network | None = None
    _starts: tuple[int, ...] = field(init=False, repr=False, compare=False, default=())

    def __post_init__(self) -> None:
        if self.operation not in OPERATIONS:
            raise UnknownNameError("operation", self.operation, OPERATIONS)
        if self.ranks < 1 or not 0 <= self.root < self.ranks:
            raise InputError(
                f"rank {self.root} cannot be the root of {self.ranks} ranks",
                f"the ranks are 0 to {self.ranks - 1}",
            )
        if min(self.count, *self.counts, *(count for row in self.matrix for count in row), 0) < 0:
            raise InputError("a count is negative", "give counts of 0 or more")
        _check_shapes(self)
        object.__setattr__(self, "_starts", tuple(accumulate(self.counts, initial=0)))

    def block_length(self, rank: int) -> int:
        """Return the elements of a rank's block."""
        return self.counts[rank] if self.counts else self.count

    def block_start(self, rank: int) -> int:
        """Return the elements of all blocks before a rank's; `ranks`: of all."""
        return self._starts[rank] if self.counts else rank * self.count

    def sent(self, sender: int, receiver: int) -> int:
        """Return the elements that alltoall moves from one rank to another."""
        return self.matrix[sender][receiver] if self.matrix else self.count

    def input_length(self, rank: int) -> int:
        """Return the elements of INPUT on a rank."""
        length = self.count
        match self.operation:
            case "bcast":
                length = self.count * (rank == self.root)
            case "reduce_scatter":
                length = self.block_start(self.ranks)
            case "scatter":
                length = self.block_start(self.ranks) * (rank == self.root)
            case "gather" | "allgather":
                length = self.block_length(rank)
            case "alltoall":
                length = sum(self.sent(rank, other) for other in range(self.ranks))
            case "barrier":
                length = 0
        return length

    def output_length(self, rank: int) -> int:
        """Return the elements of OUTPUT on a rank."""
        length = self.count
        match self.operation:
            case "bcast":
                length = self.count * (rank != self.root)
            case "reduce":
                length = self.count * (rank == self.root)
            case "reduce_scatter" | "scatter":
                length = self.block_length(rank)
            case "gather":
                length = self.block_start(self.ranks) * (rank == self.root)
            case "allgather":
                length = self.block_start(self.ranks)
            case "alltoall":
                length = sum(self.sent(other, rank) for other in range(self.ranks))
            case "exscan":
                length = self.count * (rank > 0)
            case "barrier":
                length = 0
        return length


def _check_shapes(problem: Problem) -> None:
    if problem.counts and (problem.operation not in BLOCKED or len(problem.counts) != problem.ranks):
        raise InputError(
            f"{len(problem.counts)} counts for {problem.operation} on {problem.ranks} ranks",
            f"give one count a rank, for {', '.join(sorted(BLOCKED))}",
        )
    if problem.matrix and (
        problem.operation != "alltoall" or {len(problem.matrix), *map(len, problem.matrix)} != {problem.ranks}
    ):
        raise InputError("a matrix of counts that does not fit", "give ranks x ranks counts, for alltoall")
    groups = problem.network.groups if problem.network else ()
    for level in groups:
        if len(level) != problem.ranks:
            raise InputError(
                f"the network has {len(level)} ranks, the operation {problem.ranks}", "describe every rank once"
            )


def grouped(sizes: Sequence[Sequence[int]]) -> Network:
    """Return a network of ranks in order: [[2, 2], [4]] are a site of two nodes of 2, and one of a node of 4."""
    sites = tuple(site for site, nodes in enumerate(sizes) for ranks in nodes for _ in range(ranks))
    flat = [ranks for nodes in sizes for ranks in nodes]
    return Network((sites, tuple(node for node, ranks in enumerate(flat) for _ in range(ranks))))
