"""Placements by the time that a program is predicted to take, which bytes and distances alone do not tell.

What several ranks send at once shares links, and what nobody waits for costs nothing: the simulator sees both.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from rankwise.analysis.map.cost import IntArray
from rankwise.analysis.map.placing import Clock, Placed, Problem, with_free_slots

LEAST_GAIN = 1e-3
"""Of the time: a swap that gains less is not worth another placement."""
Predict = Callable[[Sequence[IntArray]], list[float]]
"""The seconds of each of these placements, arrays of the node of each rank, shape (ranks,)."""


@dataclass(frozen=True, slots=True, eq=False)
class Timed:
    """A placement: the node of each rank, shape (ranks,), the seconds that it takes, and what it began as."""

    nodes: IntArray
    seconds: float
    start: str


@dataclass(frozen=True, slots=True)
class Search:
    """How long and how swaps are tried."""

    seconds: float
    at_once: int = 1
    """Swaps that are predicted together."""
    clock: Clock = time.monotonic
    seed: int = 1


def place_by_time(problem: Problem, starts: Sequence[Placed], predict: Predict, search: Search) -> list[Timed]:
    """Return the starts and, if swaps shorten the shortest of them, what comes of it; the shortest first.

    Swaps of two ranks (or of a rank and a free slot) of different nodes are drawn at random, some at
    once, and the best of them is kept if it gains.
    """
    until = search.clock() + search.seconds
    times = predict([one.nodes for one in starts])
    found = [Timed(one.nodes, value, one.start) for one, value in zip(starts, times, strict=True)]
    able = [one for one in found if _obeys(one.nodes, problem.pinned)]
    if not able:
        return sorted(found, key=lambda one: one.seconds)
    best = first = min(able, key=lambda one: one.seconds)
    ranks, random = len(best.nodes), np.random.default_rng(search.seed)
    nodes = with_free_slots(best.nodes, problem.machine)
    movable = [rank for rank in range(ranks) if rank not in problem.pinned]
    while movable and search.clock() < until:
        tried = [_swapped(nodes, movable, problem.pinned, random) for _ in range(search.at_once)]
        times = predict([one[:ranks] for one in tried])
        shortest = int(np.argmin(times))
        if times[shortest] < (1 - LEAST_GAIN) * best.seconds:
            nodes = tried[shortest]
            best = Timed(nodes[:ranks], times[shortest], f"{first.start}, swapped by time")
    if best is not first:
        found.append(best)
    return sorted(found, key=lambda one: one.seconds)


def _obeys(nodes: IntArray, pinned: dict[int, int]) -> bool:
    return all(nodes[rank] == node for rank, node in pinned.items())


def _swapped(
    nodes: IntArray, movable: Sequence[int], pinned: dict[int, int], random: np.random.Generator
) -> IntArray:
    """The nodes after a swap; as they are if there is none on another node to swap with."""
    one = int(random.choice(movable))
    others = [slot for slot in range(len(nodes)) if slot not in pinned and nodes[slot] != nodes[one]]
    if not others:
        return nodes
    other = int(random.choice(others))
    swapped = nodes.copy()
    swapped[[one, other]] = nodes[[other, one]]
    return swapped
