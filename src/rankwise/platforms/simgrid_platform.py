"""A platform from what a SimGrid file says: sites, the links that join them, and SMPI's costs by size."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
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
from rankwise.platforms.checking import LONGEST_ROUTE
from rankwise.platforms.simgrid_values import by_size, rate, seconds

EAGER_BELOW = 65536
"""SMPI's own default of smpi/send-is-detached-thresh."""
SPLIT = "SPLITDUPLEX"
RENDEZVOUS_TRIPS = 3
LEAST_FACTOR = 1e-9
_LAWS = {"os": (0.0, 0.0), "or": (0.0, 0.0), "bw-factor": (1.0,), "lat-factor": (1.0,)}
"""SMPI's laws by size, and what they are here where the file has none."""
Law = dict[int, tuple[float, ...]]


@dataclass(frozen=True, slots=True)
class Link:
    """A link: bytes a second, seconds, and whether its messages share it (FATPIPE: they do not)."""

    rate: float
    latency: float
    policy: str


@dataclass(slots=True)
class Found:
    """What was read of a file."""

    sites: list[PlatformSite] = field(default_factory=list)
    latencies: dict[str, float] = field(default_factory=dict)
    """Of a message within each site."""
    speeds: list[float] = field(default_factory=list)
    links: dict[str, Link] = field(default_factory=dict)
    ways: dict[tuple[str, str], list[str]] = field(default_factory=dict)
    """The links from site to site."""
    settings: dict[str, str] = field(default_factory=dict)


def half(name: str, *, up: bool) -> str:
    """Return the name of one direction of a link that is split, as SimGrid calls it."""
    return f"{name}_UP" if up else f"{name}_DOWN"


def platform_of(found: Found, file: str) -> Platform:
    """Return the platform. Raises InputError for what a platform cannot be."""
    if len(set(found.speeds)) > 1:
        raise InputError(
            f"{file}: its clusters compute at different speeds", "divide it: a platform has one speed"
        )
    return _Building(found, file).platform()


class _Building:
    def __init__(self, found: Found, file: str) -> None:
        self._found, self._file = found, file
        self._sites = {site.name: site for site in found.sites}
        self._eager = _whole_number(found.settings.get("smpi/send-is-detached-thresh", ""), EAGER_BELOW)
        self._laws = {key: self._law(key, default) for key, default in _LAWS.items()}
        self._classes: dict[str, PairClass] = {}
        self._links: dict[str, PlatformLink] = {}

    def platform(self) -> Platform:
        routes = tuple(self._route(*ends) for ends in product(self._sites, self._sites))
        unknown = {"models": "the file says nothing of alpha or kappa: max-min is what SimGrid does"}
        same = self._same_node() or next(iter(self._classes.values()))
        if same.name in self._classes:
            unknown["same_node"] = "the file says nothing of two ranks of a host: a class of the network is taken"
        if not any(f"smpi/{key}" in self._found.settings for key in _LAWS):
            unknown["classes"] = "the file has no costs by size: SMPI would take its own, and here there are none"
        self._classes[same.name] = same
        return Platform(
            tuple(self._sites.values()), routes, tuple(self._classes.values()), same.name,
            tuple(self._links.values()), (ContentionModel("max-min"),), flops_per_second=self._found.speeds[0],
            provenance=Provenance(testbed=f"SimGrid: {self._file}"), not_identified=unknown,
        )  # fmt: skip

    def _route(self, source: str, destination: str) -> Route:
        if source == destination:
            name, links, latency = f"within {source}", [], self._found.latencies[source]
        elif (source, destination) in self._found.ways:
            name = f"{source} - {destination}"
            links = self._found.ways[source, destination]
            ends = self._found.latencies[source] + self._found.latencies[destination]
            latency = ends / 2 + sum(self._found.links[one].latency for one in links)
        else:
            raise InputError(f"{self._file}: there is no zoneRoute from {source} to {destination}", "add one")
        shared = tuple(one for one in links if self._found.links[one].policy != "FATPIPE")
        if len(shared) > LONGEST_ROUTE or len(set(shared)) < len(shared):
            raise InputError(
                f"{self._file}: {source} to {destination}: more than {LONGEST_ROUTE} links, or one twice",
                "leave out those that are never the slowest",
            )
        limit = min(
            self._sites[source].out_bytes_per_second, self._sites[destination].in_bytes_per_second,
            *(self._found.links[one].rate for one in links),
        )  # fmt: skip
        self._classes[name] = PairClass(name, tuple(self._ranges(latency, limit)), self._eager)
        self._links |= {one: PlatformLink(one, self._found.links[one].rate) for one in shared}
        return Route(source, destination, name, shared)

    def _same_node(self) -> PairClass | None:
        """Of two ranks of one host: the loopback's costs, if the file has any."""
        settings = self._found.settings
        bandwidth = rate(settings.get("network/loopback-bw", ""))
        latency = seconds(settings.get("network/loopback-lat", ""))
        if not bandwidth or latency is None:
            return None
        costs = CostRange(latency_seconds=latency, gap_seconds_per_byte=1 / bandwidth)
        return PairClass("same node", (costs,), self._eager)

    def _law(self, key: str, default: tuple[float, ...]) -> Law:
        text = self._found.settings.get(f"smpi/{key}", "")
        law = by_size(text, len(default)) if text else {}
        if law is None:
            raise InputError(
                f"{self._file}: smpi/{key} cannot be read: {text[:60]}", "write size:number;size:number"
            )
        return {0: default} | law

    def _ranges(self, latency: float, limit: float) -> Iterator[CostRange]:
        """SMPI's costs by size, on a path with this latency and rate."""
        starts = sorted({start for law in self._laws.values() for start in law})
        for start, after in zip(starts, [*starts[1:], None], strict=True):
            now = {key: law[max(one for one in law if one <= start)] for key, law in self._laws.items()}
            trips = 1 if start < self._eager else RENDEZVOUS_TRIPS
            end = None if after is None else after - 1
            (sending, sending_byte), (receiving, receiving_byte) = now["os"], now["or"]
            yield CostRange(
                end, latency * now["lat-factor"][0] / trips, sending, sending_byte, receiving, receiving_byte,
                gap_seconds_per_byte=1 / (limit * max(now["bw-factor"][0], LEAST_FACTOR)),
            )  # fmt: skip


def _whole_number(text: str, default: int) -> int:
    return int(text) if text.isdecimal() else default
