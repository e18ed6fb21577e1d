"""The testbed below a run as rows: paths asked for and measured, links, and how well the emulator kept time."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from rankwise.core.network import EmulatorFigures, LinkCounters, NetworkFigures, PathFigures, Topology
from rankwise.core.records import Notice
from rankwise.core.units import format_rate, format_share, format_size
from rankwise.report.canvas import Figure, blank_figure, log_axis, plain, short, time_words, trace
from rankwise.report.colours import INK, MUTED, REFERENCE
from rankwise.report.views import signed_time

WARNINGS = ("late-link", "emulator-busy", "emulator-restarted")


@dataclass(frozen=True, slots=True)
class PathRow:
    """One path in words; a deviation is what was measured over what was asked for, '' where one is missing."""

    source: str
    destination: str
    asked_delay: str
    delay: str
    delay_deviation: str
    delay_p99: str
    asked_rate: str
    rate: str
    rate_deviation: str
    asked_loss: str
    loss: str


def path_rows(paths: Sequence[PathFigures]) -> list[PathRow]:
    """Return the paths in the order in which they were measured."""
    return [
        PathRow(
            path.source, path.destination,
            time_words(path.asked_delay_seconds), time_words(path.delay_seconds),
            _delay_deviation(path), time_words(path.delay_p99_seconds),
            format_rate(path.asked_rate_bits_per_second), format_rate(path.rate_bits_per_second),
            deviation(path.asked_rate_bits_per_second, path.rate_bits_per_second),
            format_share(path.asked_loss), format_share(path.loss),
        )
        for path in paths
    ]  # fmt: skip


def _delay_deviation(path: PathFigures) -> str:
    """`+42 µs (+0.7 %)`: within a site a share alone would tell of the hosts' own time, not of the network's."""
    share = deviation(path.asked_delay_seconds, path.delay_seconds)
    difference = path.delay_seconds - path.asked_delay_seconds
    return f"{signed_time(difference)} ({share})" if share else ""


def deviation(wanted: float, measured: float) -> str:
    """Return words such as `+0.7 %`; '' where nothing was asked for or measured."""
    if not (wanted > 0 and math.isfinite(measured)):
        return ""
    share = measured / wanted - 1
    return f"{'−' if share < 0 else '+'}{abs(share):.1%}".replace("%", " %")


@dataclass(frozen=True, slots=True)
class LinkRow:
    """One direction of a link: what was asked of it, and what went over it in all launches together."""

    link: str
    asked: str
    packets: int
    size: str
    dropped: int
    dropped_share: str
    lost: int
    high_water: str


def link_rows(network: NetworkFigures, topology: Topology | None) -> list[LinkRow]:
    """Return the links with traffic, in the testbed's order."""
    known = {link.name: link for link in topology.links} if topology else {}
    order = {name: place for place, name in enumerate(known)}
    rows = []
    for counters in sorted(network.links, key=lambda counters: order.get(counters.link, len(order))):
        link = known.get(counters.link)
        wanted = f"{format_rate(link.rate_bits_per_second)}, {time_words(link.delay_seconds)}" if link else ""
        if counters.packets or counters.dropped_packets or counters.lost_packets:
            rows.append(
                LinkRow(
                    counters.link, wanted, counters.packets, format_size(counters.bytes),
                    counters.dropped_packets, _share_of_all(counters), counters.lost_packets,
                    _high_water(counters, link.queue_bytes if link else 0),
                )
            )  # fmt: skip
    return rows


def _share_of_all(counters: LinkCounters) -> str:
    """Dropped packets over all that came to the queue."""
    came = counters.packets + counters.dropped_packets + counters.lost_packets
    return format_share(counters.dropped_packets / came) if counters.dropped_packets else ""


def _high_water(counters: LinkCounters, queue_bytes: int) -> str:
    full = f" ({counters.queue_high_water_bytes / queue_bytes:.0%})".replace("%", " %") if queue_bytes else ""
    return format_size(counters.queue_high_water_bytes) + full


@dataclass(frozen=True, slots=True)
class KeptTime:
    """A row here is one figure of the emulator over the launches."""

    what: str
    median: str
    worst: str


def emulator_rows(figures: Sequence[EmulatorFigures]) -> list[KeptTime]:
    """Return lateness and CPU time: the launches' median, and the worst launch."""
    if not figures:
        return []
    late = {
        "Late, median packet": [launch.lateness_p50_seconds for launch in figures],
        "Late, 99th percentile": [launch.lateness_p99_seconds for launch in figures],
        "Late, latest packet": [launch.lateness_max_seconds for launch in figures],
    }
    rows = [KeptTime(what, time_words(float(np.median(x))), time_words(max(x))) for what, x in late.items()]
    cpu = [launch.cpu_fraction for launch in figures]
    return [*rows, KeptTime("CPU, of one core", format_share(float(np.median(cpu))), format_share(max(cpu)))]


def emulator_figure(figures: Sequence[EmulatorFigures]) -> Figure:
    """Return how late packets were, launch by launch: median, 99th percentile, latest."""
    figure = blank_figure()
    rows = (
        ("latest", [launch.lateness_max_seconds for launch in figures], REFERENCE, "dot"),
        ("99 %", [launch.lateness_p99_seconds for launch in figures], INK, "solid"),
        ("median", [launch.lateness_p50_seconds for launch in figures], MUTED, "dash"),
    )
    figure["layout"]["yaxis"].update(log_axis([value for _, row, _, _ in rows for value in row], time_words))
    figure["layout"] |= {"showlegend": True, "legend": {"orientation": "h", "y": 1.12, "x": 1, "xanchor": "right"}}
    figure["layout"]["xaxis"] |= {"title": {"text": "Launch", "font": {"color": MUTED, "size": 13}}}
    for name, values, colour, dash in rows:
        figure["data"].append(
            trace(
                x=list(range(1, len(figures) + 1)),
                y=[short(value) if value > 0 else None for value in values],
                mode="lines",
                line={"color": colour, "dash": dash, "width": 2 if name == "99 %" else 1.5},
                name=plain(name),
                text=[time_words(value) for value in values],
                hovertemplate="%{text}",
                meta={"baseline": name},
            )
        )
    return figure


def warnings(notices: Iterable[Notice]) -> list[Notice]:
    """Return the warnings about the testbed itself."""
    return [notice for notice in notices if notice.kind in WARNINGS]


def hardware_rows(topology: Topology) -> list[tuple[str, str]]:
    """Return how hosts and NICs behave, and the settings that all nodes share."""
    hardware = topology.hardware
    rows = [
        ("Sites, nodes", f"{len(topology.sites)}, {len(topology.nodes)}"),
        ("Cores of a node", ", ".join(str(cores) for cores in sorted({node.cores for node in topology.nodes}))),
    ]
    if topology.links:
        offload = hardware.segment_limit_bytes > hardware.mtu_bytes
        rows += [
            ("NIC profile", hardware.nic_profile),
            ("MTU", f"{hardware.mtu_bytes} B"),
            ("Segments", f"up to {format_size(hardware.segment_limit_bytes)}" if offload else "no offload"),
            ("Host bus", f"{hardware.bus:g} × the NIC's rate" if hardware.bus else "no limit"),
        ]
    shared = set.intersection(*(set(node.settings) for node in topology.nodes)) if topology.nodes else set()
    rows += sorted(shared)
    others = len(set.union(*(set(node.settings) for node in topology.nodes)) - shared) if topology.nodes else 0
    return [*rows, ("Settings of single nodes", str(others))] if others else rows
