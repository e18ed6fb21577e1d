"""A platform as SimGrid's XML (version 4.1), so that SMPI's users have calibrated costs too.

Each site is a zone of routing `Cluster` whose nodes have a link out and one in; zones are joined by the shared
links and by one that adds what their latency is more. SMPI has one set of costs by size (smpi/os, or, bw-factor,
lat-factor), not one a class: they are those of one class, and what other classes have beside it is lost.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from xml.etree import ElementTree as Xml

from rankwise.core.platform import CostRange, PairClass, Platform

RENDEZVOUS_LATENCIES = 3
"""Request, answer and data; SMPI counts a message's latency once."""
FATPIPE_BYTES_PER_SECOND = 1e15
_HEAD = '<?xml version="1.0"?>\n<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">\n'


def simgrid_xml(platform: Platform) -> str:
    """Return the file's text: rates in B/s, latencies in seconds, those of short messages."""
    top = Xml.Element("platform", version="4.1")
    reference = _reference(platform)
    config = Xml.SubElement(top, "config")
    for name, value in _settings(platform, reference).items():
        Xml.SubElement(config, "prop", id=name, value=value)
    world = Xml.SubElement(top, "zone", id="world", routing="Full")
    for number, site in enumerate(platform.sites):
        zone = Xml.SubElement(world, "zone", id=site.name, routing="Cluster")
        half = _latency(_within(platform, site.name)) / 2
        for node in site.nodes:
            Xml.SubElement(zone, "host", id=node, speed=f"{platform.flops_per_second!r}f")
            _link(zone, f"{node}.out", site.out_bytes_per_second, half)
            _link(zone, f"{node}.in", site.in_bytes_per_second, half)
        for node in site.nodes:
            Xml.SubElement(zone, "host_link", id=node, up=f"{node}.out", down=f"{node}.in")
        Xml.SubElement(zone, "router", id=_router(number))
        _loopbacks(platform, zone, f"rankwise-loopback-{number}", site.nodes)
    _join(platform, world)
    Xml.indent(top)
    return _HEAD + Xml.tostring(top, encoding="unicode") + "\n"


def _router(site: int) -> str:
    return f"rankwise-router-{site}"


def _link(above: Xml.Element, name: str, rate: float, latency: float, policy: str = "SHARED") -> None:
    Xml.SubElement(
        above, "link", id=name, bandwidth=f"{rate!r}Bps", latency=f"{latency!r}s", sharing_policy=policy
    )


def _loopbacks(platform: Platform, zone: Xml.Element, name: str, nodes: tuple[str, ...]) -> None:
    """The link of two ranks of a node: without a route SimGrid takes the node's links out and in."""
    same = _named(platform, platform.same_node)
    gap = same.ranges[-1].gap_seconds_per_byte
    _link(zone, name, 1 / gap if gap else FATPIPE_BYTES_PER_SECOND, _latency(same), "FATPIPE")
    for node in nodes:
        way = Xml.SubElement(zone, "route", src=node, dst=node)
        Xml.SubElement(way, "link_ctn", id=name)


def _join(platform: Platform, world: Xml.Element) -> None:
    """The links between sites, then the routes over them."""
    for link in platform.links:
        _link(world, link.name, link.bytes_per_second, 0.0)
    number = {site.name: index for index, site in enumerate(platform.sites)}
    joins = []
    for route in platform.routes:
        if route.from_site == route.to_site:
            continue
        ends = (route.from_site, route.to_site)
        inside = sum(_latency(_within(platform, site)) for site in ends) / 2
        more = max(0.0, _latency(_named(platform, route.pair_class)) - inside)
        delay = f"rankwise-delay-{number[ends[0]]}-{number[ends[1]]}"
        _link(world, delay, FATPIPE_BYTES_PER_SECOND, more, "FATPIPE")
        joins.append((ends, (*route.links, delay)))
    for (source, destination), links in joins:
        way = Xml.SubElement(
            world, "zoneRoute", src=source, dst=destination, gw_src=_router(number[source]),
            gw_dst=_router(number[destination]), symmetrical="NO",
        )  # fmt: skip
        for name in links:
            Xml.SubElement(way, "link_ctn", id=name)


def _named(platform: Platform, name: str) -> PairClass:
    return next(pair_class for pair_class in platform.classes if pair_class.name == name)


def _within(platform: Platform, site: str) -> PairClass:
    own = next(route for route in platform.routes if route.from_site == route.to_site == site)
    return _named(platform, own.pair_class)


def _reference(platform: Platform) -> PairClass:
    """The class whose costs by size SMPI is given: of the largest site, or across sites if all have one node."""
    site = max(platform.sites, key=lambda candidate: len(candidate.nodes))
    if len(site.nodes) > 1:
        return _within(platform, site.name)
    across = next((route for route in platform.routes if route.from_site != route.to_site), None)
    return _named(platform, across.pair_class) if across else _within(platform, site.name)


def reference_class(platform: Platform) -> str:
    """Return the name of the class whose costs by size the file has."""
    return _reference(platform).name


def _latency(pairs: PairClass) -> float:
    return pairs.ranges[0].latency_seconds


def _settings(platform: Platform, pairs: PairClass) -> dict[str, str]:
    """SMPI's options; cross traffic and TCP's gamma are off, for the figures are what messages have measured."""
    rate = platform.sites[0].out_bytes_per_second
    for site in platform.sites:
        if len(site.nodes) > 1:
            rate = site.out_bytes_per_second
            break
    latency = _latency(pairs)

    def bandwidth_factor(costs: CostRange, _: int) -> str:
        return repr(min(1.0, 1 / (costs.gap_seconds_per_byte * rate))) if costs.gap_seconds_per_byte else "1.0"

    def latency_factor(costs: CostRange, trips: int) -> str:
        return repr(trips * costs.latency_seconds / latency) if latency else "1.0"

    def sending(costs: CostRange, _: int) -> str:
        return f"{costs.send_overhead_seconds!r}:{costs.send_overhead_seconds_per_byte!r}"

    def receiving(costs: CostRange, _: int) -> str:
        return f"{costs.receive_overhead_seconds!r}:{costs.receive_overhead_seconds_per_byte!r}"

    return {
        "network/crosstraffic": "no",
        "network/TCP-gamma": "0",
        "smpi/send-is-detached-thresh": str(min(pairs.eager_below_bytes, 2**31 - 1)),
        "smpi/os": _by_size(pairs, sending),
        "smpi/or": _by_size(pairs, receiving),
        "smpi/bw-factor": _by_size(pairs, bandwidth_factor),
        "smpi/lat-factor": _by_size(pairs, latency_factor),
    }


def _by_size(pairs: PairClass, text_of: Callable[[CostRange, int], str]) -> str:
    """`size:values` of each range, as SMPI writes a law by size: they hold above the size."""
    law = {max(0, first - 1): text_of(costs, trips) for first, costs, trips in _ranges(pairs)}
    return ";".join(f"{size}:{values}" for size, values in law.items())


def _ranges(pairs: PairClass) -> Iterator[tuple[int, CostRange, int]]:
    """The first size of each range, its costs and the latencies of its messages: a rendezvous begins a range."""
    first, eager = 0, pairs.eager_below_bytes
    for costs in pairs.ranges:
        end = costs.up_to_bytes
        yield first, costs, 1 if first < eager else RENDEZVOUS_LATENCIES
        if first < eager and (end is None or eager <= end):
            yield eager, costs, RENDEZVOUS_LATENCIES
        first = (end or 0) + 1
