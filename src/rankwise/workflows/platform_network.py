"""A measured platform as the network that schedules are synthesised for."""

from __future__ import annotations

from dataclasses import dataclass, replace

from rankwise.core.errors import InputError
from rankwise.core.platform import CostRange, PairClass, Platform, Route
from rankwise.schedules.cost import CostModel
from rankwise.schedules.model import Network


@dataclass(frozen=True, slots=True)
class Measured:
    """Where ranks are, and what messages between them cost."""

    network: Network
    model: CostModel
    ranks: int


def measured_network(platform: Platform, ranks: int, size_bytes: int) -> Measured:
    """Return a platform as a network of `ranks` ranks (0: one a node), in blocks, one more on the first nodes.

    Delays are LogGP's latencies of the shortest messages, overheads those of messages of `size_bytes`; a site has
    one delay, the longest of all sites'. Raises InputError for a platform without nodes, or without a route.
    """
    nodes = [(number, node) for number, site in enumerate(platform.sites) for node in site.nodes]
    if not nodes:
        raise InputError("the platform has no nodes", "measure one: rankwise fit --testbed NAME --mpi MPI")
    ranks = ranks or len(nodes)
    share, more = divmod(ranks, len(nodes))
    places = [at for at in range(len(nodes)) for _ in range(share + (at < more))]
    used = sorted({nodes[at][0] for at in places})
    groups = (tuple(used.index(nodes[at][0]) for at in places), tuple(places))
    routes = {(route.from_site, route.to_site): route for route in platform.routes}
    classes = {pair_class.name: pair_class for pair_class in platform.classes}
    names = [platform.sites[site].name for site in used]
    between = {(a, b): _route(routes, a, b) for a in names for b in names if a != b}
    near = [classes[routes[name, name].pair_class] for name in names if (name, name) in routes]
    network = Network(
        groups,
        tuple(tuple(0.0 if a == b else _latency(classes[between[a, b].pair_class]) for b in names) for a in names),
        tuple(tuple(0.0 if a == b else _rate(platform, between[a, b]) for b in names) for a in names),
        min(min(site.out_bytes_per_second, site.in_bytes_per_second) for site in platform.sites),
    )
    return Measured(network if len(names) > 1 else _one_site(network), _costs(platform, near, size_bytes), ranks)


def _one_site(network: Network) -> Network:
    return replace(network, delay_seconds=(), bytes_per_second=())


def _costs(platform: Platform, near: list[PairClass], size_bytes: int) -> CostModel:
    usual = CostModel()
    local = next((pair_class for pair_class in platform.classes if pair_class.name == platform.same_node), None)
    common = near[0] if near else platform.classes[0]
    cost = _range(common, size_bytes)
    overhead = (
        cost.send_overhead_seconds
        + cost.receive_overhead_seconds
        + (cost.send_overhead_seconds_per_byte + cost.receive_overhead_seconds_per_byte) * size_bytes
    ) / 2
    return replace(
        usual,
        overhead_seconds=overhead,
        near_seconds=max(map(_latency, near), default=usual.near_seconds),
        local_seconds=_latency(local) if local else usual.local_seconds,
        memory_bytes_per_second=(
            1 / platform.copy_seconds_per_byte if platform.copy_seconds_per_byte else usual.memory_bytes_per_second
        ),
        eager_bytes=float(common.eager_below_bytes),
    )


def _route(routes: dict[tuple[str, str], Route], source: str, destination: str) -> Route:
    if (source, destination) not in routes:
        raise InputError(
            f"the platform has no route from {source} to {destination}", "add a [[routes]] table for it"
        )
    return routes[source, destination]


def _latency(pairs: PairClass) -> float:
    return pairs.ranges[0].latency_seconds


def _range(pairs: PairClass, size_bytes: int) -> CostRange:
    return next(
        cost_range
        for cost_range in pairs.ranges
        if cost_range.up_to_bytes is None or size_bytes <= cost_range.up_to_bytes
    )


def _rate(platform: Platform, route: Route) -> float:
    """Bytes per second of the slowest link between two sites; without one, of the nodes' interfaces."""
    links = {link.name: link.bytes_per_second for link in platform.links}
    sites = {site.name: site for site in platform.sites}
    ends = (sites[route.from_site].out_bytes_per_second, sites[route.to_site].in_bytes_per_second)
    return min((links[name] for name in route.links), default=min(ends))
