"""Schedules that send each block from one rank to another by a route of its own, or in bundles along a tree."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from rankwise.schedules.along_trees import OneRank, done
from rankwise.schedules.chunk_trees import Tree
from rankwise.schedules.model import Memory, Place, Problem, Schedule

Route = Callable[[int, int], tuple[int, ...]]
"""From one rank to another: the ranks that a block passes, both ends included."""


@dataclass(frozen=True, slots=True)
class _Move:
    """One part of a block: from its place at the first rank of the route to its place at the last."""

    route: tuple[int, ...]
    source: Place
    target: Place


def scatter(problem: Problem, order: Sequence[int], route: Route) -> tuple[Schedule, ...]:
    """Send the blocks of the ranks in `order`, part by part."""
    return _moved(problem, _rooted(problem, order, route, outward=True))


def gather(problem: Problem, order: Sequence[int], route: Route) -> tuple[Schedule, ...]:
    """Send all blocks to the root: routes and order are those of a scatter, and time runs backwards there."""
    return _moved(problem, list(_rooted(problem, order, route, outward=False))[::-1])


def alltoall(problem: Problem, route: Route) -> tuple[Schedule, ...]:
    """Send to the next rank first, then to the one after it, and so on, so that no receiver is in demand."""
    ranks, count = problem.ranks, problem.count

    def move(rank: int, other: int, part: int) -> _Move:
        source, target = Place(Memory.INPUT, other * count + part), Place(Memory.OUTPUT, rank * count + part)
        return _Move(route(rank, other), source, target)

    shifts = ((part, shift, rank) for part in range(count) for shift in range(ranks) for rank in range(ranks))
    return _moved(problem, (move(rank, (rank + shift) % ranks, part) for part, shift, rank in shifts))


def _rooted(problem: Problem, order: Sequence[int], route: Route, outward: bool) -> Iterator[_Move]:
    for part in range(problem.count):
        for rank in order:
            path = route(problem.root, rank)
            of_all, own = rank * problem.count + part, part
            if outward:
                yield _Move(path, Place(Memory.INPUT, of_all), Place(Memory.OUTPUT, own))
            else:
                yield _Move(path[::-1], Place(Memory.INPUT, own), Place(Memory.OUTPUT, of_all))


def _moved(problem: Problem, moves: Iterable[_Move]) -> tuple[Schedule, ...]:
    ranks = [OneRank(rank) for rank in range(problem.ranks)]
    sent: defaultdict[tuple[int, int], int] = defaultdict(int)
    for move in moves:
        at = move.source
        after: tuple[int, ...] = ()
        if len(move.route) == 1:
            ranks[move.route[0]].copy(move.source, move.target)
        for sender, receiver in pairwise(move.route):
            tag = sent[sender, receiver]
            sent[sender, receiver] += 1
            ranks[sender].send(receiver, tag, at, after)
            at = move.target if receiver == move.route[-1] else ranks[receiver].spare()
            after = (ranks[receiver].receive(sender, tag, at),)
    return done(ranks)


class _Bundles:
    """The ranks of a tree in an order in which those below a rank follow it."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self.order: list[int] = []
        stack = [tree.root]
        while stack:
            self.order.append(stack.pop())
            stack += reversed(tree.children[self.order[-1]])
        self.place = {rank: at for at, rank in enumerate(self.order)}
        self.size = [1] * len(self.order)
        for rank in reversed(self.order[1:]):
            self.size[tree.parent[rank]] += self.size[rank]

    def runs(self, rank: int) -> Iterator[tuple[int, int, int]]:
        """Yield place, first rank and number of ranks that follow one another, of all from this rank down."""
        begin, end = self.place[rank], self.place[rank] + self.size[rank]
        for at in range(begin + 1, end + 1):
            if at == end or self.order[at] != self.order[at - 1] + 1:
                yield begin, self.order[begin], at - begin
                begin = at


def scatter_in_bundles(problem: Problem, tree: Tree) -> tuple[Schedule, ...]:
    """Send each rank all blocks of those below it in one message; the root packs what is not side by side."""
    bundles, count = _Bundles(tree), problem.count
    ranks = [OneRank(rank) for rank in range(problem.ranks)]
    for builder in ranks:
        below, own = tree.children[builder.rank], Place(Memory.INPUT, builder.rank * count)
        ready: tuple[int, ...] = ()
        if builder.rank != tree.root:
            own = Place(Memory.SCRATCH, 0) if below else Place(Memory.OUTPUT, 0)
            builder.scratch = bundles.size[builder.rank] * count if below else 0
            ready = (
                builder.receive(tree.parent[builder.rank], 0, own, length=bundles.size[builder.rank] * count),
            )
        for child in below:
            length = bundles.size[child] * count
            if builder.rank == tree.root:
                source, after = _packed(builder, bundles, child, count)
            else:
                place = bundles.place[child] - bundles.place[builder.rank]
                source, after = Place(Memory.SCRATCH, place * count), ready
            builder.send(child, 0, source, after, length)
        if builder.rank == tree.root or below:
            builder.copy(own, Place(Memory.OUTPUT, 0), count, ready)
    return done(ranks)


def _packed(builder: OneRank, bundles: _Bundles, child: int, count: int) -> tuple[Place, tuple[int, ...]]:
    """Where the root has a child's bundle, and after which steps."""
    runs = list(bundles.runs(child))
    if len(runs) == 1:
        return Place(Memory.INPUT, runs[0][1] * count), ()
    begin, steps = builder.scratch, []
    for _, first, number in runs:
        target = Place(Memory.SCRATCH, builder.scratch)
        steps.append(builder.copy(Place(Memory.INPUT, first * count), target, number * count))
        builder.scratch += number * count
    return Place(Memory.SCRATCH, begin), tuple(steps)


def gather_in_bundles(problem: Problem, tree: Tree) -> tuple[Schedule, ...]:
    """Let each rank send its block and all from below it in one message; the root puts them where they belong."""
    bundles, count = _Bundles(tree), problem.count
    ranks = [OneRank(rank) for rank in range(problem.ranks)]
    for builder in ranks:
        below, own = tree.children[builder.rank][::-1], Place(Memory.INPUT, 0)
        if builder.rank == tree.root:
            builder.copy(own, Place(Memory.OUTPUT, builder.rank * count), count)
            for child in below:
                _unpacked(builder, bundles, child, count)
            continue
        after: list[int] = []
        if below:
            builder.scratch = bundles.size[builder.rank] * count
            after = [builder.copy(own, Place(Memory.SCRATCH, 0), count)]
            own = Place(Memory.SCRATCH, 0)
        for child in below:
            target = Place(Memory.SCRATCH, (bundles.place[child] - bundles.place[builder.rank]) * count)
            after.append(builder.receive(child, 0, target, length=bundles.size[child] * count))
        builder.send(tree.parent[builder.rank], 0, own, after, bundles.size[builder.rank] * count)
    return done(ranks)


def _unpacked(builder: OneRank, bundles: _Bundles, child: int, count: int) -> None:
    runs, length = list(bundles.runs(child)), bundles.size[child] * count
    if len(runs) == 1:
        builder.receive(child, 0, Place(Memory.OUTPUT, runs[0][1] * count), length=length)
        return
    begin = builder.scratch
    builder.scratch += length
    ready = (builder.receive(child, 0, Place(Memory.SCRATCH, begin), length=length),)
    for place, first, number in runs:
        source = Place(Memory.SCRATCH, begin + (place - bundles.place[child]) * count)
        builder.copy(source, Place(Memory.OUTPUT, first * count), number * count, ready)
