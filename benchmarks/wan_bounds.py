"""The least time of a collective over sites, from a network's delays and line rates: what none can beat."""

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from rankwise.core.network import Topology


class Bounds(Protocol):
    """What a network lets expect at best."""

    def seconds(self, operation: str, size_bytes: int, ranks: int) -> float:
        """Return the least time of an operation; nan for one without a formula."""
        ...


@dataclass(frozen=True)
class EqualSites:
    """Bounds of sites that are alike, by delay and rate between two, for ranks spread evenly over nodes."""

    delay_seconds: float
    wan_bytes_per_second: float
    node_bytes_per_second: float
    sites: int
    nodes: int

    def seconds(self, operation: str, size_bytes: int, ranks: int) -> float:
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


Tree = tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class UnevenSites:
    """Bounds of a pipelined broadcast from the first site by the best tree; an allreduce takes no less."""

    delays_seconds: dict[tuple[int, int], float]
    bytes_per_second: dict[tuple[int, int], float]
    sites: int

    def seconds(self, operation: str, size_bytes: int, ranks: int) -> float:
        """Return the least of all trees: its longest way, and the bytes over its slowest link."""
        if operation not in ("bcast", "allreduce"):
            return math.nan
        return min(
            max(self._ways_seconds(tree)) + size_bytes / min(self.bytes_per_second[edge] for edge in tree)
            for tree in trees(self.sites)
        )

    def _ways_seconds(self, tree: Tree) -> Iterator[float]:
        above = {below: one for one, below in tree}
        for first in (below for _, below in tree):
            site, way = first, 0.0
            while site in above:
                way += self.delays_seconds[above[site], site]
                site = above[site]
            yield way


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
        rates[pair] = _least([links[name].rate_bits_per_second / 8 for name in route.links]) or _least(
            [link.rate_bits_per_second / 8 for link in way]
        )
    counts = {sum(node.site == site for node in topology.nodes) for site in names}
    if len(counts) > 1 or len({*delays.values()}) > 1 or len({*rates.values()}) > 1:
        return UnevenSites(delays, rates, len(names))
    node_rate = links[nodes[names[0]].out].rate_bits_per_second / 8
    return EqualSites(
        next(iter(delays.values())), next(iter(rates.values())), node_rate, len(names), len(topology.nodes)
    )  # fmt: skip


def _least(rates: Sequence[float]) -> float:
    """Of those that are limited; 0 if none is."""
    return min(filter(None, rates), default=0.0)
