"""Reads SimGrid's XML (versions 4 and 4.1) where it describes clusters and what joins them.

Known are `cluster`, zones of routing `Cluster` with a link out and one in for each host, the links and
`zoneRoute`s between them in one zone of routing `Full`, and SMPI's costs by size. All else is refused by name: a
platform that is silently another one would be worse than none.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from xml.etree import ElementTree as Xml
from xml.parsers import expat

from rankwise.core.errors import InputError
from rankwise.core.platform import Platform, PlatformSite
from rankwise.platforms.checking import FASTEST
from rankwise.platforms.simgrid_platform import SPLIT, Found, Link, half, platform_of
from rankwise.platforms.simgrid_values import flops, rate, seconds

MOST_NODES = 1 << 20
_KNOWN = {
    "platform": {"config", "zone", "AS", "cluster"},
    "config": {"prop"},
    "world": {"zone", "AS", "cluster", "link", "zoneRoute", "ASroute"},
    "cluster": {"prop"},
    "site": {"host", "link", "host_link", "router", "prop"},
    "host": {"prop"},
    "route": {"link_ctn"},
}


class _Located(Xml.TreeBuilder):
    """Elements keep the line that they begin in, as the attribute of no XML: ` line`."""

    parser: expat.XMLParserType

    def start(self, tag: str, attrs: dict[str, str]) -> Xml.Element:
        """Begin an element."""
        return super().start(tag, attrs | {" line": str(self.parser.CurrentLineNumber)})


def read_simgrid(text: str, file: str) -> Platform:
    """Return the platform. Raises InputError with file and line for what is no such file, or is not known here."""
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
        words = expat.ErrorString(error.code)
        raise InputError(f"{file}:{error.lineno}: this is not XML: {words}", "correct that line") from error


class _Reader:
    def __init__(self, file: str) -> None:
        self._file = file
        self._found = Found()

    def read(self, top: Xml.Element) -> Platform:
        if top.tag != "platform":
            raise self._refused(top, f"<{top.tag}> is no SimGrid platform", "it begins with <platform version=")
        if not top.get("version", "").startswith("4"):
            raise self._refused(
                top, f"version {top.get('version')} is not read", "simgrid_update_xml brings it to 4.1"
            )
        for one in self._children(top, "platform"):
            if one.tag == "config":
                for prop in self._children(one, "config"):
                    self._found.settings[self._text(prop, "id")] = self._text(prop, "value")
            else:
                self._zone(one)
        if not self._found.sites:
            raise self._refused(top, "there is no cluster in it", "hosts belong to <cluster> or a zone Cluster")
        return platform_of(self._found, self._file)

    # Elements

    def _zone(self, zone: Xml.Element) -> None:
        if zone.tag == "cluster":
            self._cluster(zone)
            return
        routing = zone.get("routing", "")
        if routing.lower() == "cluster":
            self._site(zone)
        elif routing.lower() == "full":
            self._world(zone)
        else:
            raise self._refused(
                zone, f"routing {routing or 'none'} is not known here", "Full, or Cluster for hosts"
            )

    def _world(self, zone: Xml.Element) -> None:
        ways = []
        for one in self._children(zone, "world"):
            if one.tag == "link":
                self._shared_link(one)
            elif one.tag in ("zoneRoute", "ASroute"):
                ways.append(one)
            else:
                self._zone(one)
        for way in ways:
            self._way(way)

    def _cluster(self, cluster: Xml.Element) -> None:
        """Hosts prefix + number + suffix, each with a link of `bw` and `lat`."""
        if cluster.get("topology", "FLAT") not in ("FLAT", ""):
            raise self._refused(cluster, f"the topology {cluster.get('topology')} is not known here", "take FLAT")
        for key in ("bb_bw", "limiter_link", "speed_off"):
            if cluster.get(key):
                raise self._refused(cluster, f"{key} is not known here", "leave it out")
        if cluster.get("sharing_policy", SPLIT) != SPLIT:
            raise self._refused(cluster, "its links are not one for each direction", f"take {SPLIT}")
        list(self._children(cluster, "cluster"))
        name, speed = self._text(cluster, "id"), self._number(cluster, "bw", rate)
        numbers = self._radical(cluster)
        nodes = [f"{cluster.get('prefix', '')}{number}{cluster.get('suffix', '')}" for number in numbers]
        latency = 2 * self._number(cluster, "lat", seconds) + (
            self._number(cluster, "bb_lat", seconds) if cluster.get("bb_lat") else 0.0
        )
        site = PlatformSite(name, tuple(nodes), speed, speed)
        self._add(cluster, site, latency, self._number(cluster, "speed", flops))

    def _radical(self, cluster: Xml.Element) -> list[int]:
        text = self._text(cluster, "radical")
        numbers: list[int] = []
        for part in text.split(","):
            ends = re.fullmatch(r"\s*(\d{1,9})(?:-(\d{1,9}))?\s*", part)
            if not ends or (ends[2] and int(ends[2]) < int(ends[1])):
                raise self._refused(cluster, f"radical {text} is none", "write 0-15, or 1,3,5-7")
            first, last = int(ends[1]), int(ends[2] or ends[1])
            if len(numbers) + last - first >= MOST_NODES:
                raise self._refused(cluster, f"it has more than {MOST_NODES} hosts", "divide it")
            numbers += range(first, last + 1)
        return numbers

    def _site(self, zone: Xml.Element) -> None:
        """A zone of routing Cluster: all its hosts must have links alike, for a site has nodes that are alike."""
        links: dict[str, Link] = {}
        speeds: dict[str, float] = {}
        ways: dict[str, tuple[str, str]] = {}
        for one in self._children(zone, "site"):
            if one.tag == "host":
                list(self._children(one, "host"))
                speeds[self._text(one, "id")] = self._number(one, "speed", flops)
            elif one.tag == "link":
                links[self._text(one, "id")] = self._link(one)
            elif one.tag == "host_link":
                ends = (self._text(one, "up"), self._text(one, "down"))
                for end in ends:
                    if end not in links:
                        raise self._refused(one, f"there is no link {end} before it", "add it to the zone")
                ways[self._text(one, "id")] = ends
        lost = next((host for host in speeds if host not in ways), None)
        if lost or not speeds:
            raise self._refused(zone, f"{lost or 'no host'} has a host_link", "add <host_link id= up= down=/>")
        kinds = {(links[up], links[down]) for up, down in ways.values()}
        if len(kinds) > 1 or len(set(speeds.values())) > 1:
            raise self._refused(zone, "its hosts differ in their links or speed", "make a zone of those alike")
        out, into = kinds.pop()
        site = PlatformSite(self._text(zone, "id"), tuple(speeds), out.rate, into.rate)
        self._add(zone, site, out.latency + into.latency, next(iter(speeds.values())))

    def _add(self, where: Xml.Element, site: PlatformSite, latency: float, speed: float) -> None:
        known = {node for one in self._found.sites for node in one.nodes}
        names = set(site.nodes)
        if site.name in self._found.latencies or len(names) < len(site.nodes) or known & names:
            raise self._refused(where, f"{site.name} or one of its hosts comes twice", "give each its own name")
        self._found.sites.append(site)
        self._found.latencies[site.name] = latency
        self._found.speeds.append(speed)

    def _shared_link(self, link: Xml.Element) -> None:
        """One of policy SPLITDUPLEX is two, each of a direction."""
        name, read = self._text(link, "id"), self._link(link)
        for own in (half(name, up=True), half(name, up=False)) if read.policy == SPLIT else (name,):
            self._found.links[own] = read

    def _link(self, link: Xml.Element) -> Link:
        policy = link.get("sharing_policy", "SHARED")
        if policy not in ("SHARED", "FATPIPE", "SPLITDUPLEX"):
            raise self._refused(link, f"the sharing policy {policy} is not known here", "SHARED, or FATPIPE")
        return Link(self._number(link, "bandwidth", rate), self._number(link, "latency", seconds), policy)

    def _way(self, way: Xml.Element) -> None:
        ends = (self._text(way, "src"), self._text(way, "dst"))
        for end in ends:
            if end not in self._found.latencies:
                raise self._refused(way, f"there is no cluster {end}", "zoneRoute joins two clusters of this zone")
        if ends[0] == ends[1]:
            raise self._refused(way, "it joins a cluster to itself", "leave it out")
        symmetric = way.get("symmetrical", "YES").upper() in ("YES", "TRUE", "1")
        there: list[str] = []
        back: list[str] = []
        for one in self._children(way, "route"):
            name = self._text(one, "id")
            up = one.get("direction", "UP").upper() != "DOWN"
            names = [half(name, up=up), half(name, up=not up)]
            if names[0] not in self._found.links:
                names = [name, name]
            if names[0] not in self._found.links:
                raise self._refused(one, f"there is no link {name}", "add it before")
            there.append(names[0])
            back.insert(0, names[1])
        for pair, links in ((ends, there), *([(ends[::-1], back)] if symmetric else [])):
            if pair in self._found.ways and pair == ends:
                raise self._refused(way, f"there are two routes from {pair[0]} to {pair[1]}", "keep one")
            self._found.ways.setdefault(pair, links)

    # Values

    def _children(self, above: Xml.Element, kind: str) -> Iterator[Xml.Element]:
        for one in above:
            if one.tag not in _KNOWN[kind]:
                known = ", ".join(sorted(_KNOWN[kind]))
                raise self._refused(one, f"<{one.tag}> in <{above.tag}> is not known here", f"known: {known}")
            yield one

    def _text(self, element: Xml.Element, key: str) -> str:
        value = element.get(key)
        if not value:
            raise self._refused(element, f"<{element.tag}> has no {key}", f'write {key}="..."')
        return value

    def _number(self, element: Xml.Element, key: str, read: Callable[[str], float | None]) -> float:
        text = self._text(element, key)
        value = read(text)
        if value is None or value > FASTEST:
            raise self._refused(element, f"{key}: {text} is no number with a known unit", "as 125MBps, 50us, 1Gf")
        return value

    def _refused(self, element: Xml.Element, reason: str, remedy: str) -> InputError:
        return InputError(f"{self._file}:{element.get(' line', '1')}: {reason}", remedy)
