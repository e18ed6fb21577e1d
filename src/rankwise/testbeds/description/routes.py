"""Which links a packet takes from site to site: the direct one, a route that was asked for, or the only chain."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

Neighbours = Mapping[str, Sequence[str]]


def neighbours(pairs: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    """Return the sites that each site has a link to, in the order of the links."""
    near: dict[str, list[str]] = {}
    for site, other in pairs:
        near.setdefault(site, []).append(other)
        near.setdefault(other, []).append(site)
    return near


def chains(near: Neighbours, source: str, destination: str) -> list[tuple[str, ...]]:
    """Return the sites from `source` to `destination`, both included: one entry if only one way is possible.

    A direct link is the only way. Otherwise no chain, one, or the first two, which makes it ambiguous.
    """
    if destination in near.get(source, ()):
        return [(source, destination)]
    ways = []
    for chain in _simple_paths(near, (source,), destination):
        ways.append(chain)
        if len(ways) == 2:
            break
    return ways


def _simple_paths(near: Neighbours, begun: tuple[str, ...], destination: str) -> Iterator[tuple[str, ...]]:
    for site in near.get(begun[-1], ()):
        if site == destination:
            yield (*begun, site)
        elif site not in begun:
            yield from _simple_paths(near, (*begun, site), destination)
