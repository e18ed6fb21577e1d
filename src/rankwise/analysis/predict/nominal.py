"""A platform made from a testbed's description alone: nothing of it is measured."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping

from rankwise.core.errors import InputError
from rankwise.core.network import Link, Node, Topology
from rankwise.core.network import Route as Path
from rankwise.core.platform import CostRange, PairClass, Platform, PlatformLink, PlatformSite, Provenance, Route

OVERHEAD_SECONDS = 5e-6
"""Assumed of each send and each receive: what TCP takes on hosts of today, roughly."""
SAME_NODE = CostRange(
    latency_seconds=1e-6, send_overhead_seconds=5e-7, receive_overhead_seconds=5e-7,
    gap_seconds_per_byte=1 / 5e9,
)  # fmt: skip
"""Assumed of two ranks of one node."""
_NO_LIMIT_BYTES_PER_SECOND = 1e12
_FRAME_BYTES, _HEADER_BYTES = 38, 52
"""Of Ethernet around a packet (preamble and gap included), and of IP and TCP with time stamps within it."""


def nominal(topology: Topology) -> Platform:
    """Return the platform that a description stands for: rates less headers, delays summed, overheads assumed.

    Nodes of a site whose NICs differ make sites of their own. Raises InputError where no network is described.
    """
    if not topology.nodes or not topology.routes:
        raise InputError(
            f"the testbed {topology.name} describes no links", "measure it: rankwise fit --testbed NAME --mpi MPI"
        )
    mtu = topology.hardware.mtu_bytes
    share = (mtu - _HEADER_BYTES) / (mtu + _FRAME_BYTES)
    links = {link.name: link for link in topology.links}
    sites = _sites(topology, links, share)
    paths = {(route.source, route.destination): route for route in topology.routes}
    kinds: dict[tuple[bool, CostRange], str] = {}
    between = []
    for start, source in sites:
        for end, destination in sites:
            path = paths.get((source, destination))
            if path is None:
                raise InputError(f"there is no route from {source} to {destination}", "name its links")
            kind = (source == destination, _costs(topology, path, (start, end), share))
            kinds.setdefault(kind, start.name if start is end else f"{start.name}-{end.name}")
            shared = tuple(name for name in path.links if links[name].rate_bits_per_second)
            between.append((start.name, end.name, kind, shared))
    names = _class_names(kinds)
    used = dict.fromkeys(name for *_, shared in between for name in shared)
    return Platform(
        tuple(site for site, _ in sites),
        tuple(Route(start, end, names[kind], shared) for start, end, kind, shared in between),
        (*(PairClass(names[kind], (kind[1],)) for kind in kinds), PairClass("node", (SAME_NODE,))),
        "node",
        tuple(PlatformLink(name, links[name].rate_bits_per_second / 8 * share) for name in used),
        provenance=Provenance(testbed=topology.name),
    )


def _class_names(kinds: Mapping[tuple[bool, CostRange], str]) -> dict[tuple[bool, CostRange], str]:
    """`lan` and `wan` where there is one of each; otherwise a class is called as the first pair of its sites."""
    several = {within: sum(kind[0] == within for kind in kinds) > 1 for within in (True, False)}
    return {kind: pair if several[kind[0]] else "lan" if kind[0] else "wan" for kind, pair in kinds.items()}


def _sites(topology: Topology, links: Mapping[str, Link], share: float) -> list[tuple[PlatformSite, str]]:
    """Nodes that are alike and next to one another, with the site that they are of; the order of nodes is kept."""
    groups: list[tuple[str, float, float, list[str]]] = []
    for node in topology.nodes:
        out, into = _rate(links, node.out, share), _rate(links, node.into, share)
        if groups and groups[-1][:3] == (node.site, out, into):
            groups[-1][3].append(node.name)
        else:
            groups.append((node.site, out, into, [node.name]))
    several: defaultdict[str, int] = defaultdict(int)
    for site, *_ in groups:
        several[site] += 1
    return [
        (PlatformSite(site if several[site] == 1 else f"{site}:{nodes[0]}", tuple(nodes), out, into), site)
        for site, out, into, nodes in groups
    ]


def _rate(links: Mapping[str, Link], name: str, share: float) -> float:
    rate = links[name].rate_bits_per_second if name in links else 0.0
    return rate / 8 * share if rate else _NO_LIMIT_BYTES_PER_SECOND


def _costs(topology: Topology, path: Path, ends: tuple[PlatformSite, PlatformSite], share: float) -> CostRange:
    (start, end), links = ends, {link.name: link for link in topology.links}
    first, last = (_node(topology, site.nodes[0]) for site in (start, end))
    delay = sum(links[name].delay_seconds for name in (first.out, *path.links, last.into) if name in links)
    rates = [
        start.out_bytes_per_second,
        end.in_bytes_per_second,
        *(_rate(links, link, share) for link in path.links),
    ]
    return CostRange(
        latency_seconds=delay, send_overhead_seconds=OVERHEAD_SECONDS, receive_overhead_seconds=OVERHEAD_SECONDS,
        gap_seconds_per_byte=1 / min(rates),
    )  # fmt: skip


def _node(topology: Topology, name: str) -> Node:
    return next(node for node in topology.nodes if node.name == name)
