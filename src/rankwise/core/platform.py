"""A platform: the measured parameters of a testbed for one implementation: `fit` writes it, `predict` reads it."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Interval:
    """A 95 % confidence interval, in the unit of its parameter."""

    low: float
    high: float


@dataclass(frozen=True, slots=True)
class CostRange:
    """What a message of up to so many bytes costs, by LogGP or pLogP (Alexandrov 1997, Kielmann 2000)."""

    up_to_bytes: int | None = None
    """The largest message of the range; None for the last range."""
    latency_seconds: float = 0.0
    send_overhead_seconds: float = 0.0
    send_overhead_seconds_per_byte: float = 0.0
    receive_overhead_seconds: float = 0.0
    receive_overhead_seconds_per_byte: float = 0.0
    gap_seconds: float = 0.0
    gap_seconds_per_byte: float = 0.0


@dataclass(frozen=True, slots=True)
class PairClass:
    """Pairs of nodes that cost alike."""

    name: str
    ranges: tuple[CostRange, ...]
    eager_below_bytes: int = 65536
    """From this size on a message waits for its receive."""
    weight: float = 1.0
    """Of a flow of this class where it shares a link with others."""


@dataclass(frozen=True, slots=True)
class PlatformSite:
    """Nodes that are alike, and the rates of their interfaces in bytes a second."""

    name: str
    nodes: tuple[str, ...]
    out_bytes_per_second: float
    in_bytes_per_second: float


@dataclass(frozen=True, slots=True)
class PlatformLink:
    """One direction of a link that several nodes share."""

    name: str
    bytes_per_second: float


@dataclass(frozen=True, slots=True)
class Route:
    """The links from the nodes of a site to those of another (or of the same), and the class of such pairs."""

    from_site: str
    to_site: str
    pair_class: str
    links: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ContentionModel:
    """How concurrent flows share the platform: see native/sim/models."""

    name: str = "alpha-fair"
    """queues, alpha-fair, max-min, flow-cuts or none."""
    alpha: float = 1.0
    kappa: float = 2.0
    """The host bus: out(X) <= kappa - in(X), in units of the out rate; from 2 on there is none."""
    outer_cut: float = 0.5
    mixed_cut: float = 3.0
    window_bytes: float = 0.0
    """Of the model queues: what a flow keeps in these, where others wait (TCP's window); 0: next to nothing."""
    relative_error: float | None = None
    """90 % of the predicted times of patterns that the fit did not see are within this of the measured ones."""


@dataclass(frozen=True, slots=True)
class Provenance:
    """Where the figures come from."""

    testbed: str = ""
    implementation: str = ""
    profile: str = ""
    run: str = ""
    measured: str = ""
    """The day, as 2026-11-23."""
    rankwise: str = ""


@dataclass(frozen=True, slots=True)
class Platform:
    """All that the simulator needs to know; what was not identified is named, and has no invented figure."""

    sites: tuple[PlatformSite, ...]
    routes: tuple[Route, ...]
    classes: tuple[PairClass, ...]
    same_node: str
    """The class of two ranks of one node."""
    links: tuple[PlatformLink, ...] = ()
    models: tuple[ContentionModel, ...] = (ContentionModel(),)
    """The first is what `predict` takes where no other is asked for."""
    packet_bytes: int = 1500
    flops_per_second: float = 1e9
    copy_seconds_per_byte: float = 0.0
    reduce_seconds_per_byte: float = 0.0
    provenance: Provenance = Provenance()
    intervals: dict[str, Interval] = field(default_factory=dict)
    """By parameter, as `classes.lan.ranges.0.latency_seconds` or `models.alpha-fair.alpha`."""
    misfits: dict[str, float] = field(default_factory=dict)
    """Of each class: root mean square of predicted over measured times of single messages, minus 1."""
    not_identified: dict[str, str] = field(default_factory=dict)
    """Parameters that the measurements do not tell, and why."""
