"""What sites share between them, put into the platform: links on the routes, weights of classes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from rankwise.analysis.fit.crossing import SharedLinks
from rankwise.analysis.fit.sharing_costs import Estimate
from rankwise.core.platform import ContentionModel, Interval, Platform, PlatformLink
from rankwise.core.units import format_rate, format_size

SitePair = tuple[str, str]
SAME = 0.95
"""A link of at least this share of an uplink's rate cannot be told from the uplink before it."""


def restricted(platform: Platform, hosts: Sequence[str]) -> Platform:
    """Return the platform of these nodes alone, site by site, in their order."""
    own = {site.name: tuple(host for host in hosts if host in site.nodes) for site in platform.sites}
    kept = [replace(site, nodes=own[site.name]) for site in platform.sites if own[site.name]]
    kept.sort(key=lambda site: hosts.index(site.nodes[0]))
    names = {site.name for site in kept}
    return replace(
        platform, sites=tuple(kept),
        routes=tuple(route for route in platform.routes if {route.from_site, route.to_site} <= names),
    )  # fmt: skip


def with_links(platform: Platform, sites: SitePair, links: SharedLinks) -> Platform:
    """Return the platform with what these two sites share, and with what is not known of it."""
    ways = (sites, sites[::-1])
    for (source, target), rate, least in zip(ways, (links.there, links.back), links.at_least, strict=True):
        name = f"{source} to {target}"
        if rate:
            platform = _with_link(platform, name, rate, {(source, target)})
        elif not links.both:
            why = f"flows together are hardly slower than apart: it carries {format_rate(8 * least)} at least"
            platform = replace(platform, not_identified=platform.not_identified | {f"links.{name}": why})
    if links.both:
        platform = _with_link(platform, f"{sites[0]} - {sites[1]} both ways", links.both, set(ways))
    left = {key: why for key, why in platform.not_identified.items() if key != "links"}
    return replace(platform, not_identified=left)


def with_model(platform: Platform, model: ContentionModel) -> Platform:
    """Return the platform with this model before the others, and with what of it is an assumption."""
    others = tuple(candidate for candidate in platform.models if candidate.name != model.name)
    key = f"models.{model.name}.window_bytes"
    why = f"flows between sites hardly depend on it: {format_size(round(model.window_bytes))} is assumed"
    assumed = {key: why} if model.window_bytes else {}
    return replace(
        platform, models=(model, *others), not_identified=platform.not_identified | assumed
    )  # fmt: skip


def with_uplinks(platform: Platform, site: str, out: Estimate | None, into: Estimate | None) -> Platform:
    """Return the platform in which all that leaves a site, or enters it, shares a link; links as fast go."""
    others = [other_site.name for other_site in platform.sites if other_site.name != site]
    for rate, name, routes in (
        (out, f"out of {site}", {(site, other) for other in others}),
        (into, f"into {site}", {(other, site) for other in others}),
    ):
        if rate is None:
            why = f"what goes between {site} and several sites together is hardly slower than to each by itself"
            platform = replace(platform, not_identified=platform.not_identified | {f"links.{name}": why})
        else:
            platform = _with_link(_without_as_fast(platform, routes, rate.value), name, rate, routes)
    return platform


def _with_link(platform: Platform, name: str, rate: Estimate, routes: set[SitePair]) -> Platform:
    known = any(link.name == name for link in platform.links)
    return replace(
        platform,
        links=platform.links if known else (*platform.links, PlatformLink(name, rate.value)),
        routes=tuple(
            replace(route, links=(*route.links, name)) if (route.from_site, route.to_site) in routes else route
            for route in platform.routes
        ),
        intervals=platform.intervals
        | ({f"links.{name}.bytes_per_second": rate.interval} if np.isfinite(rate.interval.high) else {}),
    )


def _without_as_fast(platform: Platform, routes: set[SitePair], rate: float) -> Platform:
    """Without the links on these routes alone that are as fast as what comes before them."""
    users: dict[str, set[SitePair]] = {}
    for route in platform.routes:
        for name in route.links:
            users.setdefault(name, set()).add((route.from_site, route.to_site))
    gone = {
        link.name for link in platform.links if link.bytes_per_second >= SAME * rate and users[link.name] <= routes
    }
    why = "its capacity cannot be separated from that of the uplink before it"
    return replace(
        platform,
        links=tuple(link for link in platform.links if link.name not in gone),
        routes=tuple(
            replace(way, links=tuple(name for name in way.links if name not in gone)) for way in platform.routes
        ),
        intervals={
            key: interval for key, interval in platform.intervals.items()
            if key not in {f"links.{name}.bytes_per_second" for name in gone}
        },
        not_identified=platform.not_identified | {f"links.{name}": why for name in gone},
    )  # fmt: skip


def with_weight(platform: Platform, pair_class: str, weight: Estimate | str) -> Platform:
    """Return the platform with the weight of a class, or with why it is not known."""
    key = f"classes.{pair_class}.weight"
    if isinstance(weight, str):
        return replace(platform, not_identified=platform.not_identified | {key: weight})
    weights: Mapping[str, Interval] = {key: weight.interval}
    return replace(
        platform,
        classes=tuple(
            replace(candidate, weight=weight.value) if candidate.name == pair_class else candidate
            for candidate in platform.classes
        ),
        intervals={**platform.intervals, **weights},
    )
