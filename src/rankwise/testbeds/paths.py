"""What a description asks of the path between two of its nodes."""

from __future__ import annotations

import math
from dataclasses import dataclass

from rankwise.core.network import Link, Node, Topology

_ETHERNET_BYTES = 38
"""Header, check sum, preamble and gap of a frame."""

_TCP_BYTES = 52
"""Headers of IPv4 and of TCP with its time stamps."""


@dataclass(frozen=True, slots=True)
class Path:
    """A path is one direction between two nodes: the links in the order in which a packet passes them."""

    source: Node
    destination: Node
    links: tuple[Link, ...]

    @property
    def delay_seconds(self) -> float:
        """Return the delay without jitter and waiting in queues."""
        return sum(link.delay_seconds for link in self.links)

    @property
    def jitter_seconds(self) -> float:
        """Return the scales of all links together."""
        return sum(link.jitter_seconds for link in self.links)

    @property
    def rate_bits_per_second(self) -> float:
        """Return the rate of the slowest link; 0: unlimited."""
        return min((link.rate_bits_per_second for link in self.links if link.rate_bits_per_second), default=0.0)

    @property
    def loss(self) -> float:
        """Return the share of packets that get lost on any of the links."""
        return 1.0 - math.prod(1.0 - link.loss for link in self.links)

    @property
    def loss_burst(self) -> float:
        """Return the longest mean run of lost packets of the links that lose any."""
        return max((link.loss_burst for link in self.links if link.loss), default=1.0)

    @property
    def queue_bytes(self) -> int:
        """Return the queue of the first slowest link behind the sender's NIC, which never drops; 0: none."""
        rate, own = self.rate_bits_per_second, self.source.out
        slowest = (link for link in self.links if rate and link.rate_bits_per_second == rate and link.name != own)
        return next((link.queue_bytes for link in slowest), 0)

    def sending_seconds(self, frame_bytes: int) -> float:
        """Return what the rates of the links add to the delay of a frame of this size."""
        on_wire = 8 * (frame_bytes + _ETHERNET_BYTES)
        return sum(on_wire / link.rate_bits_per_second for link in self.links if link.rate_bits_per_second)


def path(topology: Topology, source: str, destination: str) -> Path:
    """Return the path between two nodes; without links where it describes none (real hosts)."""
    nodes = {node.name: node for node in topology.nodes}
    start, other = nodes[source], nodes[destination]
    between = next(
        (way.links for way in topology.routes if (way.source, way.destination) == (start.site, other.site)), ()
    )
    links = {link.name: link for link in topology.links}
    return Path(start, other, tuple(links[name] for name in (start.out, *between, other.into) if name in links))


def site_paths(topology: Topology) -> tuple[tuple[str, str], ...]:
    """Return pairs of nodes that stand for all: one between any two sites, one within each that has two.

    Both directions between two sites that are not linked alike there and back.
    """
    members: dict[str, list[str]] = {}
    for node in topology.nodes:
        members.setdefault(node.site, []).append(node.name)
    within = [(names[0], names[1]) for names in members.values() if len(names) > 1]
    firsts = [names[0] for names in members.values()]
    between = [(first, other) for index, first in enumerate(firsts) for other in firsts[index + 1 :]]
    back = [
        (other, first)
        for first, other in between
        if not _alike(path(topology, first, other), path(topology, other, first))
    ]
    return (*between, *back, *within)


def _alike(there: Path, back: Path) -> bool:
    return (there.rate_bits_per_second, there.loss) == (back.rate_bits_per_second, back.loss)


def payload_bits_per_second(rate_bits_per_second: float, mtu_bytes: int) -> float:
    """Return what TCP can carry of a link's rate, whose frames have headers and gaps."""
    return rate_bits_per_second * (mtu_bytes - _TCP_BYTES) / (mtu_bytes + _ETHERNET_BYTES)
