"""Which pairs of hosts stand for which class: two ranks of one node, two nodes of a site, nodes of two sites."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from rankwise.core.jobs import Host
from rankwise.measurement.placement import ON_HOSTS
from rankwise.testbeds.base import TestbedKind
from rankwise.testbeds.paths import path

SAME_NODE = "same node"
LARGEST_BYTES, LEAST_LARGEST_BYTES = 4 << 20, 256 << 10
LONGEST_TRANSFER_SECONDS = 0.05
"""Of the largest message, by the rate that the testbed's description names: a class has a minute."""


@dataclass(frozen=True, slots=True)
class Pair:
    """A class of pairs, and the two hosts that are measured for it."""

    name: str
    hosts: tuple[str, str]
    sites: tuple[str, str]
    largest_bytes: int = LARGEST_BYTES
    delay_seconds: float = 0.0
    """One way, as described: it says how long the measurement takes, and nothing else."""

    @property
    def placement(self) -> str:
        """Return what `measurement.placement` places the two ranks by."""
        return ON_HOSTS + "+".join(self.hosts)


def sites_of(testbed: TestbedKind) -> dict[str, tuple[Host, ...]]:
    """Return the hosts that have a slot, by site; hosts without sites are all on one, called as the testbed."""
    by_site: dict[str, tuple[Host, ...]] = {}
    for host in testbed.hosts():
        if host.slots > 0:
            name = host.site or testbed.name
            by_site[name] = (*by_site.get(name, ()), host)
    return by_site


def pairs_of(testbed: TestbedKind) -> tuple[Pair, ...]:
    """Return a pair for each class that the testbed has: both directions of two sites are taken as alike."""
    sites = sites_of(testbed)
    pairs = []
    double = next((host for hosts in sites.values() for host in hosts if host.slots > 1), None)
    if double:
        site = double.site or testbed.name
        pairs.append(Pair(SAME_NODE, (double.name, double.name), (site, site)))
    for site, hosts in sites.items():
        if len(hosts) > 1:
            pairs.append(_pair(testbed, f"within {site}", hosts[:2], (site, site)))
    for first, other in combinations(sites, 2):
        pairs.append(_pair(testbed, f"{first} - {other}", (sites[first][0], sites[other][0]), (first, other)))
    return tuple(pairs)


def _pair(testbed: TestbedKind, name: str, hosts: Sequence[Host], sites: tuple[str, str]) -> Pair:
    topology = testbed.topology()
    first, second = hosts[0].name, hosts[1].name
    if not topology or not topology.links:
        return Pair(name, (first, second), sites)
    between = path(topology, first, second)
    rate = between.rate_bits_per_second / 8
    largest = LARGEST_BYTES
    while rate and largest > LEAST_LARGEST_BYTES and largest / rate > LONGEST_TRANSFER_SECONDS:
        largest //= 2
    return Pair(name, (first, second), sites, largest, between.delay_seconds)
