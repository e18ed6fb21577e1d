"""Placements by the time that a program is predicted to take, which bytes and distances alone do not tell.

What several ranks send at once shares links, and what nobody waits for costs nothing: the simulator sees both.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from rankwise.analysis.map.cost import IntArray
from rankwise.analysis.map.placing import Placed, Problem

LEAST_GAIN = 1e-3
"""Of the time: a swap that gains less is not worth another placement."""
Clock = Callable[[], float]
Predict = Callable[[Sequence[IntArray]], list[float]]
"""The seconds of each of these placements: the slot of each rank, then the free ones, shape (slots,)."""


@dataclass(frozen=True, slots=True, eq=False)
class Timed:
    """A placement: the slot of each rank, then the free ones, the seconds that it takes, and what it began as."""

    slots: IntArray
    seconds: float
    start: str


@dataclass(frozen=True, slots=True)
class SwapEffort:
    """How long and how swaps are tried."""

    seconds: float
    at_once: int = 1
    """Swaps that are predicted together."""
    clock: Clock = time.monotonic
    seed: int = 1


def place_by_time(problem: Problem, starts: Sequence[Placed], predict: Predict, effort: SwapEffort) -> list[Timed]:
    """Return the starts and, if swaps shorten the shortest of them, what comes of it; the shortest first.

    Swaps of two ranks (or of a rank and a free slot) of different nodes are drawn at random, some at
    once, and the best of them is kept if it gains.
    """
    until = effort.clock() + effort.seconds
    times = predict([placed.slots for placed in starts])
    timed = [Timed(placed.slots, value, placed.start) for placed, value in zip(starts, times, strict=True)]
    node_of = problem.machine.node_of
    able = [placed for placed in timed if problem.obeyed_by(placed.slots)]
    if not able:
        return sorted(timed, key=lambda candidate: candidate.seconds)
    best = first = min(able, key=lambda candidate: candidate.seconds)
    random = np.random.default_rng(effort.seed)
    movable = [rank for rank in range(len(problem.now)) if rank not in problem.pinned]
    while movable and effort.clock() < until:
        tried = [_swapped(best.slots, node_of, movable, problem.pinned, random) for _ in range(effort.at_once)]
        times = predict(tried)
        shortest = int(np.argmin(times))
        if times[shortest] < (1 - LEAST_GAIN) * best.seconds:
            best = Timed(tried[shortest], times[shortest], f"{first.start}, swapped by time")
    if best is not first:
        timed.append(best)
    return sorted(timed, key=lambda candidate: candidate.seconds)


def _swapped(
    slots: IntArray, node_of: IntArray, movable: Sequence[int], pinned: dict[int, int],
    random: np.random.Generator,
) -> IntArray:  # fmt: skip
    """The slots after a swap; as they are if there is none on another node to swap with."""
    rank = int(random.choice(movable))
    nodes = node_of[slots]
    others = [other for other in range(len(slots)) if other not in pinned and nodes[other] != nodes[rank]]
    if not others:
        return slots
    other = int(random.choice(others))
    swapped = slots.copy()
    swapped[[rank, other]] = slots[[other, rank]]
    return swapped
