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

    def distance(self, rank: int, other: int) -> float:
        """Return the delay between two ranks, seconds; 0 on one node."""
        first, last = self.node_of[rank], self.node_of[other]
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
        self.across = chunk_bytes / (places.rate.T if backwards else places.rate)
        self.overhead = 2 * places.model.overhead_seconds
        self.delay_inside, self.across_inside = float(self.delay[0, 0]), float(self.across[0, 0])  # alike in all
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
        site, spread = self.places.site, Spread(self, root)
        seconds = self.chunk_bytes / self.places.node_rate
        made: list[tuple[int, int]] = []
        sent_by_root = 0
        while len(made) < len(site) - 1:
            ends, source, other = spread.first_to_end()
            if ends == np.inf:  # only the root could go on
                spread.may_send(root, self.out_free[root])
                continue
            begins, sender = heappop(spread.senders[source])
            receiver = spread.waiting[other].pop()
            made.append((sender, receiver))
            across = begins
            if source != other:
                across = max(begins, float(self.link_free[source, other]))
                self.link_free[source, other] = across + self.across[source, other]
                spread.enter(other)
            self.out_free[sender] = begins + seconds + self.overhead
            self.in_free[receiver] = (
                max(self.in_free[receiver], across + float(self.delay[source, other])) + seconds
            )
            spread.may_send(receiver, max(ends, self.out_free[receiver]))
            sent_by_root += sender == root
            if sender != root or sent_by_root != self.most_of_root:
                spread.may_send(sender, self.out_free[sender])
            else:
                spread.look_again(source)
        return made


class Spread:
    """One chunk on its way, and which transfer would end first. Only what one changes is looked at again."""

    def __init__(self, chunks: ChunkTrees, root: int) -> None:
        places, self.chunks = chunks.places, chunks
        self.senders: list[list[tuple[float, int]]] = [[] for _ in range(places.sites)]
        self.waiting: list[list[int]] = [[] for _ in range(places.sites)]
        """Of each site; the last is the best to pass a chunk on: it has sent least."""
        for node in sorted(range(len(places.site)), key=lambda node: (-chunks.out_free[node], -node)):
            if node != root:
                self.waiting[places.site[node]].append(node)
        self.ready = np.array([chunks.in_free[nodes[-1]] if nodes else np.inf for nodes in self.waiting])
        """When a site that has not been entered can receive."""
        self.entered = np.zeros(places.sites, dtype=bool)
        self.left = places.sites
        self.inside = [np.inf] * places.sites
        """Of each site the end of the next transfer in it; infinite: there is none."""
        self.far = np.full((places.sites, places.sites), np.inf)
        """From site to site likewise, to those that have not been entered."""
        self.enter(places.site[root])
        self.may_send(root, chunks.out_free[root])

    def first_to_end(self) -> tuple[float, int, int]:
        """Return the end of the transfer that ends first, and its sites; infinite: there is none."""
        ends = min(self.inside)
        site = self.inside.index(ends)
        near = (ends, site, site)
        if not self.left:
            return near
        source, other = divmod(int(np.argmin(self.far)), len(self.inside))
        far = (float(self.far[source, other]), source, other)
        return far if self.chunks.far_first and far[0] < np.inf else min(near, far)

    def enter(self, site: int) -> None:
        """Send nothing to this site from another one any more."""
        self.entered[site] = True
        self.far[:, site] = np.inf
        self.left -= 1

    def may_send(self, node: int, begins: float) -> None:
        """Let a node pass the chunk on."""
        site = self.chunks.places.site[node]
        heappush(self.senders[site], (begins, node))
        self.look_again(site)

    def look_again(self, site: int) -> None:
        """Find what the senders of a site could do next."""
        chunks, begins = self.chunks, self.senders[site][0][0] if self.senders[site] else np.inf
        ready = chunks.in_free[self.waiting[site][-1]] if self.waiting[site] else np.inf
        self.inside[site] = max(begins + chunks.delay_inside, ready) + chunks.across_inside + chunks.overhead
        if self.left:
            across = np.maximum(begins, chunks.link_free[site])
            ends = np.maximum(across + chunks.delay[site], self.ready) + chunks.across[site] + chunks.overhead
            self.far[site] = np.where(self.entered, np.inf, ends)


def trees(source: ChunkTrees, roots: Sequence[int], most: int) -> list[Tree]:
    """Return a tree for each root; after `most` they come round again, where the roots do."""
    built: list[Tree] = []
    for number, root in enumerate(roots):
        again = number >= most and built[number % most].root == root
        built.append(built[number % most] if again else source.tree(root))
    return built
