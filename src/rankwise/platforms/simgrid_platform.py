"""A platform from a SimGrid file: sites of hosts that are alike, and the links that their messages share."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import product

from rankwise.core.errors import InputError
from rankwise.core.platform import (
    ContentionModel,
    CostRange,
    PairClass,
    Platform,
    PlatformLink,
    PlatformSite,
    Provenance,
    Route,
)
from rankwise.core.units import short
from rankwise.platforms.checking import FASTEST, LONGEST_ROUTE
from rankwise.platforms.simgrid_routes import CLUSTER, Network, Star
from rankwise.platforms.simgrid_settings import DEFAULT_GAMMA, Settings

MOST_SITES = 128
LOOPBACK = "<loopback>"
"""The link of a host to itself that SimGrid adds where the file has none; `<` is in no name of a file."""
Pair = tuple[str, str]


@dataclass(slots=True)
class Found:
    """What was read of a file."""

    network: Network
    speeds: dict[str, float] = field(default_factory=dict)
    """Of each host, in the order of the file."""
    gateways: set[str] = field(default_factory=set)
    settings: Settings = field(default_factory=Settings)
    unused: dict[str, None] = field(default_factory=dict)
    """Elements and attributes without effect on messages, in the order of the file."""


@dataclass(frozen=True, slots=True)
class _Path:
    """What a message takes: all its links, its latency, and the slowest of its links."""

    links: tuple[str, ...]
    latency: float
    slowest: float


def platform_of(contents: Found, file: str) -> Platform:
    """Return the platform. Raises InputError for what a platform cannot be."""
    return _Building(contents, file).platform()


class _Building:
    def __init__(self, contents: Found, file: str) -> None:
        self._found, self._file, self._network = contents, file, contents.network
        self._links = contents.network.links
        self._classes: dict[tuple[float, float], PairClass] = {}
        self._latest = 0.0
        """The longest latency that SimGrid's own TCP-gamma would make slower."""

    def platform(self) -> Platform:
        _make_alike(self._found)
        groups = self._groups()
        if len(groups) > MOST_SITES:
            raise InputError(
                f"{self._file}: {len(groups)} hosts or groups of hosts with links of their own kind: each is a "
                f"site, and a platform read from SimGrid has at most {MOST_SITES}",
                "leave hosts out, or write those that are alike as <cluster>",
            )
        sites = {name: self._site(name, hosts) for name, hosts in groups.items()}
        paths = {
            (group, other): self._path(groups[group][0], groups[other][group == other])
            for group, other in product(groups, groups)
            if group != other or len(groups[group]) > 1
        }
        shared = self._shared(paths)
        same = self._same_node(groups)
        routes = []
        for source, other in product(groups, groups):
            path = paths.get((source, other), same)
            name = f"within {source}" if source == other else f"{source} - {other}"
            routes.append(Route(source, other, self._class(name, path), shared.get((source, other), ())))
        same_node = self._class("same node", same)
        used = dict.fromkeys(link for links in shared.values() for link in links)
        speed = min(self._found.speeds.values())
        return Platform(
            tuple(sites.values()), tuple(routes), tuple(self._classes.values()),
            same_node, tuple(PlatformLink(name, self._links[name].rate) for name in used),
            (ContentionModel("max-min"),), flops_per_second=speed,
            provenance=Provenance(testbed=f"SimGrid: {self._file}"), not_identified=self._notices(groups),
        )  # fmt: skip

    def _groups(self) -> dict[str, list[str]]:
        """Hosts that are alike: of one zone Cluster, with links to it that are alike, and no gateways."""
        alike: dict[object, list[str]] = {}
        for host in self._found.speeds:
            zone = self._network.zone_of[host]
            star = zone.stars.get(host)
            alone = zone.routing != CLUSTER or star is None or host in self._found.gateways
            key = host if alone or star is None else (id(zone), star.up, star.down)
            alike.setdefault(key, []).append(host)
        named: dict[str, list[str]] = {}
        for hosts in alike.values():
            zone = self._network.zone_of[hosts[0]]
            whole = len(hosts) > 1 or len(zone.stars) == 1
            name = zone.name if whole and zone.name not in named else hosts[0]
            while name in named:
                name += "'"
            named[name] = hosts
        return named

    def _site(self, name: str, hosts: list[str]) -> PlatformSite:
        star = self._network.zone_of[hosts[0]].stars.get(hosts[0], Star())
        rates = []
        for links in (star.up, star.down):
            own = (self._links[link] for link in links)
            rates.append(min((link.rate for link in own if link.each and link.shared), default=FASTEST))
        return PlatformSite(name, tuple(hosts), *rates)

    def _path(self, source: str, target: str) -> _Path:
        links = self._network.route(source, target)
        if not links:
            raise InputError(f"{self._file}: no link from {source} to {target}", "add a route of links")
        used = [self._links[link] for link in links]
        return _Path(links, sum(link.latency for link in used), min(link.rate for link in used))

    def _shared(self, paths: Mapping[Pair, _Path]) -> dict[Pair, tuple[str, ...]]:
        """The links of each route that belong to no interface and that its messages share."""
        shared = {}
        for pair, path in paths.items():
            own = [link for link in path.links if self._links[link].shared and not self._links[link].each]
            twice = next((link for link in own if own.count(link) > 1), None)
            if twice:
                raise InputError(
                    f"{self._file}: {pair[0]} to {pair[1]} crosses the link {twice} twice: SimGrid counts it "
                    "twice, and a platform has no place for that", "give each direction a link, as SPLITDUPLEX",
                )  # fmt: skip
            shared[pair] = tuple(own)
        if any(len(links) > LONGEST_ROUTE for links in shared.values()):
            shared = self._without_the_idle(shared)
        long = next((pair for pair, links in shared.items() if len(links) > LONGEST_ROUTE), None)
        if long:
            raise InputError(
                f"{self._file}: {long[0]} to {long[1]} crosses {len(shared[long])} links that others share: "
                f"{short(', '.join(shared[long]))}; a platform's route has at most {LONGEST_ROUTE}",
                "leave out those that are never the slowest",
            )
        return shared

    def _without_the_idle(self, shared: dict[Pair, tuple[str, ...]]) -> dict[Pair, tuple[str, ...]]:
        """Leave out links that never limit: all their messages also cross one that is no faster."""
        users: dict[str, set[Pair]] = {}
        for pair, links in shared.items():
            for link in links:
                users.setdefault(link, set()).add(pair)
        idle: set[str] = set()
        for link, pairs in users.items():
            others = (other for other in shared[next(iter(pairs))] if other != link and other not in idle)
            rate = self._links[link].rate
            if any(self._links[other].rate <= rate and pairs <= users[other] for other in others):
                idle.add(link)
        return {pair: tuple(name for name in links if name not in idle) for pair, links in shared.items()}

    def _same_node(self, groups: Mapping[str, list[str]]) -> _Path:
        """Of two ranks of one host: the first host's way to itself."""
        settings = self._found.settings
        own = _Path((LOOPBACK,), settings.loopback_latency, settings.loopback_rate)
        ways = []
        for hosts in groups.values():
            zone = self._network.zone_of[hosts[0]]
            star = zone.stars.get(hosts[0], Star())
            direct = (hosts[0], hosts[0]) in zone.edges or star != Star()
            ways.append(self._path(hosts[0], hosts[0]) if direct else own)
        costs = {(way.latency, way.slowest) for way in ways}
        if len(costs) > 1:
            self._found.unused[f"the loopback of other hosts than {next(iter(self._found.speeds))}"] = None
        return ways[0]

    def _class(self, name: str, path: _Path) -> str:
        """The name of the class with these costs."""
        settings = self._found.settings
        if settings.gamma is None and path.latency * 2 * path.slowest > DEFAULT_GAMMA:
            self._latest = max(self._latest, path.latency)
        most = settings.slowest_rate(path.slowest, path.latency)
        if (path.latency, most) not in self._classes:
            ranges: tuple[CostRange, ...] = tuple(settings.ranges(path.latency, most))
            self._classes[path.latency, most] = PairClass(name, ranges, settings.eager_below)
        return self._classes[path.latency, most].name

    def _notices(self, groups: Mapping[str, list[str]]) -> dict[str, str]:
        notices = {"models": "the file has no alpha or kappa: max-min is what SimGrid does"}
        notices |= dict(self._found.settings.notices())
        notices |= dict(self._own_notices(groups))
        return notices

    def _own_notices(self, groups: Mapping[str, list[str]]) -> Iterator[Pair]:
        if self._latest:
            own = f"SimGrid's own, {DEFAULT_GAMMA:.0f}, would slow messages on routes of {self._latest:g} s"
            yield "network/TCP-gamma", f"the file has none, and none is taken: {own}"
        slowest, fastest = min(self._found.speeds.values()), max(self._found.speeds.values())
        if slowest < fastest:
            yield (
                "flops_per_second",
                (f"hosts compute with {slowest:g} to {fastest:g} flop/s; a platform has one speed: the slowest"),
            )
        if self._network.ambiguous:
            yield (
                "routes",
                (f"several routes of as many links join {self._network.ambiguous}: SimGrid may take another one"),
            )
        if self._found.unused:
            yield "elements", f"not used: {', '.join(self._found.unused)}"


