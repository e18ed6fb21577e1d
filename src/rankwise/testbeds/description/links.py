"""From `[[link]]` and `[[route]]` of a description to the links between sites, and the routes over them."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise

from rankwise.core.errors import UnknownNameError
from rankwise.core.network import JitterDistribution, Link, Route
from rankwise.core.toml_places import Entry
from rankwise.testbeds.description import routes
from rankwise.testbeds.description.section import Section

WIRE = ("rate", "delay", "queue", "jitter", "distribution", "loss", "burst")
"""The keys that `wire` reads."""

_ETHERNET_HEADER_BYTES = 14
_LEAST_QUEUE_BYTES = 1 << 20
_DISTRIBUTIONS: Mapping[str, JitterDistribution] = {
    "uniform": "uniform",
    "normal": "normal",
    "exponential": "exponential",
}

Chain = tuple[str, ...]


def wire(section: Section, link: Link, mtu_bytes: int, queue_bytes: int) -> Link:
    """Return the link with what the section says of it; `queue_bytes` 0: what is on its way in a round trip."""
    distribution = link.jitter_distribution
    if "distribution" in section:
        distribution = section.choice("distribution", _DISTRIBUTIONS)
    rate = section.rate_bits_per_second("rate", link.rate_bits_per_second)
    delay = section.delay_seconds("delay", link.delay_seconds)
    jitter = section.delay_seconds("jitter", link.jitter_seconds)
    if distribution == "uniform" and jitter > delay:
        raise section.at("jitter").refused(
            "is more than the delay: packets would arrive before they leave", "write at most the delay"
        )
    queue_bytes = queue_bytes or max(_LEAST_QUEUE_BYTES, round(rate / 8 * 2 * delay))
    return dataclasses.replace(
        link,
        rate_bits_per_second=rate,
        delay_seconds=delay,
        queue_bytes=section.size_bytes("queue", queue_bytes, mtu_bytes + _ETHERNET_HEADER_BYTES),
        jitter_seconds=jitter,
        jitter_distribution=distribution,
        loss=section.share("loss", link.loss),
        loss_burst=section.number("burst", link.loss_burst, 1.0, 1e6),
    )


class Wiring:
    """The wiring is what joins the sites of a description."""

    def __init__(self, top: Section, sites: Mapping[str, Section], mtu_bytes: int, queue_bytes: int) -> None:
        """`queue_bytes`: of links that do not say theirs, as `wire` takes it."""
        self._sites = sites
        self._given: dict[tuple[str, str], Entry] = {}
        self.links: list[tuple[Link, Entry]] = []
        """Every direction of every `[[link]]`, and where it is from."""
        for entry in top.tables("link"):
            self._add_link(Section(entry, ("between", "back", *WIRE)), mtu_bytes, queue_bytes)
        self._near = routes.neighbours(self._given)
        self._asked = self._asked_chains(top.tables("route"))

    def routes(self, inhabited: Iterable[str], uplinks: Iterable[str]) -> Iterator[Route]:
        """Yield the way between any two of these sites, there and back; `uplinks`: the sites' own, if any."""
        sites, known_uplinks = tuple(inhabited), set(uplinks)
        for source in sites:
            for destination in sites:
                if source != destination:
                    chain = self._asked.get((source, destination)) or self._only_chain(source, destination)
                    between = [f"{site}>{other}" for site, other in pairwise(chain)]
                    ends = [f"{source}.up", *between, f"{destination}.down"]
                    links = tuple(name for name in ends if name in known_uplinks or name in between)
                    yield Route(source, destination, links)

    def _add_link(self, section: Section, mtu_bytes: int, queue_bytes: int) -> None:
        site, other = self._pair(section)
        for pair in ((site, other), (other, site)):
            if pair in self._given:
                raise section["between"].refused(
                    f"this link is given twice, see {self._given[pair].place}", "leave one of them out"
                )
        self._given[site, other] = section.entry
        there = wire(section, Link(f"{site}>{other}"), mtu_bytes, queue_bytes)
        back = dataclasses.replace(there, name=f"{other}>{site}")
        if "back" in section:
            own_queue_bytes = there.queue_bytes if "queue" in section else queue_bytes
            back = wire(Section(section["back"], WIRE), back, mtu_bytes, own_queue_bytes)
        self.links += [(there, section.entry), (back, section.entry)]

    def _pair(self, section: Section) -> tuple[str, str]:
        entry = section.at("between")
        ends = entry.value if "between" in section and isinstance(entry.value, list) else []
        if len(ends) != 2:
            raise entry.refused("must name two sites", 'write between = ["SITE", "SITE"]')
        site, other = map(self._known_site, ends)
        if site == other:
            raise entry.refused(f"'{site}' is linked to itself", f"its switch is described below [site.{site}]")
        return site, other

    def _known_site(self, entry: Entry) -> str:
        if not isinstance(entry.value, str):
            raise entry.refused("invalid site name", "write it in quotation marks")
        if entry.value not in self._sites:
            remedy = UnknownNameError("site", entry.value, self._sites).remedy
            raise entry.refused(f"unknown site '{entry.value}'", remedy)
        return entry.value

    def _only_chain(self, source: str, destination: str) -> Chain:
        chains = routes.chains(self._near, source, destination)
        order = list(self._sites)
        entry = self._sites[max(source, destination, key=order.index)].entry
        pair = f'between = ["{source}", "{destination}"]'
        if not chains:
            raise entry.refused(
                f"no route from site '{source}' to site '{destination}'",
                f"write [[link]] and {pair} with its delay and rate",
            )
        if len(chains) > 1:
            ways = " or ".join("-".join(chain) for chain in chains)
            via = ", ".join(f'"{site}"' for site in chains[0][1:-1])
            raise entry.refused(
                f"there are several routes from '{source}' to '{destination}': {ways}",
                f"write [[route]], {pair}, via = [{via}]",
            )
        return chains[0]

    def _asked_chains(self, entries: Iterable[Entry]) -> dict[tuple[str, str], Chain]:
        """The chain of sites of every `[[route]]`, there and back."""
        chains: dict[tuple[str, str], Chain] = {}
        for entry in entries:
            section = Section(entry, ("between", "via"))
            site, other = self._pair(section)
            if "via" not in section or not isinstance(section["via"].value, list):
                raise section.at("via").refused("must name the sites on the way", 'write via = ["SITE"]')
            chain = (site, *map(self._known_site, section["via"].value), other)
            for pair in pairwise(chain):
                if pair not in self._given and pair[::-1] not in self._given:
                    reason = f"there is no link between '{pair[0]}' and '{pair[1]}'"
                    raise section["via"].refused(reason, "write a [[link]] between them, or another via")
            if (site, other) in chains:
                raise section["between"].refused("this route is given twice", "leave one of them out")
            chains[site, other] = chain
            chains[other, site] = chain[::-1]
        return chains
