"""Other figures for links, sites, nodes and classes of pairs: `wan.rate=10G,wan.delay=5ms`."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Literal

from rankwise.analysis.predict.extended import node_apart
from rankwise.core.errors import InputError
from rankwise.core.platform import CostRange, PairClass, Platform, PlatformSite
from rankwise.core.units import parse_delay_seconds, parse_rate_bits_per_second

Quantity = Literal["rate", "delay"]
WAN = "wan"
_BOTTLENECK = 0.8
"""A flow alone that reaches this share of a link's rate is held back by the link, and not by the hosts."""
_MOST_NAMES = 30
_FASTEST_BYTES_PER_SECOND = 1e15
_RELIEF = 1e4
"""So many times its rate is more than all flows of a simulation want of a link."""


@dataclass(frozen=True, slots=True)
class Change:
    """Another rate or delay of something. Rates are bytes a second, delays seconds one way."""

    name: str
    quantity: Quantity
    value: float
    is_factor: bool = False
    """`value` times what it was."""
    text: str = ""
    """As it was typed."""

    def with_value(self, value: float) -> Change:
        """Return the change to this value."""
        return replace(self, value=value, is_factor=False, text="")


def parse_changes(text: str) -> tuple[Change, ...]:
    """Return `wan.rate=10G,wan.delay=x0.5` as changes. Raises InputError."""
    return tuple(_parse_change(part.strip()) for part in text.split(","))


def _parse_change(text: str) -> Change:
    target, equals, value = text.partition("=")
    name, _, quantity = target.rpartition(".")
    if not equals or not name or quantity not in ("rate", "delay"):
        raise InputError(
            f"'{text[:60]}' is not a change of the platform",
            "write NAME.rate=10G or NAME.delay=5ms; x2 stands for twice as much",
        )
    kind: Quantity = "rate" if quantity == "rate" else "delay"
    if factor := re.fullmatch(r"x([0-9]+(?:\.[0-9]+)?)", value):
        if not 1e-6 <= float(factor[1]) <= 1e6:
            raise InputError(f"'{value}' is not a valid factor", "write one from x0.000001 to x1000000")
        return Change(name, kind, float(factor[1]), True, text)
    return Change(name, kind, parse_value(kind, value), text=text)


def parse_value(quantity: Quantity, text: str) -> float:
    """Return `10G` or `10 Gbit/s` as bytes a second, `5ms` as seconds. Raises InputError."""
    if quantity == "delay":
        return parse_delay_seconds(text)
    bits = parse_rate_bits_per_second(text if text.rstrip().endswith(("s", "ps")) else f"{text}bit/s")
    if bits < 8:
        raise InputError(f"'{text}' is too low for a rate", "write one of 8 bit/s or more")
    return bits / 8


def names_of(platform: Platform) -> tuple[str, ...]:
    """Return what may be changed: classes of pairs, links, sites, nodes."""
    return tuple(dict.fromkeys((
        *(pair_class.name for pair_class in platform.classes), *(link.name for link in platform.links),
        *(site.name for site in platform.sites), *(node for site in platform.sites for node in site.nodes),
    )))  # fmt: skip


def changed(platform: Platform, change: Change) -> Platform:
    """Return the platform with this change. Raises InputError for an unknown name, and for a delay of a link.

    The rate of a class of pairs is that of the links between them, or of their NICs where they share no link.
    `wan`, where nothing is called so, is all that lies between sites.
    """
    if change.name not in names_of(platform) and not _between_sites(platform, change.name):
        known = _short_names(platform)
        more = f", and {len(known) - _MOST_NAMES} more" if len(known) > _MOST_NAMES else ""
        raise InputError(
            f"the platform has nothing called {change.name}", f"it has: {', '.join(known[:_MOST_NAMES])}{more}"
        )
    return _with_delay(platform, change) if change.quantity == "delay" else _with_rate(platform, change)


