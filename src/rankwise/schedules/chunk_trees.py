"""Trees for the chunks of a message, found one after another on the network as the chunks before have left it.

A greedy schedule on the time-expanded network: of all transfers of a chunk that could come next, the one that ends
first is taken (Bhat, Raghavendra and Prasanna, Efficient collective communication in distributed heterogeneous
systems, ICDCS 1999: earliest completing edge first), and holds its interfaces and its link for its time. So later
chunks go other ways where the first ones have filled a link: weights of trees need not be chosen.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from heapq import heappop, heappush

import numpy as np
from numpy.typing import NDArray

from rankwise.schedules.cost import CostModel
from rankwise.schedules.model import Network


@dataclass(frozen=True, slots=True)
class Tree:
    """The way of one chunk over all ranks; the other way round, that of its sum."""

    root: int
    parent: tuple[int, ...]
    """-1 at the root."""
    children: tuple[tuple[int, ...], ...]
    """Of each rank, in the order in which it sends to them."""


class Places:
    """The ranks' nodes and sites, and what is known of the ways between sites."""

    def __init__(self, ranks: int, network: Network | None, model: CostModel) -> None:
        groups = network.groups if network else ()
        self.ranks = ranks
        self.node_of = list(groups[-1]) if len(groups) > 1 else list(range(ranks))
        site_of = list(groups[0]) if groups else [0] * ranks
        self.members: list[list[int]] = [[] for _ in range(max(self.node_of) + 1)]
        for rank, node in enumerate(self.node_of):
            self.members[node].append(rank)
        self.site = [site_of[members[0]] for members in self.members]
        self.sites = max(self.site) + 1
        self.model = model
        self.node_rate = (network.node_bytes_per_second if network else 0) or model.node_bytes_per_second
        shape = (self.sites, self.sites)
        self.delay = np.full(shape, model.far_seconds)
        self.rate = np.full(shape, self.node_rate)
        if network and network.delay_seconds:
            self.delay = np.array(network.delay_seconds)
        if network and network.bytes_per_second:
            known = np.array(network.bytes_per_second)
            self.rate = np.minimum(np.where(known > 0, known, np.inf), self.node_rate)
        np.fill_diagonal(self.delay, model.near_seconds)
        np.fill_diagonal(self.rate, self.node_rate)

    def distance(self, one: int, other: int) -> float:
        """Return the delay between two ranks, seconds; 0 on one node."""
        first, last = self.node_of[one], self.node_of[other]
        return float(self.delay[self.site[first], self.site[last]]) if first != last else 0.0


class ChunkTrees:
    """Gives the tree of one chunk after another; each is found where the ones before leave room.

    `most_of_root`: to so many nodes the root sends a chunk itself, 0: to any number. `far_first`: a chunk
    enters all sites before it is spread in them. `backwards`: chunks go from the leaves to the root, as sums do.
    """

    def __init__(
        self, places: Places, chunk_bytes: float, most_of_root: int, far_first: bool, backwards: bool = False
    ) -> None:
        self.places, self.chunk_bytes = places, chunk_bytes
        self.most_of_root, self.far_first = most_of_root, far_first
        self.delay = places.delay.T if backwards else places.delay
        self.rate = places.rate.T if backwards else places.rate
        self.overhead = 2 * places.model.overhead_seconds
        nodes = len(places.members)
        self.out_free, self.in_free = [0.0] * nodes, [0.0] * nodes
        self.link_free = np.zeros_like(self.delay)
        self.made = 0

    def tree(self, root: int) -> Tree:
        """Return the tree of the next chunk."""
        places = self.places
        entry = {places.node_of[root]: root}
        children: list[list[int]] = [[] for _ in range(places.ranks)]
        for sender, receiver in self._transfers(places.node_of[root]):
            members = places.members[receiver]
            entry[receiver] = members[self.made % len(members)]
            children[entry[sender]].append(entry[receiver])
        for node, first in entry.items():
            members = [first, *(rank for rank in places.members[node] if rank != first)]
            for number in range(1, len(members)):
                children[members[number & (number - 1)]].append(members[number])
        self.made += 1
        parent = [-1] * places.ranks
        for rank, below in enumerate(children):
            for child in below:
                parent[child] = rank
        return Tree(root, tuple(parent), tuple(map(tuple, children)))

    def _transfers(self, root: int) -> list[tuple[int, int]]:
        """From node to node, in the order in which they are decided on. Each site is entered once."""
        places, site = self.places, self.places.site
        seconds = self.chunk_bytes / places.node_rate
        senders: list[list[tuple[float, int]]] = [[] for _ in range(places.sites)]
        waiting: list[list[int]] = [[] for _ in range(places.sites)]
        for node in sorted(range(len(site)), key=lambda node: (-self.out_free[node], -node)):
            if node != root:
                waiting[site[node]].append(node)  # the last is the best to pass a chunk on: it has sent least
        heappush(senders[site[root]], (self.out_free[root], root))
        entered = np.zeros(places.sites, dtype=bool)
        entered[site[root]] = True
        made: list[tuple[int, int]] = []
        sent_by_root = 0
        while len(made) < len(site) - 1:
            start = np.array([group[0][0] if group else np.inf for group in senders])
            ready = np.array([self.in_free[nodes[-1]] if nodes else np.inf for nodes in waiting])
            one, other, ends = self._next(start, ready, entered)
            if ends == np.inf:  # only the root could go on
                heappush(senders[site[root]], (self.out_free[root], root))
                continue
            begins, sender = heappop(senders[one])
            receiver = waiting[other].pop()
            made.append((sender, receiver))
            entered[other] = True
            across = max(begins, self.link_free[one, other]) if one != other else begins
            self.link_free[one, other] = across + self.chunk_bytes / self.rate[one, other]
            self.out_free[sender] = begins + seconds + self.overhead
            self.in_free[receiver] = max(self.in_free[receiver], across + self.delay[one, other]) + seconds
            heappush(senders[other], (max(ends, self.out_free[receiver]), receiver))
            sent_by_root += sender == root
            if sender != root or sent_by_root != self.most_of_root:
                heappush(senders[one], (self.out_free[sender], sender))
        return made

    def _next(
        self, start: NDArray[np.float64], ready: NDArray[np.float64], entered: NDArray[np.bool_]
    ) -> tuple[int, int, float]:
        """From site to site, and the end of the transfer that is the first to end; infinite: there is none."""
        inside = np.eye(len(start), dtype=bool)
        across = np.maximum(start[:, None], np.where(inside, 0.0, self.link_free))
        ends = np.maximum(across + self.delay, ready[None, :]) + self.chunk_bytes / self.rate + self.overhead
        ends = np.where(inside | ~entered[None, :], ends, np.inf)
        if self.far_first and not entered.all():
            far = np.where(inside, np.inf, ends)
            ends = far if np.isfinite(far).any() else ends
        one, other = divmod(int(np.argmin(ends)), len(start))
        return one, other, float(ends[one, other])


def trees(source: ChunkTrees, roots: Sequence[int], most: int) -> list[Tree]:
    """Return a tree for each root; after `most` they come round again, where the roots do."""
    found: list[Tree] = []
    for number, root in enumerate(roots):
        again = number >= most and found[number % most].root == root
        found.append(found[number % most] if again else source.tree(root))
    return found
