"""What a collective over sites takes at best, from a network's delays and rates, and what is aimed at."""

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from rankwise.core.network import Topology

PAYLOAD_SHARE = 1448 / 1538
"""Of what a frame of 1500 bytes takes on the wire, TCP's data: 941.5 Mbit/s of 1 Gbit/s."""
KIB, MIB = 1 << 10, 1 << 20


class Bounds(Protocol):
    """What a network lets expect at best."""

    def seconds(self, operation: str, size_bytes: int, ranks: int, home: int = 0) -> float:
        """Return the least time of an operation whose root is in site `home`; nan for one without a formula."""
        ...

    def target(self, operation: str, size_bytes: int) -> float:
        """Return how many times that is aimed at."""
        ...


@dataclass(frozen=True)
class EqualSites:
    """Bounds of sites that are alike, by delay and rate between two, for ranks spread evenly over nodes."""

    delay_seconds: float
    wan_bytes_per_second: float
    node_bytes_per_second: float
    sites: int
    nodes: int

    def seconds(self, operation: str, size_bytes: int, ranks: int, home: int = 0) -> float:
        """Return one crossing, and the bytes over the busiest resource."""
        m, each, site = size_bytes, ranks / self.nodes, ranks / self.sites
        nic, wan = {
            "barrier": (0.0, 0.0),
            "bcast": (m, m),
            "allreduce": (2 * m * (self.nodes - 1) / self.nodes, m),
            "allgather": ((ranks - each) * m, site * m * (self.sites - 1)),
            "alltoall": ((ranks - each) * each * m, site * (ranks - site) * m),
        }.get(operation, (math.nan, math.nan))
        return self.delay_seconds + max(nic / self.node_bytes_per_second, wan / self.wan_bytes_per_second)

    def target(self, operation: str, size_bytes: int) -> float:
        """Return more for messages that are neither small nor large, and for those of all to all."""
        if size_bytes <= 8 * KIB:
            return 1.15
        if operation in ("allgather", "alltoall"):
            return 1.5
        return 1.2 if size_bytes >= MIB else 1.25


Tree = tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class UnevenSites:
    """What the best tree of sites takes, in chunks; and for an allreduce an exchange of all with all, if less."""

    delays_seconds: dict[tuple[int, int], float]
    bytes_per_second: dict[tuple[int, int], float]
    sites: int

    def seconds(self, operation: str, size_bytes: int, ranks: int, home: int = 0) -> float:
        """Return the least of all trees: its longest way, and the bytes over its slowest link.

        A broadcast begins at the site `home`; sums go up to any site and down again, both at once.
        """
        if operation == "bcast":
            return min(self._tree_seconds(_with_root(tree, home), size_bytes) for tree in trees(self.sites))
        if operation != "allreduce":
            return math.nan
        exchanged = max(self.delays_seconds.values()) + size_bytes / min(self.bytes_per_second.values())
        rooted = [_with_root(tree, root) for tree in trees(self.sites) for root in range(self.sites)]
        return min(exchanged, *(self._tree_seconds(tree, size_bytes, both_ways=True) for tree in rooted))

    def target(self, operation: str, size_bytes: int) -> float:
        """Return the same for all."""
        return 1.1

    def _tree_seconds(self, tree: Tree, size_bytes: int, *, both_ways: bool = False) -> float:
        up = tuple((below, above) for above, below in tree) if both_ways else ()
        rate = min(self.bytes_per_second[edge] for edge in (*tree, *up))
        return (2 if both_ways else 1) * max(self._ways_seconds(tree)) + size_bytes / rate

    def _ways_seconds(self, tree: Tree) -> Iterator[float]:
        above = {below: one for one, below in tree}
        for first in (below for _, below in tree):
            site, way = first, 0.0
            while site in above:
                way += self.delays_seconds[above[site], site]
                site = above[site]
            yield way


def _with_root(tree: Tree, root: int) -> Tree:
    """The tree below the first site, with that one and `root` exchanged."""
    name = {0: root, root: 0}
    return tuple((name.get(above, above), name.get(below, below)) for above, below in tree)


def trees(sites: int) -> Iterator[Tree]:
    """Yield each tree of sites below the first one, as pairs of a site and the one below it."""
    others = range(1, sites)
    for above in itertools.product(range(sites), repeat=sites - 1):
        edges = dict(zip(others, above, strict=True))
        if all(_reaches_first(site, edges) for site in others):
            yield tuple((one, below) for below, one in edges.items())


def _reaches_first(site: int, above: dict[int, int]) -> bool:
    for _ in above:
        site = above.get(site, 0)
    return site == 0


def bounds_of(topology: Topology) -> Bounds:
    """Return the bounds of a testbed with two sites or more."""
    links = {link.name: link for link in topology.links}
    names = [*topology.sites]
    nodes = {site: next(one for one in topology.nodes if one.site == site) for site in names}
    delays: dict[tuple[int, int], float] = {}
    rates: dict[tuple[int, int], float] = {}
    for route in topology.routes:
        if route.source == route.destination:
            continue
        ends = nodes[route.source].out, nodes[route.destination].into
        way = [links[name] for name in (ends[0], *route.links, ends[1]) if name in links]
        pair = names.index(route.source), names.index(route.destination)
        delays[pair] = sum(link.delay_seconds for link in way)
        between = _least([links[name].rate_bits_per_second for name in route.links])
        rates[pair] = _data_rate(between or _least([link.rate_bits_per_second for link in way]))
    counts = {sum(node.site == site for node in topology.nodes) for site in names}
    if len(counts) > 1 or len({*delays.values()}) > 1 or len({*rates.values()}) > 1:
        return UnevenSites(delays, rates, len(names))
    node_rate = _data_rate(links[nodes[names[0]].out].rate_bits_per_second)
    return EqualSites(
        next(iter(delays.values())), next(iter(rates.values())), node_rate, len(names), len(topology.nodes)
    )  # fmt: skip


def _data_rate(bits_per_second: float) -> float:
    return PAYLOAD_SHARE * bits_per_second / 8


def _least(rates: Sequence[float]) -> float:
    """Of those that are limited; 0 if none is."""
    return min(filter(None, rates), default=0.0)
