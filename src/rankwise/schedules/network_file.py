"""Writes a testbed's sites, nodes and links as the network file that the C algorithms read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from math import inf

from rankwise.core.errors import InputError
from rankwise.core.network import Link, Node, Route, Topology
from rankwise.schedules.model import Network

_BITS = 8


def network_text(topology: Topology) -> str:
    """Return the text that csrc/schedules/network_file.h describes; its hosts are the names of the nodes.

    A site's hosts are in the order in which they lead it: the nearest to the other sites first. Delays are one way
    from the first to the first, rates those of the links between the sites. Links are written only if all pairs of
    sites have a route. Raises InputError for names that cannot be written.
    """
    links = {link.name: link for link in topology.links}
    return "\n".join(
        ["# rankwise network 1", *_sites(topology, links), *_links(topology, links), *_node(topology, links), ""]
    )


def network_of(topology: Topology, ranks: int) -> Network:
    """Return a testbed as a network of ranks: as many a node, or one more on the first ones, in blocks.

    Raises InputError where there is no node for them.
    """
    if not topology.nodes:
        raise InputError(f"the testbed {topology.name} has no nodes", "name one with hosts, or give --sites")
    share, more = divmod(ranks, len(topology.nodes))
    return network_on(
        topology, [node.name for at, node in enumerate(topology.nodes) for _ in range(share + (at < more))]
    )


def network_on(topology: Topology, hosts: Sequence[str]) -> Network:
    """Return a testbed as a network of ranks, rank i on hosts[i]; of a site's nodes the nearest come first."""
    links = {link.name: link for link in topology.links}
    known = {node.name: node for node in topology.nodes}
    used = [known[name] for name in hosts]
    sites = list(dict.fromkeys(node.site for node in used))
    nodes = _nearest_first(dict.fromkeys(used), links)
    groups = (tuple(sites.index(node.site) for node in used), tuple(nodes.index(node) for node in used))
    first = {node.site: node for node in reversed(nodes)}
    routes = {(route.source, route.destination): route for route in topology.routes}
    rate = _rate(tuple(name for node in used for name in (node.out, node.into)), links)
    if not all((a, b) in routes for a in sites for b in sites if a != b):
        return Network(groups, node_bytes_per_second=rate)
    delays = tuple(
        tuple(0.0 if a == b else _delay(first[a], first[b], routes[a, b], links) for b in sites) for a in sites
    )
    rates = tuple(tuple(0.0 if a == b else _rate(routes[a, b].links, links) for b in sites) for a in sites)
    return Network(groups, delays, rates, rate)


def _nearest_first(nodes: Iterable[Node], links: dict[str, Link]) -> list[Node]:
    """By the delay of their own links, then by the rate; those that are alike keep their order."""

    def distance(node: Node) -> tuple[float, float]:
        own = [links[name] for name in (node.out, node.into) if name in links]
        return sum(link.delay_seconds for link in own), -(_rate((node.out, node.into), links) or inf)

    return sorted(nodes, key=distance)


def _sites(topology: Topology, links: dict[str, Link]) -> Iterator[str]:
    for site in topology.sites:
        here = _nearest_first((node for node in topology.nodes if node.site == site), links)
        hosts = [_word(node.name) for node in here]
        if hosts:
            yield " ".join(["site", _word(site), *hosts])


def _links(topology: Topology, links: dict[str, Link]) -> list[str]:
    nodes = _nearest_first(topology.nodes, links)
    first = {site: node for site in topology.sites for node in reversed(nodes) if node.site == site}
    routes = {(route.source, route.destination): route for route in topology.routes}
    pairs = [(a, b) for i, a in enumerate(first) for b in list(first)[i + 1 :]]
    if not all(pair in routes for pair in pairs):
        return []
    lines = []
    for a, b in pairs:
        delay = _delay(first[a], first[b], routes[a, b], links)
        lines.append(f"link {a} {b} {delay:.9g} {_rate(routes[a, b].links, links):.9g}")
    return lines


def _delay(source: Node, destination: Node, route: Route, links: dict[str, Link]) -> float:
    names = (source.out, *route.links, destination.into)
    return sum(links[name].delay_seconds for name in names if name in links)


def _rate(names: tuple[str, ...], links: dict[str, Link]) -> float:
    """Bytes per second of the slowest of these links; 0: none has a limit."""
    limits = [links[name].rate_bits_per_second for name in names if name in links]
    return min((limit for limit in limits if limit > 0), default=0.0) / _BITS


def _node(topology: Topology, links: dict[str, Link]) -> Iterator[str]:
    rate = _rate(tuple(name for node in topology.nodes for name in (node.out, node.into)), links)
    if rate > 0:
        yield f"node {rate:.9g}"


def _word(text: str) -> str:
    if not text or not text.isprintable() or " " in text or "#" in text:
        raise InputError(f"'{text}' cannot name a site or a host", "use letters, digits, '-' and '.'")
    return text