def _make_alike(contents: Found) -> None:
    """Give links of a zone Cluster that are alike one name, where each carries one direction of one host."""
    network = contents.network
    uses: dict[str, int] = {}
    zones = dict.fromkeys(network.zone_of.values())
    for zone in zones:
        lists = [edge.links for edge in zone.edges.values()]
        stars = {id(star): star for star in zone.stars.values()}.values()  # those of a <cluster> are one
        lists += [links for star in stars for links in (star.up, star.down, star.loopback)]
        for links in lists:
            for link in links:
                uses[link] = uses.get(link, 0) + 1
    for zone in zones:
        made: dict[Star, Star] = {}
        for host, star in zone.stars.items():
            if host in contents.gateways:
                zone.stars[host] = _own_links(network, star, host)
                continue
            if star not in made:
                up = _alike(network, f"{zone.name} out", star.up, uses)
                made[star] = replace(star, up=up, down=_alike(network, f"{zone.name} in", star.down, uses))
            zone.stars[host] = made[star]


def _alike(network: Network, kind: str, links: tuple[str, ...], uses: Mapping[str, int]) -> tuple[str, ...]:
    def named(at: int, name: str) -> str:
        link = network.links[name]
        if uses[name] > 1 or link.each:
            return name
        common = f"<{kind} {at} {link.rate!r} {link.latency!r} {link.shared}>"
        network.links.setdefault(common, replace(link, each=True))
        return common

    return tuple(named(at, name) for at, name in enumerate(links))


def _own_links(network: Network, star: Star, host: str) -> Star:
    """Name what is a gateway's own after it: messages of other hosts cross it as well."""

    def named(name: str) -> str:
        link = network.links[name]
        if not link.each:
            return name
        network.links[f"{host}: {name}"] = replace(link, each=False)
        return f"{host}: {name}"

    return replace(star, up=tuple(map(named, star.up)), down=tuple(map(named, star.down)))
