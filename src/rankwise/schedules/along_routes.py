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

    def move(one: int, other: int, part: int) -> _Move:
        source, target = Place(Memory.INPUT, other * count + part), Place(Memory.OUTPUT, one * count + part)
        return _Move(route(one, other), source, target)

    shifts = ((part, shift, one) for part in range(count) for shift in range(ranks) for one in range(ranks))
    return _moved(problem, (move(one, (one + shift) % ranks, part) for part, shift, one in shifts))


def _rooted(problem: Problem, order: Sequence[int], route: Route, outward: bool) -> Iterator[_Move]:
    for part in range(problem.count):
        for rank in order:
            found = route(problem.root, rank)
            of_all, own = rank * problem.count + part, part
            if outward:
                yield _Move(found, Place(Memory.INPUT, of_all), Place(Memory.OUTPUT, own))
            else:
                yield _Move(found[::-1], Place(Memory.INPUT, own), Place(Memory.OUTPUT, of_all))


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
    found, count = _Bundles(tree), problem.count
    ranks = [OneRank(rank) for rank in range(problem.ranks)]
    for one in ranks:
        below, own = tree.children[one.rank], Place(Memory.INPUT, one.rank * count)
        ready: tuple[int, ...] = ()
        if one.rank != tree.root:
            own = Place(Memory.SCRATCH, 0) if below else Place(Memory.OUTPUT, 0)
            one.scratch = found.size[one.rank] * count if below else 0
            ready = (one.receive(tree.parent[one.rank], 0, own, length=found.size[one.rank] * count),)
        for child in below:
            length = found.size[child] * count
            if one.rank == tree.root:
                source, after = _packed(one, found, child, count)
            else:
                place = found.place[child] - found.place[one.rank]
                source, after = Place(Memory.SCRATCH, place * count), ready
            one.send(child, 0, source, after, length)
        if one.rank == tree.root or below:
            one.copy(own, Place(Memory.OUTPUT, 0), count, ready)
    return done(ranks)


def _packed(one: OneRank, found: _Bundles, child: int, count: int) -> tuple[Place, tuple[int, ...]]:
    """Where the root has a child's bundle, and after which steps."""
    runs = list(found.runs(child))
    if len(runs) == 1:
        return Place(Memory.INPUT, runs[0][1] * count), ()
    begin, steps = one.scratch, []
    for _, first, number in runs:
        target = Place(Memory.SCRATCH, one.scratch)
        steps.append(one.copy(Place(Memory.INPUT, first * count), target, number * count))
        one.scratch += number * count
    return Place(Memory.SCRATCH, begin), tuple(steps)


def gather_in_bundles(problem: Problem, tree: Tree) -> tuple[Schedule, ...]:
    """Let each rank send its block and all from below it in one message; the root puts them where they belong."""
    found, count = _Bundles(tree), problem.count
    ranks = [OneRank(rank) for rank in range(problem.ranks)]
    for one in ranks:
        below, own = tree.children[one.rank][::-1], Place(Memory.INPUT, 0)
        if one.rank == tree.root:
            one.copy(own, Place(Memory.OUTPUT, one.rank * count), count)
            for child in below:
                _unpacked(one, found, child, count)
            continue
        after: list[int] = []
        if below:
            one.scratch = found.size[one.rank] * count
            after = [one.copy(own, Place(Memory.SCRATCH, 0), count)]
            own = Place(Memory.SCRATCH, 0)
        for child in below:
            target = Place(Memory.SCRATCH, (found.place[child] - found.place[one.rank]) * count)
            after.append(one.receive(child, 0, target, length=found.size[child] * count))
        one.send(tree.parent[one.rank], 0, own, after, found.size[one.rank] * count)
    return done(ranks)


def _unpacked(one: OneRank, found: _Bundles, child: int, count: int) -> None:
    runs, length = list(found.runs(child)), found.size[child] * count
    if len(runs) == 1:
        one.receive(child, 0, Place(Memory.OUTPUT, runs[0][1] * count), length=length)
        return
    begin = one.scratch
    one.scratch += length
    ready = (one.receive(child, 0, Place(Memory.SCRATCH, begin), length=length),)
    for place, first, number in runs:
        source = Place(Memory.SCRATCH, begin + (place - found.place[child]) * count)
        one.copy(source, Place(Memory.OUTPUT, first * count), number * count, ready)
