"""Placements that cost little: the ranks are cut in two where the machine is, and again, and then swapped.

The cuts are multilevel bisections (Karypis and Kumar 1998), the swaps simulated annealing; `native/map` does both.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from rankwise.analysis.map.cost import IntArray, Machine, cost
from rankwise.analysis.map.searching import Effort, search
from rankwise.core.errors import InputError

if TYPE_CHECKING:
    from scipy.sparse import csr_array

RANKS_OF_ALL_ROUNDS = 1024
"""Fewer are placed several times, since that takes no longer."""
MOST_ROUNDS = 10
NOW = "now"
_STARTS = {"cut": "cut, swapped", "now": f"{NOW}, swapped"}


@dataclass(frozen=True, slots=True, eq=False)
class Placed:
    """A placement: the slot of each rank, then the free ones, shape (slots,), what it costs, what it began as."""

    slots: IntArray
    cost: float
    start: str


@dataclass(frozen=True, slots=True, eq=False)
class Problem:
    """What is to be placed where."""

    weights: csr_array
    """Bytes between ranks, symmetric, shape (ranks, ranks)."""
    machine: Machine
    now: IntArray
    """The node of each rank now, shape (ranks,)."""
    pinned: dict[int, int]
    """Ranks that stay on these nodes."""

    def obeyed_by(self, slots: IntArray) -> bool:
        """Return whether each pinned rank is on its node."""
        return all(self.machine.node_of[slots[rank]] == node for rank, node in self.pinned.items())


def place_ranks(problem: Problem, seconds: float) -> list[Placed]:
    """Return the placement of now and better ones, the cheapest first; after so many seconds swapping ends.

    Raises InputError where the ranks do not fit.
    """
    weights, machine = problem.weights, problem.machine
    ranks, count = weights.shape[0], len(machine.node_of)
    if ranks > count:
        raise InputError(f"{ranks} ranks do not fit into {count} slots", "take fewer ranks or more hosts")
    now = machine.slots_of(problem.now)
    placements = [Placed(now, cost(weights, machine, now), NOW)]
    obeying = _with_pinned(now, machine, problem.pinned)
    pinned = np.zeros(count, dtype=bool)
    pinned[list(problem.pinned)] = True
    rounds = min(max(RANKS_OF_ALL_ROUNDS // count, 1), MOST_ROUNDS)
    for start, slots in search(weights, machine, obeying, pinned, Effort(rounds, seconds)):
        placements.append(Placed(slots, cost(weights, machine, slots), _STARTS[start]))
    return sorted(placements, key=lambda placed: placed.cost)


def _with_pinned(slots: IntArray, machine: Machine, pinned: dict[int, int]) -> IntArray:
    """Each pinned rank where it has to be, by a swap with one that is not pinned there."""
    slots = slots.copy()
    for rank, node in pinned.items():
        nodes = machine.node_of[slots]
        if nodes[rank] != node:
            there = [int(slot) for slot in np.flatnonzero(nodes == node) if pinned.get(int(slot)) != node]
            if not there:
                name = machine.names[node]
                raise InputError(f"too many ranks are pinned to {name}", "pin no more than it has slots")
            slots[[there[0], rank]] = slots[[rank, there[0]]]
    return slots