def _between_sites(platform: Platform, name: str) -> tuple[str, ...]:
    """The classes that `wan` means on a platform on which nothing else is called so."""
    if name != WAN or name in names_of(platform):
        return ()
    return tuple(dict.fromkeys(route.pair_class for route in platform.routes if route.from_site != route.to_site))


def value_now(platform: Platform, change: Change) -> float:
    """Return the rate or the delay that a change is about, as it is: the lowest rate of several links.

    Raises InputError for a name that there is not, and for a delay of a link.
    """
    changed(platform, change)
    if change.quantity == "delay":
        first = next(iter(_between_sites(platform, change.name)), change.name)
        return _class(platform, first).ranges[0].latency_seconds
    links, sites = resources(platform, change.name)
    rates = [link.bytes_per_second for link in platform.links if link.name in links]
    return min([*rates, *(site.out_bytes_per_second for site in platform.sites if site.name in sites)])


def relieved(platform: Platform, resource: str) -> Platform:
    """Return the platform in which flows do not share this: a link, or one direction of a NIC, `NODE.out`.

    What a message takes alone stays as it is.
    """
    node, _, direction = resource.rpartition(".")
    if any(node in site.nodes for site in platform.sites) and direction in ("in", "out"):
        platform, name = node_apart(platform, node)
        platform = _held(platform)
        return replace(platform, sites=tuple(
            _relieved_site(site, direction) if site.name == name else site for site in platform.sites
        ))  # fmt: skip
    platform = _held(platform)
    return replace(platform, links=tuple(
        replace(link, bytes_per_second=_much_faster(link.bytes_per_second)) if link.name == resource else link
        for link in platform.links
    ))  # fmt: skip


def all_relieved(platform: Platform, what: Literal["links", "NICs"]) -> Platform:
    """Return the platform in which flows share no link, or no NIC; what a message takes alone stays as it is."""
    platform = _held(platform)
    if what == "links":
        links = (replace(link, bytes_per_second=_much_faster(link.bytes_per_second)) for link in platform.links)
        return replace(platform, links=tuple(links))
    both = (_relieved_site(_relieved_site(site, "out"), "in") for site in platform.sites)
    return replace(platform, sites=tuple(both))


def _relieved_site(site: PlatformSite, direction: str) -> PlatformSite:
    if direction == "out":
        return replace(site, out_bytes_per_second=_much_faster(site.out_bytes_per_second))
    return replace(site, in_bytes_per_second=_much_faster(site.in_bytes_per_second))


def _much_faster(bytes_per_second: float) -> float:
    return min(_RELIEF * bytes_per_second, _FASTEST_BYTES_PER_SECOND)


def _held(platform: Platform) -> Platform:
    """The same platform whose classes say themselves how fast a flow alone can be: no faster than its links."""
    sites = {site.name: site for site in platform.sites}
    links = {link.name: link.bytes_per_second for link in platform.links}
    slowest: dict[str, float] = {}
    for route in platform.routes:
        rates = (sites[route.from_site].out_bytes_per_second, sites[route.to_site].in_bytes_per_second,
                 *(links[name] for name in route.links))  # fmt: skip
        slowest[route.pair_class] = min(slowest.get(route.pair_class, min(rates)), *rates)
    return replace(platform, classes=tuple(
        replace(pair_class, ranges=tuple(
            replace(it, gap_seconds_per_byte=max(it.gap_seconds_per_byte, 1 / slowest[pair_class.name]))
            for it in pair_class.ranges
        )) if pair_class.name in slowest else pair_class
        for pair_class in platform.classes
    ))  # fmt: skip


def _short_names(platform: Platform) -> tuple[str, ...]:
    """Without the nodes, which may be thousands."""
    nodes = {node for site in platform.sites for node in site.nodes}
    return tuple(name for name in names_of(platform) if name not in nodes)


