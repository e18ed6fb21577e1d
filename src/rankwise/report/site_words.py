"""What a drawing of a testbed says of its sites, nodes and links: the words, for paper and terminal alike."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations, groupby

from rankwise.core.network import Link, Node, PathFigures, Topology
from rankwise.core.units import format_rate, format_share, format_size, format_time

_MOST_LINES = 6


@dataclass(frozen=True, slots=True)
class Join:
    """A join is what connects two sites: the words for what was asked, and for what was measured."""

    one: str
    other: str
    asked: tuple[str, ...]
    measured: tuple[str, ...] = ()


def site_title(topology: Topology, site: str) -> str:
    """Return words such as `rennes, 2 nodes`."""
    count = sum(node.site == site for node in topology.nodes)
    return f"{site}, {count} node{'' if count == 1 else 's'}" if count else f"{site} (crossing)"


def node_lines(topology: Topology, site: str) -> list[str]:
    """Return the nodes, alike ones together, then what is the same for all: their switch and uplink."""
    links = {link.name: link for link in topology.links}
    own = [node for node in topology.nodes if node.site == site]
    lines = []
    for (cores, nic), alike in groupby(own, lambda node: (node.cores, nic_words(links, node))):
        names = [node.name for node in alike]
        lines.append(f"{names[0]} .. {names[-1]}" if len(names) > 2 else ", ".join(names))
        parts = (f"{cores} core{'' if cores == 1 else 's'}", nic)
        lines.append("  " + ", ".join(word for word in parts if word))
    if len(lines) > _MOST_LINES:
        lines = [*lines[: _MOST_LINES - 1], f"and {(len(lines) - _MOST_LINES + 1) // 2} kinds more"]
    switch = links.get(f"{site}.switch")
    if switch is not None and own:
        lines.append(f"switch {delay_words(switch.delay_seconds)}")
    uplink = links.get(f"{site}.up")
    if uplink is not None:
        lines.append("uplink " + ", ".join(link_words(uplink)))
    return lines


def nic_words(links: dict[str, Link], node: Node) -> str:
    """Return words such as `1 Gbit/s, 5 us`; '' where no NIC is described."""
    nic = links.get(node.out)
    if nic is None:
        return ""
    delay = f", {delay_words(nic.delay_seconds)}" if nic.delay_seconds else ""
    return f"{format_rate(nic.rate_bits_per_second)}{delay}"


def link_words(link: Link) -> tuple[str, ...]:
    """Return delay one way, rate, and what else was asked of it: `5.8 ms ± 1 ms`, `1 Gbit/s`, `0.01 % loss`."""
    jitter = f" ± {format_time(link.jitter_seconds)}" if link.jitter_seconds else ""
    parts = [delay_words(link.delay_seconds) + jitter, format_rate(link.rate_bits_per_second)]
    if link.loss:
        burst = f" in runs of {link.loss_burst:g}" if link.loss_burst > 1 else ""
        parts.append(f"{format_share(link.loss)} loss{burst}")
    return tuple(parts)


def delay_words(seconds: float) -> str:
    """Return a delay with four digits: published ones have no more, and three would make 5.79 ms of 5.785."""
    if not seconds or math.isnan(seconds):
        return format_time(seconds) if seconds else "0 s"
    unit, factor = ("s", 1.0) if seconds >= 1 else ("ms", 1e3) if seconds >= 1e-3 else ("us", 1e6)
    return f"{seconds * factor:.4g} {unit}"


def queue_words(link: Link) -> str:
    """Return words such as `1 MiB`; '-' for a link without a rate, in which nothing waits."""
    return format_size(link.queue_bytes) if link.rate_bits_per_second else "-"


def joins(topology: Topology, paths: Sequence[PathFigures] = ()) -> list[Join]:
    """Return what joins any two sites: a link, or at least something measured between them."""
    links = {link.name: link for link in topology.links}
    joined = []
    for site, other in combinations(topology.sites, 2):
        there, back = links.get(f"{site}>{other}"), links.get(f"{other}>{site}")
        measured = _measured(topology, paths, site, other)
        if there is not None and back is not None:
            joined.append(Join(site, other, _asked(there, back), measured))
        elif measured:
            joined.append(Join(site, other, (), measured))
    return joined


def ends(link: Link) -> tuple[str, str] | None:
    """Return the sites that it leads from and to; None for NICs, switches and uplinks."""
    site, arrow, other = link.name.partition(">")
    return (site, other) if arrow else None


def alike(there: Link, back: Link) -> bool:
    """Return whether the two directions are the same but for their names."""
    return replace(there, name="") == replace(back, name="")


def _asked(there: Link, back: Link) -> tuple[str, ...]:
    if alike(there, back):
        return (", ".join(link_words(there)),)
    return (f"→ {', '.join(link_words(there))}", f"← {', '.join(link_words(back))}")


def _measured(topology: Topology, paths: Sequence[PathFigures], site: str, other: str) -> tuple[str, ...]:
    site_of = {node.name: node.site for node in topology.nodes}
    for path in paths:
        if {site_of.get(path.source), site_of.get(path.destination)} == {site, other}:
            loss = "" if math.isnan(path.loss) else f", {format_share(path.loss)} loss"
            return (
                f"measured {delay_words(path.delay_seconds)}",
                f"{format_rate(path.rate_bits_per_second)}{loss}",
            )
    return ()
