"""The sample comparison as if measured between two sites: a testbed, overheads over TCP, streams over time."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cache

import numpy as np

from rankwise.core.network import (
    EmulatorFigures,
    Link,
    LinkCounters,
    NetworkFigures,
    Node,
    PathFigures,
    Route,
    Topology,
)
from rankwise.core.records import Cell, Notice, Options, TimelineQuantity
from rankwise.core.results import Comparison, Overhead, Reached, StreamCurve, TimelineCurve
from rankwise.report.context import ReportContext
from report import samples

STREAMED = samples.IMPLEMENTATIONS[1:4]
PLACEMENTS = ("across-sites", "block")
_MESSAGE = 1 << 20


def topology(nodes_per_site: int = 2) -> Topology:
    """Two sites 5.8 ms apart, their switches, and a NIC for each node."""
    settings = (
        ("net.ipv4.tcp_congestion_control", "cubic"),
        ("net.ipv4.tcp_rmem", "4096 87380 4194304"),
        ("net.ipv4.tcp_wmem", "4096 65536 4194304"),
    )
    nodes, links = [], []
    for number, site in enumerate(("rennes", "nancy"), start=1):
        links.append(Link(f"{site}.switch", 0.0, 15e-6))
        for k in range(1, nodes_per_site + 1):
            name = f"{site}-{k}"
            nodes.append(Node(name, site, 1, f"10.77.{number}.{k}", f"{name}.out", f"{name}.in", settings))
            links += [Link(f"{name}.out", 1e9, 5e-6, 1 << 20), Link(f"{name}.in", 1e9, 5e-6, 1 << 20)]
    links += [Link("rennes-nancy", 1e9, 5.79e-3, 1 << 21), Link("nancy-rennes", 1e9, 5.79e-3, 1 << 21)]
    routes = (
        Route("rennes", "rennes", ("rennes.switch",)),
        Route("nancy", "nancy", ("nancy.switch",)),
        Route("rennes", "nancy", ("rennes-nancy",)),
        Route("nancy", "rennes", ("nancy-rennes",)),
    )
    return Topology(
        "grid5000-2007", "emulated", ("rennes", "nancy"), tuple(nodes), tuple(links), routes,
        description="Rennes and Nancy, 11.6 ms round trip, 1 Gbit/s, as in Hablot 2007",
    )  # fmt: skip


def paths() -> tuple[PathFigures, ...]:
    return (
        PathFigures("rennes-1", "nancy-1", 5.8e-3, 5.842e-3, 5.913e-3, 1e9, 936e6, 0.0, 0.0),
        PathFigures("nancy-1", "rennes-1", 5.8e-3, 5.844e-3, 5.921e-3, 1e9, 934e6, 0.0, math.nan),
        PathFigures("rennes-1", "rennes-2", 25e-6, 41e-6, 78e-6, 0.0, 6.1e9, 1e-4, 1.3e-4),
    )


def network(launches: int = 40) -> NetworkFigures:
    rng = np.random.default_rng(3)
    links = tuple(
        LinkCounters(link.name, 120_000 * k, 170_000_000 * k, 412 * (k % 3 == 1), 0, 1_000_000 - 70_000 * k)
        for k, link in enumerate(topology().links)
    )
    emulator = tuple(
        EmulatorFigures(float(cpu), 500_000, float(p50), float(p50) * 4, float(p50) * 30, True)
        for cpu, p50 in zip(
            rng.uniform(0.08, 0.22, launches), 12e-6 * rng.lognormal(0, 0.2, launches), strict=True
        )
    )
    return NetworkFigures(links, emulator, launches)


def _overheads(placement: str) -> list[Overhead]:
    found = []
    for number, name in enumerate(samples.IMPLEMENTATIONS):
        for size in samples.SIZES:
            tcp = 5.83e-3 + size / 110e6 if placement == "across-sites" else 30e-6 + size / 6e9
            added = (4e-6 + 2.5e-6 * number) * (1 + size / 60_000) - (20e-6 if number == 1 and size < 64 else 0)
            mpi, width = tcp + added, 0.15 * abs(added)
            found.append(
                Overhead(
                    name, size, 2, tcp, mpi, mpi / tcp, (mpi - width) / tcp, (mpi + width) / tcp,
                    added, added - width, added + width, 14, number != 5, placement=placement,
                )
            )  # fmt: skip
    return found


def _stream(name: str, benchmark: str, growth_seconds: float, options: Options) -> StreamCurve:
    rng = np.random.default_rng(len(name))
    rates, now = [], 0.0
    for _ in range(200):
        rates.append(115e6 * (1 - 0.97 * math.exp(-now / growth_seconds)) * rng.normal(1, 0.02))
        now += _MESSAGE / rates[-1]
    middle = np.array(rates)
    times = np.cumsum(_MESSAGE / middle)
    first = float(times[np.argmax(8 * middle > 500e6)]) if growth_seconds < 2 else math.inf
    most = float(times[np.argmax(8 * middle > 0.9 * np.max(8 * middle))])
    reached = (
        Reached(500e6, 0.0, first, first * 0.9, first * 1.2, 14),
        Reached(828e6, 0.9, most, most * 0.9, most * 1.2, 14),
    )
    cell = Cell(name, benchmark, _MESSAGE, 2, options, placement="across-sites", testbed="grid5000-2007")
    category = "baseline" if benchmark == "tcp_stream" else "point-to-point"
    return StreamCurve(cell, category, times, middle, middle * 0.93, middle * 1.06, 14, reached)


def _timelines(cell: Cell) -> list[TimelineCurve]:
    moments = np.linspace(0, 2.2, 200)
    window = 1.6e6 * (1 - np.exp(-moments / 0.5)) * (1 - 0.2 * (moments % 0.7) / 0.7)
    values: dict[TimelineQuantity, np.ndarray] = {
        "congestion window": window,
        "round trip": 11.6e-3 + 4e-3 * window / 1.6e6,
        "retransmits": np.floor(moments / 0.7) * 12,
    }
    return [
        TimelineCurve(cell, quantity, moments, value, value * 0.95, value * 1.05, 14)
        for quantity, value in values.items()
    ]


@cache
def comparison() -> Comparison:
    """The sample with overheads at two placements, streams under two congestion controls, and warnings."""
    base = samples.comparison()
    streams: list[StreamCurve] = []
    timelines: list[TimelineCurve] = []
    for word, growth in (("cubic", 0.4), ("reno", 1.1)):
        options = Options(congestion_control=word)
        raw = _stream(samples.BASELINE, "tcp_stream", growth, options)
        streams += [
            raw,
            *(_stream(name, "stream", growth * (1.3 + k / 2), options) for k, name in enumerate(STREAMED)),
        ]
        timelines += _timelines(raw.cell)
    return replace(
        base,
        overheads=tuple(one for placement in PLACEMENTS for one in _overheads(placement)),
        streams=tuple(streams),
        timelines=tuple(timelines),
        notices=(
            *base.notices,
            Notice("late-link", "packets were late by 0.2 ms, 3.4 % of the path (in 3 of 40 launches)", "wait"),
            Notice("emulator-busy", "the emulator used 92 % of a core (in 1 of 40 launches)", "use fewer ranks"),
        ),
        curves=tuple(replace(one, placement=_placement(one.benchmark)) for one in base.curves),
        verdicts=tuple(replace(one, placement=_placement(one.benchmark)) for one in base.verdicts),
        switch_points=tuple(replace(one, placement=_placement(one.benchmark)) for one in base.switch_points),
        distributions=tuple(
            replace(one, cell=replace(one.cell, placement=_placement(one.cell.benchmark)))
            for one in base.distributions
        ),
        failures=tuple(
            replace(one, cell=replace(one.cell, placement=_placement(one.cell.benchmark))) for one in base.failures
        ),
    )


def _placement(benchmark: str) -> str:
    """Pairs are measured across the sites, collectives on all nodes."""
    return PLACEMENTS[samples.BENCHMARKS.get(benchmark, ("point-to-point",))[0] == "collective"]


def context() -> ReportContext:
    return replace(
        samples.context(title="Six MPIs between Rennes and Nancy"),
        topology=topology(), paths=paths(), network=network(),
    )  # fmt: skip
