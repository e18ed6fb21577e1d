"""How a network differs from the one that something was tuned for, in sentences."""

from __future__ import annotations

from collections.abc import Iterator

from rankwise.core.network import Topology
from rankwise.core.units import format_rate, format_share, format_size, format_time
from rankwise.testbeds.paths import Path, path, site_paths

_TOLERANCE = 0.02
"""Relative: what is nearer is the same."""


def changes(then: Topology | None, now: Topology | None) -> tuple[str, ...]:
    """Return what is different now; nothing if both are the same, or None (this host, without a network)."""
    if then is None or now is None:
        if then is now:
            return ()
        names = [f"testbed {topology.name}" if topology else "this host alone" for topology in (then, now)]
        return (f"it was tuned on {names[0]}, and this is {names[1]}",)
    return tuple(_changes(then, now))


def _changes(then: Topology, now: Topology) -> Iterator[str]:
    if then.kind != now.kind:
        yield f"the hosts were {then.kind}, and are {now.kind}"
    if len(then.sites) != len(now.sites):
        yield f"there were {_count(len(then.sites), 'site')}, and are {len(now.sites)}"
    if len(then.nodes) != len(now.nodes):
        yield f"there were {_count(len(then.nodes), 'node')}, and are {len(now.nodes)}"
    if then.links and now.links:
        for name, pair in _alike_pairs(then, now):
            yield from _path_changes(name, path(then, *pair[0]), path(now, *pair[1]))
    if then.hardware != now.hardware:
        yield f"the NICs were {then.hardware.nic_profile} with an MTU of {then.hardware.mtu_bytes}, and are " + (
            f"{now.hardware.nic_profile} with {now.hardware.mtu_bytes}"
        )
    if then.nodes and now.nodes:
        before, after = dict(then.nodes[0].settings), dict(now.nodes[0].settings)
        for key in sorted({*before, *after}):
            if before.get(key) != after.get(key):
                yield f"{key} was {before.get(key, 'left alone')}, and is {after.get(key, 'left alone')}"


def _alike_pairs(then: Topology, now: Topology) -> Iterator[tuple[str, tuple[tuple[str, str], tuple[str, str]]]]:
    """The paths that both have: between sites of the same names, else the longest of each."""
    before, after = _by_sites(then), _by_sites(now)
    for sites in before:
        if sites in after:
            name = f"within {sites[0]}" if sites[0] == sites[1] else f"from {sites[0]} to {sites[1]}"
            yield name, (before[sites], after[sites])
    if before and after and not set(before) & set(after):
        longest = [
            max(pairs.values(), key=lambda pair, of=of: path(of, *pair).delay_seconds)  # type: ignore[misc]
            for of, pairs in ((then, before), (now, after))
        ]
        yield "on the longest path", (longest[0], longest[1])


def _by_sites(topology: Topology) -> dict[tuple[str, str], tuple[str, str]]:
    sites = {node.name: node.site for node in topology.nodes}
    return {(sites[node], sites[other]): (node, other) for node, other in site_paths(topology)}


def _path_changes(where: str, then: Path, now: Path) -> Iterator[str]:
    if _differs(then.delay_seconds, now.delay_seconds):
        yield f"the delay {where} was {format_time(then.delay_seconds)}, and is {format_time(now.delay_seconds)}"
    if _differs(then.rate_bits_per_second, now.rate_bits_per_second):
        rates = format_rate(then.rate_bits_per_second), format_rate(now.rate_bits_per_second)
        yield f"the rate {where} was {rates[0]}, and is {rates[1]}"
    if _differs(then.queue_bytes, now.queue_bytes):
        yield f"the queue {where} held {format_size(then.queue_bytes)}, and holds {format_size(now.queue_bytes)}"
    if _differs(then.loss, now.loss):
        yield f"the loss {where} was {format_share(then.loss)}, and is {format_share(now.loss)}"


def _differs(value: float, other: float) -> bool:
    return abs(value - other) > _TOLERANCE * max(abs(value), abs(other))


def _count(number: int, word: str) -> str:
    return f"{number} {word}{'s' * (number != 1)}"
