"""Swapping ranks while that makes a placement cheaper."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array

from rankwise.analysis.map.cost import IntArray, Machine

LEAST_GAIN = 1e-9
"""Of the cost: less is rounding, and a search that follows it never ends."""


class Swapping:
    """A placement whose ranks are swapped, two at a time, each time for the best gain that a rank has."""

    def __init__(self, weights: csr_array, machine: Machine, nodes: IntArray, movable: IntArray) -> None:
        """`weights` is symmetric, shape (ranks, ranks), with an empty row for each slot that stays free.

        `nodes`: where each rank is, shape (ranks,); `movable`: which may move, booleans of that shape.
        """
        self.nodes = nodes.copy()
        self._weights, self._distance, self._movable = weights, machine.distance, movable
        self._own = np.diag(machine.distance)
        self._ranks = np.arange(len(nodes))
        self._there = weights @ machine.distance[nodes]
        """What each rank costs on each node, all others staying; shape (ranks, nodes)."""
        self._least = LEAST_GAIN * max(float(np.sum(self._there[self._ranks, nodes])), 1e-300)

    def improve(self, rank: int) -> bool:
        """Swap this rank with the one with which it gains most. Returns whether there is any."""
        if not self._movable[rank]:
            return False
        here, nodes, there = self.nodes[rank], self.nodes, self._there
        gain = (there[rank, here] - there[rank, nodes]) + (there[self._ranks, nodes] - there[self._ranks, here])
        near, between = self._row(rank)
        apart = self._distance[here, nodes[near]]  # as far as the two are from one another afterwards too
        gain[near] -= between * (2 * apart - self._own[here] - self._own[nodes[near]])
        gain[~self._movable] = -np.inf
        best = int(np.argmax(gain))
        if gain[best] <= self._least:
            return False
        self._swap(rank, best)
        return True

    def _row(self, rank: int) -> tuple[IntArray, np.ndarray]:
        begin, end = self._weights.indptr[rank], self._weights.indptr[rank + 1]
        return self._weights.indices[begin:end], self._weights.data[begin:end]

    def _swap(self, one: int, other: int) -> None:
        for rank, to in ((one, self.nodes[other]), (other, self.nodes[one])):
            near, between = self._row(rank)
            moved = self._distance[to] - self._distance[self.nodes[rank]]
            self._there[near] += np.outer(between, moved)
        self.nodes[one], self.nodes[other] = self.nodes[other], self.nodes[one]
