"""The frozen records of testbeds: sites, nodes, links between them, and what was measured on these.

Rates are bits per second, delays seconds one way, queues and sizes bytes; no behaviour lives here.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

JitterDistribution = Literal["uniform", "normal", "exponential"]
Settings = tuple[tuple[str, str], ...]
"""Kernel and NIC settings of a host by their names in `core.host_settings`: (`mtu`, `9000`)."""


@dataclass(frozen=True, slots=True)
class Link:
    """A link is one direction: an output queue served at a rate, then a delay line. Rate 0: unlimited."""

    name: str
    rate_bits_per_second: float = 0.0
    delay_seconds: float = 0.0
    queue_bytes: int = 1_000_000
    jitter_seconds: float = 0.0
    """Scale of the extra delay: half width (uniform), standard deviation (normal), mean (exponential)."""
    jitter_distribution: JitterDistribution = "normal"
    loss: float = 0.0
    """Share of packets lost, 0 to 1."""
    loss_burst: float = 1.0
    """Mean length of a run of lost packets; 1: each packet by itself (Bernoulli)."""


@dataclass(frozen=True, slots=True)
class Node:
    """A host of a testbed. `out` and `into` name the links of its NIC."""

    name: str
    site: str
    cores: int = 1
    address: str = ""
    """Emulated: its IPv4 address. ssh: what the remote shell is given, `user@host`."""
    out: str = ""
    into: str = ""
    settings: Settings = ()


@dataclass(frozen=True, slots=True)
class Route:
    """A route is the links that a packet takes from one site to another, in order, between the two NICs.

    Within a site (`source` = `destination`) too: that is the site's own switch.
    """

    source: str
    destination: str
    links: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Hardware:
    """Hardware is how the emulated hosts and their NICs behave: what a NIC profile (`modern`, ...) stands for."""

    nic_profile: str = "modern"
    mtu_bytes: int = 1500
    segment_limit_bytes: int = 65536
    """Largest super-packet that a node hands to its NIC (gso_max_size); the MTU: no segmentation offload."""
    served_queues: bool = True
    """A packet is charged to the NIC's rate when it is served, not when it arrives."""
    acknowledgements_first: bool = False
    """Packets without payload overtake others in the NIC's queue."""
    bus: float = 0.0
    """Both directions of a NIC together, as a multiple of its rate; received packets first. 0: no limit."""


@dataclass(frozen=True, slots=True)
class Topology:
    """A testbed, described in full: everything is spelt out, presets and defaults are resolved."""

    name: str
    kind: str
    """`emulated`, `ssh`, ...: the file in `testbed/` that brings it up."""
    sites: tuple[str, ...] = ()
    nodes: tuple[Node, ...] = ()
    links: tuple[Link, ...] = ()
    routes: tuple[Route, ...] = ()
    hardware: Hardware = field(default=Hardware())
    remote_shell: str = ""
    """ssh: the command that reaches a host, `ssh -p 2222`."""
    description: str = ""


@dataclass(frozen=True, slots=True)
class LinkCounters:
    """Link counters say what went over one direction of a link during one launch."""

    link: str
    packets: int
    bytes: int
    dropped_packets: int
    """At the full queue."""
    lost_packets: int
    """By the loss that was asked for."""
    queue_high_water_bytes: int


@dataclass(frozen=True, slots=True)
class EmulatorFigures:
    """Emulator figures say how well the link emulator kept its times during one launch: delivered minus due."""

    cpu_fraction: float
    """Of one core."""
    delivered_packets: int
    lateness_p50_seconds: float
    lateness_p99_seconds: float
    lateness_max_seconds: float
    realtime: bool
    """It ran under SCHED_FIFO."""


@dataclass(frozen=True, slots=True)
class LostFrames:
    """Lost frames are those of one launch that went though no loss was asked for and no queue was full."""

    full_ring_frames: int = 0
    """Sent faster than the link emulator could read them."""
    unknown_frames: int = 0
    """To an address that no node has."""
    malformed_frames: int = 0
    """The emulator could not read them."""
    undeliverable_frames: int = 0
    """A node's NIC refused them."""


@dataclass(frozen=True, slots=True)
class NetworkFigures:
    """Network figures say what an emulated network did over all launches of a run."""

    links: tuple[LinkCounters, ...] = ()
    """Summed over the launches; the high water is the highest of them."""
    emulator: tuple[EmulatorFigures, ...] = ()
    """Of each launch that has them, in order."""
    launches: int = 0
    """Those with counters."""


@dataclass(frozen=True, slots=True)
class PathFigures:
    """Path figures are those of one path between two nodes, asked for and measured. NaN: not measured."""

    source: str
    destination: str
    asked_delay_seconds: float
    delay_seconds: float
    """Half the median round trip of small datagrams."""
    delay_p99_seconds: float
    asked_rate_bits_per_second: float
    """Of the slowest link on the path; 0: unlimited."""
    rate_bits_per_second: float
    """Payload of one TCP stream."""
    asked_loss: float
    loss: float
