"""A platform for other numbers of sites and nodes than the one that was measured: more of the same."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from rankwise.core.errors import InputError
from rankwise.core.platform import Platform, PlatformLink, PlatformSite, Route


def extended(platform: Platform, nodes_of_sites: Sequence[int]) -> tuple[Platform, bool]:
    """Return the platform with so many nodes at each of so many sites, and whether it had to be made larger.

    Sites that there are not are like those that there are, in turn; between two of which one is new, messages take
    links of their own, like those from the first site to another. Raises InputError where there is no such route.
    """
    known = platform.sites
    if len(nodes_of_sites) > 1 and len(known) == 1:
        raise InputError(
            f"the platform has one site, not {len(nodes_of_sites)}",
            "give a platform with several: what is between them cannot be guessed",
        )
    larger = len(nodes_of_sites) > len(known)
    sites = []
    for number, count in enumerate(nodes_of_sites):
        like = known[number % len(known)]
        name = like.name if number < len(known) else f"{like.name}+{number // len(known)}"
        larger = larger or count > len(like.nodes)
        own = like.nodes[:count] if number < len(known) else ()
        more = tuple(f"{name}#{i}" for i in range(len(own) + 1, count + 1))
        sites.append(PlatformSite(name, own + more, like.out_bytes_per_second, like.in_bytes_per_second))
    routes, links = _routes(platform, [site.name for site in sites])
    return replace(platform, sites=tuple(sites), routes=routes, links=links), larger


def _routes(platform: Platform, names: Sequence[str]) -> tuple[tuple[Route, ...], tuple[PlatformLink, ...]]:
    known = [site.name for site in platform.sites]
    by_pair = {(route.from_site, route.to_site): route for route in platform.routes}
    links = {link.name: link for link in platform.links}
    routes, used = [], {}
    for i, start in enumerate(names):
        for j, end in enumerate(names):
            is_known = i < len(known) and j < len(known)
            if is_known or i == j:
                like = by_pair[known[i % len(known)], known[j % len(known)]]
            else:
                like = by_pair[known[0], known[1]]
            own = like.links if is_known else tuple(f"{link}:{start}>{end}" for link in like.links)
            used.update({name: replace(links[of], name=name) for name, of in zip(own, like.links, strict=True)})
            routes.append(Route(start, end, like.pair_class, own))
    return tuple(routes), tuple(used.values())


def node_apart(platform: Platform, node: str) -> tuple[Platform, str]:
    """Return the platform with a site of this node alone, and that site's name, so that its NIC can be changed.

    The order of the nodes is kept. Raises InputError for a node that there is not.
    """
    for place, site in enumerate(platform.sites):
        if node in site.nodes:
            at = site.nodes.index(node)
            parts = (site.nodes[:at], (node,), site.nodes[at + 1 :])
            made = [
                replace(site, name=site.name if number == 0 else f"{site.name}|{part[0]}", nodes=part)
                for number, part in enumerate(parts)
                if part
            ]
            sites = (*platform.sites[:place], *made, *platform.sites[place + 1 :])
            of = {member.name: site.name if member in made else member.name for member in sites}
            by_pair = {(route.from_site, route.to_site): route for route in platform.routes}
            routes = tuple(
                replace(by_pair[of[start.name], of[end.name]], from_site=start.name, to_site=end.name)
                for start in sites
                for end in sites
            )
            own = next(member.name for member in made if member.nodes == (node,))
            return replace(platform, sites=sites, routes=routes), own
    raise InputError(f"the platform has no node {node}")
