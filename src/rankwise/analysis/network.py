"""What the emulated network below a run did: counters and the emulator's lateness over all launches."""

from __future__ import annotations

from collections.abc import Iterable

from rankwise.core.network import EmulatorFigures, LinkCounters, NetworkFigures
from rankwise.core.records import Launch


def network_figures(launches: Iterable[Launch]) -> NetworkFigures | None:
    """Return the links in the order of the launches; None when no launch ran on an emulated network."""
    totals: dict[str, LinkCounters] = {}
    emulator: list[EmulatorFigures] = []
    counted = 0
    for launch in sorted(launches, key=lambda candidate: candidate.started_at):
        counted += bool(launch.links)
        for link in launch.links:
            totals[link.link] = _sum(totals[link.link], link) if link.link in totals else link
        if launch.emulator:
            emulator.append(launch.emulator)
    return NetworkFigures(tuple(totals.values()), tuple(emulator), counted) if totals or emulator else None


def _sum(counters: LinkCounters, other: LinkCounters) -> LinkCounters:
    return LinkCounters(
        link=counters.link,
        packets=counters.packets + other.packets,
        bytes=counters.bytes + other.bytes,
        dropped_packets=counters.dropped_packets + other.dropped_packets,
        lost_packets=counters.lost_packets + other.lost_packets,
        queue_high_water_bytes=max(counters.queue_high_water_bytes, other.queue_high_water_bytes),
    )
