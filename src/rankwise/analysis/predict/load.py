"""How busy links are over time, from the timeline of a simulation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rankwise.core.platform import Platform
from rankwise.core.records import FloatArray
from rankwise.simulation.timeline import Timeline

BINS = 48


@dataclass(frozen=True, slots=True, eq=False)
class LinkLoads:
    """The share of each link's rate that is used; `shares` has shape (links, bins), the busiest links first.

    A share may be above 1 for a while, since a message's bytes are spread evenly over its way.
    """

    links: tuple[str, ...]
    shares: FloatArray
    bin_seconds: float


def link_loads(
    timeline: Timeline, platform: Platform, nodes_of_ranks: Sequence[str], total_seconds: float, most: int
) -> LinkLoads:
    """Return the loads of the `most` busiest links and NICs.

    A message's bytes are spread evenly over the time from its first byte's leaving to its last one's.
    """
    sites = {node: site for site in platform.sites for node in site.nodes}
    routes = {(way.from_site, way.to_site): way for way in platform.routes}
    classes = {pair_class.name: pair_class for pair_class in platform.classes}
    rates = {link.name: link.bytes_per_second for link in platform.links}
    width = total_seconds / BINS
    moved: dict[str, FloatArray] = {}
    for passage in timeline.passages:
        start, end = nodes_of_ranks[passage.from_rank], nodes_of_ranks[passage.to_rank]
        if start == end or not passage.size_bytes or not width:
            continue
        route = routes[sites[start].name, sites[end].name]
        latency = next(
            costs.latency_seconds for costs in classes[route.pair_class].ranges
            if costs.up_to_bytes is None or passage.size_bytes <= costs.up_to_bytes
        )  # fmt: skip
        rates[f"{start}.out"], rates[f"{end}.in"] = (
            sites[start].out_bytes_per_second,
            sites[end].in_bytes_per_second,
        )
        last = max(passage.end_seconds - latency, passage.begin_seconds + 1e-12)
        edges = np.clip(np.arange(BINS + 1) * width, passage.begin_seconds, last)
        bytes_by_bin = np.diff(edges) / (last - passage.begin_seconds) * passage.size_bytes
        for name in (f"{start}.out", *route.links, f"{end}.in"):
            moved[name] = moved.get(name, np.zeros(BINS)) + bytes_by_bin
    shares = {name: moved_seconds / (rates[name] * width) for name, moved_seconds in moved.items()}
    names = sorted(shares, key=lambda name: -float(shares[name].mean()))[:most]
    made = np.array([shares[name] for name in names]) if names else np.zeros((0, BINS))
    return LinkLoads(tuple(names), made, width)
