"""Schedules that send each chunk of a message along a tree of its own; a chunk is one element of the problem."""

from __future__ import annotations

from collections.abc import Sequence

from rankwise.schedules.chunk_trees import Tree
from rankwise.schedules.model import NOWHERE, Kind, Memory, Place, Problem, Schedule, Step

AHEAD = 8
"""Chunks that a rank has under way towards roots: with few it waits for others, with many sums get into a jam."""


class OneRank:
    """The schedule of one rank while it is built."""

    def __init__(self, rank: int) -> None:
        self.rank, self.scratch = rank, 0
        self.steps: list[Step] = []
        self.sent_up: list[int] = []
        """Its sends towards roots: each waits for the one AHEAD before it, so that chunks stay nearly in order."""

    def add(self, step: Step) -> int:
        """Add a step and return its number, as the other ways of adding one do."""
        self.steps.append(step)
        return len(self.steps) - 1

    def send(self, peer: int, tag: int, source: Place, after: Sequence[int], length: int = 1) -> int:
        """Send what is at `source` to a rank."""
        return self.add(Step(Kind.SEND, peer, tag, source, NOWHERE, length, tuple(sorted(set(after)))))

    def receive(self, peer: int, tag: int, target: Place, after: Sequence[int] = (), length: int = 1) -> int:
        """Receive from a rank what shall be at `target`."""
        return self.add(Step(Kind.RECEIVE, peer, tag, NOWHERE, target, length, tuple(after)))

    def reduce(self, source: Place, target: Place, after: Sequence[int]) -> int:
        """Make `target` of both."""
        return self.add(Step(Kind.REDUCE, -1, 0, source, target, 1, tuple(after)))

    def copy(self, source: Place, target: Place, length: int = 1, after: Sequence[int] = ()) -> int:
        """Copy on this rank."""
        return self.add(Step(Kind.COPY, -1, 0, source, target, length, tuple(after)))

    def spare(self) -> Place:
        """Return an element of scratch memory that nothing else has."""
        self.scratch += 1
        return Place(Memory.SCRATCH, self.scratch - 1)

    def down(self, tree: Tree, tag: int, at: Place, after: Sequence[int]) -> None:
        """From the root to all: the chunk is `at` this rank, once it is there."""
        parent = tree.parent[self.rank]
        ready = after if parent < 0 else (self.receive(parent, tag, at, after),)
        for child in tree.children[self.rank]:
            self.send(child, tag, at, ready)

    def up(self, tree: Tree, tag: int, source: Place, target: Place) -> tuple[int, ...]:
        """The sum of all ranks' `source` to the root's `target`. Returns after what `source` may be written.

        Who sent last on the way down is the first to be waited for on the way up.
        """
        parent, below = tree.parent[self.rank], tree.children[self.rank][::-1]
        total = source
        ready: tuple[int, ...] = ()
        if parent < 0:
            total, ready = target, (self.copy(source, target),)
        for child in below:
            arrived = self.spare()
            received = self.receive(child, tag, arrived)
            if total == source:
                ready, total = (self.reduce(source, arrived, (received,)),), arrived
            else:
                ready = (self.reduce(arrived, total, (*ready, received)),)
        if parent < 0:
            return ready
        self.sent_up.append(
            self.send(
                parent, tag, total, (*ready, *self.sent_up[-AHEAD:][: 1 if len(self.sent_up) >= AHEAD else 0])
            )
        )
        return (self.sent_up[-1],)


def bcast(problem: Problem, down: Sequence[Tree]) -> tuple[Schedule, ...]:
    """Chunk i goes down the i-th tree."""
    ranks = [OneRank(rank) for rank in range(problem.ranks)]
    for chunk, tree in enumerate(down):
        for builder in ranks:
            memory = Memory.INPUT if builder.rank == problem.root else Memory.OUTPUT
            builder.down(tree, chunk, Place(memory, chunk), ())
    return done(ranks)


def reduce(problem: Problem, up: Sequence[Tree]) -> tuple[Schedule, ...]:
    """Chunk i goes up the i-th tree. For operations that commute."""
    ranks = [OneRank(rank) for rank in range(problem.ranks)]
    for chunk, tree in enumerate(up):
        for builder in ranks:
            builder.up(tree, chunk, Place(Memory.INPUT, chunk), Place(Memory.OUTPUT, chunk))
    return done(ranks)


def allreduce(problem: Problem, up: Sequence[Tree], down: Sequence[Tree]) -> tuple[Schedule, ...]:
    """Chunk i goes up a tree and down one with the same root. For operations that commute."""
    ranks = [OneRank(rank) for rank in range(problem.ranks)]
    for chunk, (there, back) in enumerate(zip(up, down, strict=True)):
        for builder in ranks:
            output = Place(Memory.OUTPUT, chunk)
            ready = builder.up(there, 2 * chunk, Place(Memory.INPUT, chunk), output)
            builder.down(back, 2 * chunk + 1, output, ready)
    return done(ranks)


def allgather(problem: Problem, down: Sequence[Tree]) -> tuple[Schedule, ...]:
    """A block has problem.count chunks; each goes down a tree from its rank, the first of all blocks first."""
    ranks = [OneRank(rank) for rank in range(problem.ranks)]
    own = [
        [builder.copy(Place(Memory.INPUT, part), Place(Memory.OUTPUT, builder.rank * problem.count + part))
         for part in range(problem.count)]
        for builder in ranks
    ]  # fmt: skip
    for number, tree in enumerate(down):
        part = number // problem.ranks
        for builder in ranks:
            after = (own[builder.rank][part],) if builder.rank == tree.root else ()
            builder.down(tree, number, Place(Memory.OUTPUT, tree.root * problem.count + part), after)
    return done(ranks)


def reduce_scatter(problem: Problem, up: Sequence[Tree]) -> tuple[Schedule, ...]:
    """A block has problem.count chunks; each goes up a tree to its rank. For operations that commute."""
    ranks = [OneRank(rank) for rank in range(problem.ranks)]
    for number, tree in enumerate(up):
        part = number // problem.ranks
        for builder in ranks:
            source = Place(Memory.INPUT, tree.root * problem.count + part)
            builder.up(tree, number, source, Place(Memory.OUTPUT, part))
    return done(ranks)


def done(ranks: Sequence[OneRank]) -> tuple[Schedule, ...]:
    """Return what was built."""
    return tuple(Schedule(builder.rank, tuple(builder.steps), builder.scratch) for builder in ranks)
