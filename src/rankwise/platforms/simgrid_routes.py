"""SimGrid's zones, and the links that a message takes from one host to another.

As SimGrid 3.32 has it (src/kernel/routing): within a zone its routing says which links, across zones the route
between the two zones right below their first common one, and to its gateways the routes within each.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise

from rankwise.core.errors import InputError

DEEPEST = 64
"""Zones within zones."""
CLUSTER, FULL, FLOYD, DIJKSTRA, NONE = "cluster", "full", "floyd", "dijkstra", "none"
_SHORTEST = {FLOYD, DIJKSTRA}


@dataclass(frozen=True, slots=True)
class Link:
    """A link: bytes a second, seconds, and whether its messages share it (FATPIPE: they do not)."""

    rate: float
    latency: float
    shared: bool = True
    each: bool = False
    """It stands for many: each host of its zone has its own."""


@dataclass(frozen=True, slots=True)
class Edge:
    """A declared route: its links, and of one between zones the gateways."""

    links: tuple[str, ...]
    gateways: tuple[str, str] | None = None


@dataclass(frozen=True, slots=True)
class Star:
    """What joins a host of a zone Cluster to it: links out, links in, and those to itself, if any."""

    up: tuple[str, ...] = ()
    down: tuple[str, ...] = ()
    loopback: tuple[str, ...] = ()


@dataclass(slots=True, eq=False)
class Zone:
    """A zone: hosts, routers and zones, and how they are joined."""

    name: str
    routing: str
    above: Zone | None = None
    edges: dict[tuple[str, str], Edge] = field(default_factory=dict)
    stars: dict[str, Star] = field(default_factory=dict)

    def path(self) -> list[Zone]:
        """Return the zones from the outermost to this one."""
        return [*(self.above.path() if self.above else []), self]


@dataclass(slots=True)
class Network:
    """All zones and links of a file."""

    file: str
    links: dict[str, Link] = field(default_factory=dict)
    zone_of: dict[str, Zone] = field(default_factory=dict)
    """Of hosts and routers, by name."""
    ambiguous: str = ""
    """Two places with several shortest routes between them."""
    _trees: dict[tuple[int, str], dict[str, str]] = field(default_factory=dict)

    def route(self, source: str, target: str) -> tuple[str, ...]:
        """Return the links from one host or router to another. Raises InputError where nothing joins them."""
        own, other = self.zone_of[source], self.zone_of[target]
        if own is other:
            return self._local(own, source, target).links
        here, there = own.path(), other.path()
        depth = next((at for at, (a, b) in enumerate(zip(here, there, strict=False)) if a is not b), 0)
        if not depth:  # one zone is in the other
            raise self._apart(source, target)
        edge = self._local(here[depth - 1], here[depth].name, there[depth].name)
        if not edge.gateways:
            raise self._apart(source, target)
        out, into = edge.gateways
        before = self.route(source, out) if source != out else ()
        return (*before, *edge.links, *(self.route(into, target) if into != target else ()))

    def _apart(self, source: str, target: str) -> InputError:
        return InputError(f"{self.file}: no route from {source} to {target}", "add one")

    def _local(self, zone: Zone, source: str, target: str) -> Edge:
        """The route between two hosts, routers or zones of a zone."""
        if zone.routing == CLUSTER:
            star, other = zone.stars.get(source, Star()), zone.stars.get(target, Star())
            if source == target and star.loopback:
                return Edge(star.loopback)
            return Edge(tuple(dict.fromkeys((*star.up, *other.down))))
        if zone.routing in _SHORTEST and source != target:
            return self._joined(list(self._hops(zone, source, target)))
        if (source, target) not in zone.edges:
            raise self._apart(source, target)
        return zone.edges[source, target]

    def _joined(self, hops: list[Edge]) -> Edge:
        """Edges one behind the other; between two gateways of one zone the route within it."""
        links = list(hops[0].links)
        for hop, after in pairwise(hops):
            if hop.gateways and after.gateways and hop.gateways[1] != after.gateways[0]:
                links += self.route(hop.gateways[1], after.gateways[0])
            links += after.links
        first, last = hops[0].gateways, hops[-1].gateways
        return Edge(tuple(links), (first[0], last[1]) if first and last else None)

    def _hops(self, zone: Zone, source: str, target: str) -> Iterator[Edge]:
        """The edges of a shortest route: of all the one with the fewest links."""
        key = (id(zone), source)
        if key not in self._trees:
            self._trees[key] = self._tree(zone, source)
        back, names = self._trees[key], [target]
        while names[-1] != source:
            if names[-1] not in back:
                raise self._apart(source, target)
            names.append(back[names[-1]])
        names.reverse()
        for pair in pairwise(names):
            yield zone.edges[pair]

    def _tree(self, zone: Zone, source: str) -> dict[str, str]:
        """Dijkstra's algorithm (1959), among equals in the file's order; return what is before each place."""
        outward: dict[str, list[tuple[str, int]]] = {}
        for (place, other), edge in zone.edges.items():
            outward.setdefault(place, []).append((other, len(edge.links)))
        number = {name: at for at, name in enumerate(dict.fromkeys(name for pair in zone.edges for name in pair))}
        cost, back, done = {source: 0}, dict[str, str](), set[str]()
        line = [(0, number.get(source, 0), source)]
        while line:
            so_far, _, name = heapq.heappop(line)
            if name in done:
                continue
            done.add(name)
            for other, links in outward.get(name, ()):
                if other not in cost or so_far + links < cost[other]:
                    cost[other], back[other] = so_far + links, name
                    heapq.heappush(line, (cost[other], number[other], other))
                elif so_far + links == cost[other] and back.get(other) != name and other != source:
                    self.ambiguous = self.ambiguous or f"{source} and {other}"
        return back
