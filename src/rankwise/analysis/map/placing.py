"""Placements to begin with, each made cheaper by swaps; the cheapest is taken.

SharedMap (Schulz and Woydt 2025; `chszlablib`) cuts the ranks level by level and knows regular machines alone.
Growing node after node (Müller-Merbach 1970) takes any, and so does where the ranks are now.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array

from rankwise.analysis.map.cost import IntArray, Machine, cost
from rankwise.analysis.map.refine import Swapping
from rankwise.analysis.map.shared_map import cut
from rankwise.core.errors import InputError

Clock = Callable[[], float]


@dataclass(frozen=True, slots=True, eq=False)
class Placed:
    """A placement: the node of each rank, shape (ranks,), what it costs, and what it began as."""

    nodes: IntArray
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


def place_ranks(problem: Problem, seconds: float, clock: Clock = time.monotonic) -> list[Placed]:
    """Return the placement of now and better ones, the cheapest first; after so many seconds swapping ends.

    Raises InputError where the ranks do not fit.
    """
    weights, machine, until = problem.weights, problem.machine, clock() + seconds
    ranks, slots = weights.shape[0], int(np.sum(machine.slots))
    if ranks > slots:
        raise InputError(f"{ranks} ranks do not fit into {slots} slots", "take fewer ranks or more hosts")
    row_ends = np.pad(weights.indptr, (0, slots - ranks), "edge")
    padded = csr_array((weights.data, weights.indices, row_ends), shape=(slots, slots))
    movable = np.array([rank not in problem.pinned for rank in range(slots)])
    starts = {"now": with_free_slots(problem.now, machine), "grown": _grown(padded, machine)}
    if (cut := _cut(padded, machine, seconds / 2)) is not None:
        starts["SharedMap"] = cut
    found = [Placed(problem.now, cost(weights, machine, problem.now), "now")]
    for name, nodes in reversed(starts.items()):
        swapping = Swapping(padded, machine, _with_pinned(nodes, problem.pinned), movable)
        swaps = 1
        while swaps and clock() < until:
            swaps = sum(swapping.improve(rank) for rank in range(ranks) if clock() < until)
        better = swapping.nodes[:ranks]
        found.append(Placed(better, cost(weights, machine, better), f"{name}, swapped"))
    return sorted(found, key=lambda one: one.cost)


def with_free_slots(nodes: IntArray, machine: Machine) -> IntArray:
    """Return these nodes, and the free slots as the nodes of ranks that send nothing. Raises InputError."""
    free = machine.slots - np.bincount(nodes, minlength=len(machine.slots))
    if np.any(free < 0):
        node = machine.names[int(np.argmin(free))]
        raise InputError(f"{node} has fewer slots than ranks", "give it more, or start fewer ranks")
    return np.concatenate([nodes, np.repeat(np.arange(len(free)), free)])


def _with_pinned(nodes: IntArray, pinned: dict[int, int]) -> IntArray:
    """Each pinned rank where it has to be, by a swap with one that is not pinned there."""
    nodes = nodes.copy()
    for rank, node in pinned.items():
        if nodes[rank] != node:
            there = [int(one) for one in np.flatnonzero(nodes == node) if pinned.get(int(one)) != node]
            if not there:
                raise InputError(f"too many ranks are pinned to the host of rank {rank}", "pin fewer of them")
            nodes[there[0]], nodes[rank] = nodes[rank], node
    return nodes


def _grown(weights: csr_array, machine: Machine) -> IntArray:
    """Fill node after node with the rank that sends most to those already there, or else to its site."""
    size = weights.shape[0]
    nodes, left = np.full(size, -1), np.ones(size, dtype=bool)
    total = np.asarray(weights.sum(axis=1)).ravel()
    within, near, far = machine.levels
    to_site, site = np.zeros(size), -1
    for node in np.argsort(machine.sites, kind="stable"):
        if machine.sites[node] != site:
            site, to_site = machine.sites[node], np.zeros(size)
        to_node = np.zeros(size)
        for _ in range(machine.slots[node]):
            known = (near - within) * to_node + (far - near) * to_site
            score = known if np.any(known[left] > 0) else total
            rank = int(np.argmax(np.where(left, score, -np.inf)))
            nodes[rank], left[rank] = node, False
            begin, end = weights.indptr[rank], weights.indptr[rank + 1]
            for reached in (to_node, to_site):
                reached[weights.indices[begin:end]] += weights.data[begin:end]
    return nodes


def _cut(weights: csr_array, machine: Machine, limit_seconds: float) -> IntArray | None:
    """SharedMap's placement; None where it has none, the machine is irregular, or nothing is sent."""
    per_site = np.bincount(machine.sites)
    regular = len(set(machine.slots)) == 1 and len(set(per_site)) == 1 and np.all(np.diff(machine.sites) >= 0)
    if not regular or not weights.nnz or weights.shape[0] < 2:
        return None
    counts = (int(machine.slots[0]), int(per_site[0]), len(per_site))
    found = cut(weights, list(zip(counts, machine.levels, strict=True)), limit_seconds)
    return None if found is None else found // counts[0]
