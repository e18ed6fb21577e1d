"""Routes for blocks that go from one rank to another, found one after another as the ones before leave room.

A greedy schedule on the time-expanded network, as that of `chunk_trees`: a block takes the route over the sites by
which it arrives first, and holds its interfaces and its links for its time.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from rankwise.schedules.chunk_trees import Places


class Routes:
    """Gives the route of one block after another.

    `relayed`: by way of other sites where that is faster. `backwards`: blocks go from the last rank of a route to
    the first, and the last block comes first.
    """

    def __init__(self, places: Places, block_bytes: float, relayed: bool, backwards: bool = False) -> None:
        self.places, self.block_bytes = places, block_bytes
        self.relayed = relayed and places.sites > 2
        self.delay: list[list[float]] = (places.delay.T if backwards else places.delay).tolist()
        rate = places.rate.T if backwards else places.rate
        self.across: list[list[float]] = (block_bytes / rate).tolist()
        self.seconds = block_bytes / places.node_rate
        self.overhead = 2 * places.model.overhead_seconds
        nodes = len(places.members)
        self.out_free, self.in_free = [0.0] * nodes, [0.0] * nodes
        self.link_free: list[list[float]] = np.zeros_like(places.delay).tolist()
        self.relays = [
            [node for node in range(nodes) if places.site[node] == site] for site in range(places.sites)
        ]

    def route(self, source: int, target: int) -> tuple[int, ...]:
        """Return the ranks by which the next block goes, both ends included."""
        if source == target:
            return (source,)
        places = self.places
        first, last = places.node_of[source], places.node_of[target]
        if first == last:
            return source, target
        sites = self._sites(places.site[first], places.site[last], self.out_free[first])
        nodes = [first, *(min(self.relays[site], key=self._busy) for site in sites[1:-1]), last]
        now = self.out_free[first]
        for sender, receiver in pairwise(nodes):
            now = self._taken(sender, receiver, now)
        return source, *(places.members[node][0] for node in nodes[1:-1]), target

    def _busy(self, node: int) -> float:
        return self.out_free[node] + self.in_free[node]

    def _taken(self, sender: int, receiver: int, begins: float) -> float:
        """When the receiver can send a block on that its sender begins to send then."""
        source, other = self.places.site[sender], self.places.site[receiver]
        begins = max(begins, self.out_free[sender])
        across = max(begins, self.link_free[source][other]) if source != other else begins
        self.link_free[source][other] = across + self.across[source][other]
        self.out_free[sender] = begins + self.seconds + self.overhead
        ends = max(across + self.delay[source][other], self.in_free[receiver]) + self.across[source][other]
        self.in_free[receiver] = ends
        return max(ends + self.overhead, self.out_free[receiver])

    def _sites(self, source: int, other: int, begins: float) -> list[int]:
        """The sites of the route by which a block arrives first."""
        if source == other or not self.relayed:
            return [source, other]
        arrives, before = {source: begins}, {source: source}
        left = set(range(self.places.sites))
        while True:
            site = min(left & arrives.keys(), key=arrives.__getitem__)
            left.remove(site)
            if site == other:
                break
            for further in left:
                start = max(arrives[site], self.link_free[site][further])
                ends = start + self.delay[site][further] + self.across[site][further] + self.overhead
                if ends < arrives.get(further, np.inf):
                    arrives[further], before[further] = ends, site
        sites = [other]
        while sites[-1] != source:
            sites.append(before[sites[-1]])
        return sites[::-1]