def _class(platform: Platform, name: str) -> PairClass:
    pair_class = next((candidate for candidate in platform.classes if candidate.name == name), None)
    if pair_class is None:
        classes = ", ".join(candidate.name for candidate in platform.classes)
        raise InputError(f"{name} has no delay of its own", f"delays are those of classes of pairs: {classes}")
    return pair_class


def _with_delay(platform: Platform, change: Change) -> Platform:
    """Ranges of sizes keep their distances from one another."""
    if among := _between_sites(platform, change.name):
        for name in among:
            platform = _with_delay(platform, replace(change, name=name))
        return platform
    old = _class(platform, change.name)
    now = old.ranges[0].latency_seconds
    more = (now * change.value if change.is_factor else change.value) - now
    ranges = tuple(replace(costs, latency_seconds=max(0.0, costs.latency_seconds + more)) for costs in old.ranges)
    made = replace(old, ranges=ranges)
    return replace(
        platform, classes=tuple(made if pair_class is old else pair_class for pair_class in platform.classes)
    )


def resources(platform: Platform, name: str) -> tuple[set[str], set[str]]:
    """Return the links and the sites whose NICs go by this name. Raises InputError for a class without any."""
    if any(link.name == name for link in platform.links):
        return {name}, set()
    if any(site.name == name for site in platform.sites):
        return set(), {name}
    among = _between_sites(platform, name)
    routes = [route for route in platform.routes if route.pair_class in (among or (name,))]
    if among and not any(route.links for route in routes):
        raise InputError(
            "the platform does not describe links that sites share",
            "change the rate of a site or node, or fit where two sites have two nodes each",
        )
    if not routes:
        raise InputError(f"messages of the class {name} use no link", "change the rate of a link, site or node")
    links = {link for route in routes for link in route.links}
    return links, set() if links else {site for route in routes for site in (route.from_site, route.to_site)}


def _with_rate(platform: Platform, change: Change) -> Platform:
    name = change.name
    if name not in _short_names(platform) and not _between_sites(platform, name):
        platform, name = node_apart(platform, name)
    links, sites = resources(platform, name)

    def new(rate: float) -> float:
        value = rate * change.value if change.is_factor else change.value
        return min(max(value, 1.0), _FASTEST_BYTES_PER_SECOND)

    def site_with(site: PlatformSite) -> PlatformSite:
        return replace(
            site,
            out_bytes_per_second=new(site.out_bytes_per_second),
            in_bytes_per_second=new(site.in_bytes_per_second),
        )

    made = replace(
        platform,
        links=tuple(
            replace(link, bytes_per_second=new(link.bytes_per_second)) if link.name in links else link
            for link in platform.links
        ),
        sites=tuple(site_with(site) if site.name in sites else site for site in platform.sites),
    )
    return _freed(platform, made)


def _freed(before: Platform, after: Platform) -> Platform:
    """What a byte takes alone, where a link was what held it back, follows the new rate of the slowest link."""
    old, new = _slowest(before), _slowest(after)

    def costs(before_change: CostRange, name: str) -> CostRange:
        gap = before_change.gap_seconds_per_byte
        if name not in old or new[name] == old[name] or gap * old[name] > 1 / _BOTTLENECK:
            return before_change
        return replace(before_change, gap_seconds_per_byte=gap * old[name] / new[name])

    return replace(after, classes=tuple(
        replace(pair_class, ranges=tuple(costs(it, pair_class.name) for it in pair_class.ranges))
        for pair_class in after.classes
    ))  # fmt: skip


def _slowest(platform: Platform) -> dict[str, float]:
    """The rate of the slowest link on the fastest route of each class."""
    sites = {site.name: site for site in platform.sites}
    links = {link.name: link.bytes_per_second for link in platform.links}
    rates: dict[str, float] = {}
    for route in platform.routes:
        start, end = sites[route.from_site], sites[route.to_site]
        rate = min(
            start.out_bytes_per_second, end.in_bytes_per_second, *(links[link] for link in route.links), 1e300
        )
        rates[route.pair_class] = max(rates.get(route.pair_class, 0.0), rate)
    return rates
