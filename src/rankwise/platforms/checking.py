"""What a platform that was read must keep so that a simulation of it means anything."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import fields
from itertools import pairwise, product

from rankwise.core.platform import CostRange, Platform
from rankwise.core.toml_places import Entry
from rankwise.platforms.simulator_json import KNOWN_MODELS

SLOWEST, FASTEST = 1.0, 1e15
"""Rates in bytes a second that the simulator takes."""
LONGEST_SECONDS = 1e5
LONGEST_ROUTE = 4
"""Links of a route, beside the two interfaces."""


def check(platform: Platform, top: Entry) -> None:
    """Raise InputError for what the simulator would refuse, or for names that nothing answers to."""
    for key in ("sites", "classes", "routes", "links", "models"):
        _names_differ(top, key)
    if not platform.sites or not platform.classes:
        raise top.refused("a platform has at least one site and one class of pairs", "add [[sites]], [[classes]]")
    _sites(platform, top)
    _links(platform, top)
    _routes(platform, top)
    for number, entry in enumerate(_elements(top, "classes")):
        _ranges(platform.classes[number].ranges, entry)
        _within(entry, "weight", 1e-6, 1e6)
        _within(entry, "eager_below_bytes", 0, 1 << 52)
    _one_of(top.value["same_node"], [pair_class.name for pair_class in platform.classes], "class")
    for entry in _elements(top, "models"):
        _model(entry)
    _within(top, "packet_bytes", 0, 1 << 30)
    _within(top, "flops_per_second", 1, 1e21)
    _within(top, "copy_seconds_per_byte", 0, 1)
    _within(top, "reduce_seconds_per_byte", 0, 1)


def _elements(top: Entry, key: str) -> Sequence[Entry]:
    return top.value[key].value if key in top.value else ()


def _sites(platform: Platform, top: Entry) -> None:
    seen: set[str] = set()
    for site, entry in zip(platform.sites, _elements(top, "sites"), strict=True):
        if not site.nodes:
            raise entry.value["nodes"].refused("a site has at least one node", "name its nodes")
        for name, place in zip(site.nodes, entry.value["nodes"].value, strict=True):
            if name in seen:
                raise place.refused(f"duplicate node name: {name}", "rename one of them")
            seen.add(name)
            _printable(place)
        _within(entry, "out_bytes_per_second", SLOWEST, FASTEST)
        _within(entry, "in_bytes_per_second", SLOWEST, FASTEST)


def _links(platform: Platform, top: Entry) -> None:
    for entry in _elements(top, "links"):
        _within(entry, "bytes_per_second", SLOWEST, FASTEST)


def _routes(platform: Platform, top: Entry) -> None:
    sites, links = [site.name for site in platform.sites], [platform_link.name for platform_link in platform.links]
    classes = [pair_class.name for pair_class in platform.classes]
    known: set[tuple[str, str]] = set()
    for route, entry in zip(platform.routes, _elements(top, "routes"), strict=True):
        _one_of(entry.value["from_site"], sites, "site")
        _one_of(entry.value["to_site"], sites, "site")
        _one_of(entry.value["pair_class"], classes, "class")
        if (route.from_site, route.to_site) in known:
            raise entry.refused("there are two routes between these sites", "remove one of them")
        known.add((route.from_site, route.to_site))
        if len(set(route.links)) < len(route.links) or len(route.links) > LONGEST_ROUTE:
            raise entry.value["links"].refused(
                f"a route has at most {LONGEST_ROUTE} links, each once", "name those that are shared"
            )
        for link in entry.value["links"].value if "links" in entry.value else ():
            _one_of(link, links, "link")
    missing = next((pair for pair in product(sites, sites) if pair not in known), None)
    if missing:
        raise top.value["routes"].refused(
            f"there is no route from {missing[0]} to {missing[1]}", "add one for each pair of sites"
        )


def _ranges(ranges: Sequence[CostRange], entry: Entry) -> None:
    places = entry.value["ranges"].value
    if not places or ranges[-1].up_to_bytes is not None:
        raise entry.value["ranges"].refused("the last range must be without up_to_bytes", "add a last range")
    for (lower, other), place in zip(pairwise(ranges), places[1:], strict=True):
        if lower.up_to_bytes is None or (other.up_to_bytes is not None and lower.up_to_bytes >= other.up_to_bytes):
            raise place.refused("up_to_bytes must grow from one range to the next", "sort the ranges by size")
    for place in places:
        for field in fields(CostRange):
            if field.name == "up_to_bytes":
                _within(place, field.name, 0, 1 << 52)
            else:
                most = 1.0 if field.name.endswith("per_byte") else LONGEST_SECONDS
                _within(place, field.name, 0, most)


def _model(entry: Entry) -> None:
    if "name" in entry.value:
        _one_of(entry.value["name"], KNOWN_MODELS, "model of contention")
    _within(entry, "alpha", 0.1, 16)
    _within(entry, "kappa", 1, 1e300)
    _within(entry, "outer_cut", 1e-3, 1)
    _within(entry, "mixed_cut", 0, 1000)
    _within(entry, "window_bytes", 0, 1e12)
    _within(entry, "relative_error", 0, 1e6)


def _within(entry: Entry, key: str, least: float, most: float) -> None:
    """A number that is left out has its default."""
    number = entry.value.get(key)
    if number is not None and not (math.isfinite(number.value) and least <= number.value <= most):
        raise number.refused(f"must be a number from {least:g} to {most:g}", "correct that line")


def _one_of(entry: Entry, names: Iterable[str], kind: str) -> None:
    known = list(names)
    if entry.value not in known:
        shown = ", ".join(known[:10]) + (", ..." if len(known) > 10 else "")
        raise entry.refused(f"unknown {kind}: {entry.value}", f"known: {shown}")


def _printable(name: Entry) -> None:
    if not name.value or not name.value.isprintable():
        raise name.refused("a name has at least one character, and only those that can be printed", "rename it")


def _names_differ(top: Entry, key: str) -> None:
    seen: set[str] = set()
    for entry in _elements(top, key):
        name = entry.value.get("name")
        if name is None or key == "routes":
            continue
        if name.value in seen:
            raise name.refused(f"there are two {key} of the name {name.value}", "rename one of them")
        seen.add(name.value)
        _printable(name)
