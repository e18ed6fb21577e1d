"""Reads SimGrid's platforms: XML of the versions 4 and 4.1.

    platform = (config)* (zone | AS | cluster)* (actor | process)*
    zone     = prop* then either (zone | AS | cluster | link)* (zoneRoute | ASroute)*
               or (host | router | link | host_link | backbone | cabinet)* (route)*
    route    = (link_ctn)*

References: simgrid.dtd 4.1, and SimGrid 3.32 (src/surf/xml/surfxml_sax_cb.cpp, src/surf/sg_platf.cpp), which reads
what is accepted here; docs/formats.md has what is used, left out with a notice, and refused. What is not in the
tables below is refused by name: a platform that is silently another one would be worse than none.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from xml.etree import ElementTree as Xml
from xml.parsers import expat

from rankwise.core.errors import InputError
from rankwise.core.platform import Platform
from rankwise.core.units import short, whole_number
from rankwise.platforms.checking import FASTEST
from rankwise.platforms.simgrid_platform import MOST_SITES, Found, platform_of
from rankwise.platforms.simgrid_routes import (
    CLUSTER,
    DEEPEST,
    DIJKSTRA,
    FLOYD,
    FULL,
    NONE,
    Edge,
    Link,
    Network,
    Star,
    Zone,
)
from rankwise.platforms.simgrid_values import flops, rate, seconds

MOST_NODES = 1 << 20
MOST_BYTES = 1 << 25
_ROUTINGS = {"cluster": CLUSTER, "full": FULL, "floyd": FLOYD, "dijkstra": DIJKSTRA, "dijkstracache": DIJKSTRA,
             "none": NONE}  # fmt: skip
_SPLIT = ("SPLITDUPLEX", "FULLDUPLEX")
_ZONE = "prop zone AS cluster link zoneRoute ASroute host router host_link backbone cabinet route"
_CHILDREN = {name: frozenset(children.split()) for name, children in {
    "platform": "config zone AS cluster actor process",
    "config": "prop", "zone": _ZONE, "AS": _ZONE, "cluster": "prop", "host": "prop disk", "disk": "prop",
    "link": "prop", "route": "link_ctn", "zoneRoute": "link_ctn", "ASroute": "link_ctn",
    "actor": "argument prop", "process": "argument prop",
}.items()}  # fmt: skip
_USED = {name: frozenset(attributes.split()) for name, attributes in {
    "platform": "version", "config": "id", "prop": "id value", "zone": "id routing", "AS": "id routing",
    "host": "id speed pstate", "router": "id", "link": "id bandwidth latency sharing_policy",
    "host_link": "id up down", "backbone": "id bandwidth latency",
    "cabinet": "id prefix suffix radical speed bw lat",
    "cluster": "id prefix suffix radical speed bw lat sharing_policy topology bb_bw bb_lat bb_sharing_policy "
               "router_id limiter_link loopback_bw loopback_lat",
    "route": "src dst symmetrical", "zoneRoute": "src dst gw_src gw_dst symmetrical",
    "ASroute": "src dst gw_src gw_dst symmetrical", "link_ctn": "id direction",
}.items()}  # fmt: skip
"""Attributes that are read."""
_NO_EFFECT = {"host": {"core", "coordinates"}, "router": {"coordinates"}, "cluster": {"core", "topo_parameters"}}
"""Attributes without effect on messages: listed in a notice."""
_OVER_TIME = {"speed_file", "availability_file", "state_file", "bandwidth_file", "latency_file"}
_WITHOUT_EFFECT = {"actor", "process", "disk"}
"""Elements without effect on messages: listed in a notice. `prop` outside `config` is a comment."""


class _Located(Xml.TreeBuilder):
    """Elements keep the line that they begin in, as the attribute of no XML: ` line`."""

    parser: expat.XMLParserType

    def start(self, tag: str, attrs: dict[str, str]) -> Xml.Element:
        """Begin an element."""
        return super().start(tag, attrs | {" line": str(self.parser.CurrentLineNumber)})


def read_simgrid(text: str, file: str) -> Platform:
    """Return the platform. Raises InputError, with file and line, for what is invalid or not supported."""
    return _Reader(file).read(_parsed(text, file))


def _parsed(text: str, file: str) -> Xml.Element:
    builder = _Located()
    builder.parser = parser = expat.ParserCreate()
    parser.StartElementHandler = builder.start
    parser.EndElementHandler = builder.end

    def refuse(*_: object) -> None:
        raise InputError(
            f"{file}:{parser.CurrentLineNumber}: entities of its own are not read", "write what they stand for"
        )

    parser.EntityDeclHandler = refuse
    try:
        parser.Parse(text.encode("utf-8", "surrogatepass"), True)
        return builder.close()
    except expat.ExpatError as error:
        reason = expat.ErrorString(error.code)
        raise InputError(f"{file}:{error.lineno}: this is not XML: {reason}", "correct that line") from error


class _Reader:
    def __init__(self, file: str) -> None:
        self._file = file
        self._network = Network(file)
        self._found = Found(self._network)
        self._split: set[str] = set()
        """Links of which each direction is one."""
        self._zones: set[str] = set()

    def read(self, top: Xml.Element) -> Platform:
        if top.tag != "platform":
            raise self._refused(
                top, f"<{short(top.tag)}> is not a SimGrid platform", "it begins with <platform version="
            )
        if not re.fullmatch(r"4(\.[01]0*)?", top.get("version", "")):
            raise self._refused(
                top, f"version {top.get('version')} is not read", "simgrid_update_xml brings it to 4.1"
            )
        world = Zone("", FULL)
        for child in self._children(top):
            if child.tag == "config":
                for prop in self._children(child):
                    self._set(prop)
            elif child.tag not in _WITHOUT_EFFECT:
                self._zone(child, world)
        if not self._found.speeds:
            raise self._refused(top, "no hosts given", "hosts belong to <cluster> or a zone")
        return platform_of(self._found, self._file)

    def _set(self, prop: Xml.Element) -> None:
        def refused(reason: str, remedy: str) -> InputError:
            return self._refused(prop, reason, remedy)

        self._found.settings.set(self._text(prop, "id"), self._text(prop, "value"), refused)

    # Zones

    def _zone(self, element: Xml.Element, above: Zone) -> None:
        name = self._text(element, "id")
        if name in self._zones or name in self._network.zone_of:
            raise self._refused(element, f"{name} comes twice", "give each zone and host its own name")
        self._zones.add(name)
        if element.tag == "cluster":
            self._cluster(element, Zone(name, CLUSTER, above))
            return
        routing = element.get("routing", "")
        if routing.lower() not in _ROUTINGS:
            known = "Full, Floyd, Dijkstra, Cluster, None"
            raise self._refused(element, f"routing {short(routing) or 'none'} is not supported", f"known: {known}")
        zone = Zone(name, _ROUTINGS[routing.lower()], above)
        if len(zone.path()) > DEEPEST:
            raise self._refused(element, f"more than {DEEPEST} zones within zones", "leave some out")
        children = list(self._children(element))
        for part in children:
            self._part(part, zone)
        backbone = tuple(self._text(child, "id") for child in children if child.tag == "backbone")[:1]
        for part in children:  # last, as SimGrid: with the backbone
            if part.tag == "cabinet":
                self._cabinet(part, zone, backbone)
            elif part.tag == "host_link":
                self._host_link(part, zone, backbone)

    def _part(self, element: Xml.Element, zone: Zone) -> None:
        """Read what a zone consists of, but for the links of the hosts of a zone Cluster."""
        match element.tag:
            case "zone" | "AS" | "cluster":
                self._zone(element, zone)
            case "link":
                self._link(element)
            case "host":
                self._host(element, zone)
            case "router":
                self._netpoint(element, self._text(element, "id"), zone)
            case "route" | "zoneRoute" | "ASroute":
                self._way(element, zone)
            case "backbone" | "host_link" | "cabinet" if zone.routing != CLUSTER:
                raise self._refused(element, f"<{element.tag}> outside a zone of routing Cluster", "move it there")
            case "backbone":
                self._add_link(element, self._text(element, "id"), self._rated(element, "bandwidth", "latency"))

    def _host(self, element: Xml.Element, zone: Zone) -> None:
        state = whole_number(element.get("pstate", "0").removesuffix(".0"))
        for disk in self._children(element):
            list(self._children(disk))
        if state is None:
            raise self._refused(
                element, f"pstate: {short(element.get('pstate', ''))} is not a number", "from 0 on"
            )
        speed = self._number(element, "speed", lambda text: flops(text, state))
        self._add_host(element, self._text(element, "id"), zone, speed)

    def _add_host(self, where: Xml.Element, name: str, zone: Zone, speed: float) -> None:
        self._netpoint(where, name, zone)
        self._found.speeds[name] = speed

    def _netpoint(self, where: Xml.Element, name: str, zone: Zone) -> None:
        if name in self._network.zone_of or name in self._zones:
            raise self._refused(where, f"{short(name)} comes twice", "give each zone and host its own name")
        self._network.zone_of[name] = zone

    # Zones Cluster

    def _cluster(self, cluster: Xml.Element, zone: Zone) -> None:
        """Hosts prefix + number + suffix, each with a link of `bw` and `lat`, or two; all with the backbone."""
        topology = cluster.get("topology") or "FLAT"
        if topology != "FLAT":
            raise self._refused(
                cluster, f"topology {short(topology)}: its hosts share links within it, each pair others, and "
                "a platform has links between sites alone", "FLAT is known, which is another network",
            )  # fmt: skip
        list(self._children(cluster))
        policy = self._policy(cluster, "sharing_policy", _SPLIT[0], (*_SPLIT, "SHARED", "FATPIPE"))
        hosts, speed = self._hosts(cluster), self._number(cluster, "speed", flops)
        link = self._rated(cluster, "bw", "lat")
        bus = self._policy(cluster, "bb_sharing_policy", "SHARED", ("SHARED", "FATPIPE"))
        after = self._optional(cluster, f"{zone.name}_backbone", "bb", shared=bus == "SHARED")
        loopback = self._optional(cluster, f"{zone.name}_loopback", "loopback", shared=False)
        limiter = Link(self._number(cluster, "limiter_link", rate), 0.0) if cluster.get("limiter_link") else None
        own = policy not in _SPLIT or limiter is not None
        if own and len(hosts) > MOST_SITES:
            raise self._refused(
                cluster, f"each of its {len(hosts)} hosts has a link that both directions share: each is a site, "
                f"and a platform read from SimGrid has at most {MOST_SITES}", "leave hosts out",
            )  # fmt: skip
        star = Star((f"{zone.name}_link_UP", *after), (*after, f"{zone.name}_link_DOWN"), loopback)
        if not own:
            for name in (star.up[0], star.down[-1]):
                self._add_link(cluster, name, replace(link, each=True))
        for host in hosts:
            if own:
                # SimGrid 3.32 to 4.1 share the links of a cluster of policy FATPIPE too
                star = self._own_star(cluster, f"{zone.name}_link: {host}", link, limiter, policy in _SPLIT)
                star = Star((*star.up, *after), (*after, *star.down), loopback)
            self._add_host(cluster, host, zone, speed)
            zone.stars[host] = star
        router = (
            cluster.get("router_id") or f"{cluster.get('prefix', '')}{zone.name}_router{cluster.get('suffix', '')}"
        )
        self._netpoint(cluster, router, zone)

    def _own_star(self, where: Xml.Element, name: str, link: Link, limiter: Link | None, split: bool) -> Star:
        first: tuple[str, ...] = ()
        if limiter:
            self._add_link(where, f"{name} limiter", limiter)
            first = (f"{name} limiter",)
        names = (f"{name}_UP", f"{name}_DOWN") if split else (name, name)
        for link_name in dict.fromkeys(names):
            self._add_link(where, link_name, link)
        return Star((*first, names[0]), (names[1], *first))

    def _optional(self, cluster: Xml.Element, name: str, kind: str, *, shared: bool) -> tuple[str, ...]:
        """The backbone or the loopbacks of a cluster, if it has any."""
        latency = self._number(cluster, f"{kind}_lat", seconds) if cluster.get(f"{kind}_lat") else 0.0
        if cluster.get(f"{kind}_bw"):
            self._add_link(cluster, name, Link(self._number(cluster, f"{kind}_bw", rate), latency, shared))
            return (name,)
        if latency:
            raise self._refused(cluster, f"it has {kind}_lat and no {kind}_bw", f"write {kind}_bw")
        return ()

    def _hosts(self, element: Xml.Element) -> list[str]:
        text = self._text(element, "radical")
        numbers: list[int] = []
        for part in text.split(","):
            ends = re.fullmatch(r"\s*(\d{1,9})(?:-(\d{1,9}))?\s*", part)
            if not ends or (ends[2] and int(ends[2]) < int(ends[1])):
                raise self._refused(element, f"invalid radical {short(text)}", "write 0-15, or 1,3,5-7")
            first, last = int(ends[1]), int(ends[2] or ends[1])
            if len(self._found.speeds) + len(numbers) + last - first >= MOST_NODES:
                raise self._refused(element, f"there are more than {MOST_NODES} hosts", "leave some out")
            numbers += range(first, last + 1)
        return [f"{element.get('prefix', '')}{number}{element.get('suffix', '')}" for number in numbers]

    def _cabinet(self, cabinet: Xml.Element, zone: Zone, backbone: tuple[str, ...]) -> None:
        """Hosts with a link for each direction."""
        link = replace(self._rated(cabinet, "bw", "lat"), each=True)
        name, speed = self._text(cabinet, "id"), self._number(cabinet, "speed", flops)
        names = [f"{zone.name}: {name}_UP", f"{zone.name}: {name}_DOWN"]
        for link_name in names:
            self._add_link(cabinet, link_name, link)
        star = Star((names[0], *backbone), (*backbone, names[1]))
        for host in self._hosts(cabinet):
            self._add_host(cabinet, host, zone, speed)
            zone.stars[host] = star

    def _host_link(self, element: Xml.Element, zone: Zone, backbone: tuple[str, ...]) -> None:
        host = self._text(element, "id")
        if host not in self._found.speeds or self._network.zone_of[host] is not zone:
            raise self._refused(element, f"unknown host {short(host)} in the zone", "add it to the zone")
        ends = [self._text(element, which) for which in ("up", "down")]
        for end in ends:
            if end not in self._network.links:
                split = ", which has a link for each direction: _UP, _DOWN" if end in self._split else ""
                raise self._refused(element, f"unknown link {short(end)}{split}", "add it to the zone")
        loopback = zone.stars.get(host, Star()).loopback
        zone.stars[host] = Star((ends[0], *backbone), (*backbone, ends[1]), loopback)

    # Links and routes

    def _link(self, link: Xml.Element) -> None:
        """One of policy SPLITDUPLEX is two, each of a direction."""
        list(self._children(link))
        name = self._text(link, "id")
        policy = self._policy(link, "sharing_policy", "SHARED", ("SHARED", "FATPIPE", *_SPLIT))
        read = replace(self._rated(link, "bandwidth", "latency"), shared=policy != "FATPIPE")
        if policy in _SPLIT:
            self._split.add(name)
        for own in _halves(name) if policy in _SPLIT else (name,):
            self._add_link(link, own, read)

    def _rated(self, element: Xml.Element, bandwidth: str, latency: str) -> Link:
        lag = self._number(element, latency, seconds) if element.get(latency) or element.tag != "link" else 0.0
        return Link(self._number(element, bandwidth, rate), lag)

    def _add_link(self, where: Xml.Element, name: str, link: Link) -> None:
        if name in self._network.links:
            raise self._refused(where, f"there are two links {short(name)}", "rename one of them")
        self._network.links[name] = link

    def _policy(self, element: Xml.Element, key: str, default: str, known: Sequence[str]) -> str:
        policy = element.get(key) or default
        if policy not in known:
            raise self._refused(
                element, f"the {key} {short(policy)} is not supported", f"known: {', '.join(known)}"
            )
        return policy

    def _way(self, way: Xml.Element, zone: Zone) -> None:
        between_zones = way.tag != "route"
        ends = (self._text(way, "src"), self._text(way, "dst"))
        gateways = (self._text(way, "gw_src"), self._text(way, "gw_dst")) if between_zones else None
        for at, end in enumerate(ends):
            if between_zones and end not in self._zones:
                raise self._refused(way, f"unknown zone {short(end)}", f"{way.tag} joins two zones of this zone")
            if not between_zones and self._network.zone_of.get(end) is not zone:
                raise self._refused(way, f"unknown host {short(end)} in the zone", "route joins hosts of its zone")
            if gateways:
                within = self._network.zone_of.get(gateways[at])
                if within is None or end not in [enclosing.name for enclosing in within.path()]:
                    raise self._refused(
                        way, f"no host or router {short(gateways[at])} in {short(end)}", "name a gateway"
                    )
        there, back = self._links_of(way)
        if zone.routing == CLUSTER:
            if between_zones or ends[0] != ends[1]:
                raise self._refused(way, "a zone Cluster has no routes, but of a host to itself", "leave it out")
            zone.stars[ends[0]] = replace(zone.stars.get(ends[0], Star()), loopback=there)
            return
        if zone.routing == NONE:
            raise self._refused(way, "a zone of routing None has no routes", "take Full")
        symmetric = way.get("symmetrical", "YES").upper() in ("YES", "TRUE", "1") and ends[0] != ends[1]
        edges = [(ends, Edge(there, gateways))]
        if symmetric:
            edges.append((ends[::-1], Edge(back, gateways and gateways[::-1])))
        for pair, edge in edges:
            if pair in zone.edges:
                raise self._refused(way, f"there are two routes from {pair[0]} to {pair[1]}", "keep one")
            zone.edges[pair] = edge
        self._found.gateways |= set(gateways or ())

    def _links_of(self, way: Xml.Element) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The links of a route, and of its way back."""
        there: list[str] = []
        back: list[str] = []
        for element in self._children(way):
            name, direction = self._text(element, "id"), element.get("direction", "NONE").upper()
            names = [name, name]
            if name not in self._split and name not in self._network.links:
                raise self._refused(element, f"unknown link {short(name)}", "add it before")
            if direction in ("UP", "DOWN"):
                if name not in self._split:
                    raise self._refused(
                        element, f"the link {short(name)} has no directions", "leave out direction"
                    )
                names = list(_halves(name))[:: 1 if direction == "UP" else -1]
            elif name in self._split:
                raise self._refused(element, f"{short(name)} has two directions", "write direction= UP or DOWN")
            there.append(names[0])
            back.insert(0, names[1])
        if not there:
            raise self._refused(way, "it has no links", "add <link_ctn id=")
        return tuple(there), tuple(back)

    # Values

    def _children(self, above: Xml.Element) -> Iterator[Xml.Element]:
        known = _CHILDREN.get(above.tag, frozenset())
        self._attributes(above)
        for child in above:
            if child.tag not in known:
                listed = ", ".join(sorted(known)) or "nothing"
                raise self._refused(
                    child, f"<{short(child.tag)}> in <{above.tag}> is not supported", f"known: {listed}"
                )
            if child.tag not in _CHILDREN:
                self._attributes(child)
            if child.tag in _WITHOUT_EFFECT:
                self._found.unused[f"<{child.tag}>"] = None
            yield child

    def _attributes(self, element: Xml.Element) -> None:
        """Refuse attributes that are not known, and name those that have no effect."""
        tag = element.tag
        if tag in _WITHOUT_EFFECT or tag == "argument":
            return
        for key, value in element.items():
            if key in _NO_EFFECT.get(tag, ()):
                if value not in ("", "1"):
                    self._found.unused[f"{key} of <{tag}>"] = None
            elif key in _OVER_TIME:
                if value:
                    raise self._refused(element, f"{key}: what changes over time is not supported", "leave it out")
            elif key != " line" and key not in _USED.get(tag, ()):
                raise self._refused(element, f"{short(key)} of <{tag}> is not supported", "leave it out")

    def _text(self, element: Xml.Element, key: str) -> str:
        value = element.get(key)
        if not value:
            raise self._refused(element, f"<{element.tag}> has no {key}", f'write {key}="..."')
        return value

    def _number(self, element: Xml.Element, key: str, read: Callable[[str], float | None]) -> float:
        text = self._text(element, key)
        value = read(text)
        if value is None or value > FASTEST:
            raise self._refused(
                element, f"{key}: {short(text)} is not a number with a known unit", "as 125MBps, 50us, 1Gf"
            )
        return value

    def _refused(self, element: Xml.Element, reason: str, remedy: str) -> InputError:
        return InputError(f"{self._file}:{element.get(' line', '1')}: {reason}", remedy)


def _halves(name: str) -> tuple[str, str]:
    """The names of both directions of a link that is split, as SimGrid calls them."""
    return f"{name}_UP", f"{name}_DOWN"
