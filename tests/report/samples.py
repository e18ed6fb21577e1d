"""A synthetic comparison with the traits of real ones: six implementations, switches, failures, doubt."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache

import numpy as np

from rankwise.core.records import (
    Category,
    Cell,
    CellFailure,
    Fact,
    Implementation,
    Notice,
    Plan,
    Quantity,
    RunSummary,
)
from rankwise.core.results import (
    Comparison,
    Curve,
    CurvePoint,
    Distribution,
    Overlap,
    SummaryRow,
    SwitchPoint,
    Verdict,
    VerdictWord,
)
from rankwise.report.context import LaunchCommand, ReportContext

BASELINE = "openmpi-4.1.4"
IMPLEMENTATIONS = (BASELINE, "openmpi-5.0.11", "mpich-4.0.2", "mpich-5.0.2", "intelmpi-2021.19", "lammpi-7.1.4")
SIZES = (1, 8, 64, 512, 1024, 4096, 16384, 65536, 131072, 262144, 1048576, 4194304)
DELTA = 0.03


@dataclass(frozen=True)
class Speed:
    """Latency in seconds, bytes per second, and the size of the eager/rendezvous switch with its jump."""

    latency: float
    bandwidth: float
    switch_bytes: int
    jump: float


SPEEDS = {
    "openmpi-4.1.4": Speed(0.30e-6, 7.8e9, 4096, 1.5),
    "openmpi-5.0.11": Speed(0.30e-6, 7.4e9, 4096, 1.4),
    "mpich-4.0.2": Speed(0.43e-6, 8.3e9, 16384, 1.3),
    "mpich-5.0.2": Speed(0.61e-6, 12.6e9, 65536, 1.6),
    "intelmpi-2021.19": Speed(0.42e-6, 9.1e9, 262144, 1.2),
    "lammpi-7.1.4": Speed(1.9e-6, 6.1e9, 65536, 1.9),
}
# name -> category, ranks, factor on latency, factor on bytes, bytes moved per byte of the message (0: none)
BENCHMARKS: dict[str, tuple[Category, int, float, float, float]] = {
    "pingpong": ("point-to-point", 2, 1.0, 1.0, 1.0),
    "sendrecv": ("point-to-point", 2, 1.4, 1.3, 2.0),
    "bandwidth": ("point-to-point", 2, 0.5, 0.8, 1.0),
    "late_receiver": ("point-to-point", 2, 1.2, 1.6, 1.0),
    "barrier": ("collective", 4, 2.6, 0.0, 0.0),
    "bcast": ("collective", 4, 1.9, 1.7, 0.0),
    "allreduce": ("collective", 4, 3.1, 2.9, 0.0),
    "allgather": ("collective", 4, 2.8, 3.4, 0.0),
    "alltoall": ("collective", 4, 3.9, 4.4, 0.0),
    "ibcast": ("nonblocking", 4, 2.3, 1.8, 0.0),
    "iallreduce": ("nonblocking", 4, 3.6, 3.0, 0.0),
    "put": ("one-sided", 2, 1.7, 1.0, 1.0),
}
UNSUPPORTED = ("ibcast", "iallreduce", "put")


def _seconds(implementation: str, benchmark: str, size: int) -> float:
    """A made-up but plausible median."""
    speed = SPEEDS[implementation]
    _, _, latency_factor, byte_factor, _ = BENCHMARKS[benchmark]
    trait = 1 + 0.12 * math.sin(7 * IMPLEMENTATIONS.index(implementation) + 3 * list(BENCHMARKS).index(benchmark))
    drift = 1 + 0.3 * math.cos(5 * IMPLEMENTATIONS.index(implementation) + 2 * list(BENCHMARKS).index(benchmark))
    seconds = speed.latency * latency_factor * trait + size * byte_factor * drift / speed.bandwidth
    return seconds * (speed.jump if size >= speed.switch_bytes else 1.0)


def _sizes(benchmark: str) -> tuple[int, ...]:
    return (0,) if benchmark == "barrier" else SIZES


def _point(size: int, median: float, bytes_per_sample: float, rng: np.random.Generator) -> CurvePoint:
    width = rng.uniform(0.004, 0.05)
    return CurvePoint(
        size_bytes=size,
        median_seconds=median,
        low_seconds=median * (1 - width),
        high_seconds=median * (1 + width),
        p10_seconds=median * 0.96,
        p90_seconds=median * 1.15,
        p99_seconds=median * 2.1,
        min_seconds=median * 0.93,
        launches=14,
        samples=14_000,
        bytes_per_sample=bytes_per_sample,
        precise=width <= 0.02,
    )


def _curve(implementation: str, benchmark: str, quantity: Quantity, rng: np.random.Generator) -> Curve:
    category, ranks, _, _, moved = BENCHMARKS[benchmark]
    points = []
    for size in _sizes(benchmark):
        time = _seconds(implementation, benchmark, size)
        overlap = min(0.95, 0.15 + 0.06 * math.log2(size + 1)) * (
            0.6 + 0.08 * IMPLEMENTATIONS.index(implementation)
        )
        median = {"time": time, "compute": time * 1.2, "total": time * (2.2 - overlap)}[quantity]
        points.append(_point(size, median, moved * size, rng))
    return Curve(implementation, benchmark, category, ranks, tuple(points), quantity)


def _curves(rng: np.random.Generator) -> list[Curve]:
    curves = []
    for benchmark, (category, *_) in BENCHMARKS.items():
        quantities: tuple[Quantity, ...] = ("time", "total", "compute") if category == "nonblocking" else ("time",)
        for implementation in IMPLEMENTATIONS:
            if implementation == "lammpi-7.1.4" and benchmark in UNSUPPORTED:
                continue
            curves += [_curve(implementation, benchmark, quantity, rng) for quantity in quantities]
    for name, latency, bandwidth in (("tcp_pingpong", 9e-6, 3.1e9), ("memcpy", 0.04e-6, 11e9)):
        points = [_point(size, latency + size / bandwidth, size, rng) for size in SIZES]
        curves.append(Curve(BASELINE, name, "baseline", 2, tuple(points)))
    return curves


def _verdict(baseline: Curve, candidate: Curve, index: int, rng: np.random.Generator) -> Verdict:
    ours, theirs = candidate.points[index], baseline.points[index]
    ratio = ours.median_seconds / theirs.median_seconds
    width = rng.uniform(0.005, 0.06)
    low, high = ratio * (1 - width), ratio * (1 + width)
    word: VerdictWord = "undecided"
    if low > 1 - DELTA and high < 1 + DELTA:
        word = "equivalent"
    elif low > 1 or high < 1:
        word = "slower" if low > 1 else "faster"
        if rng.uniform() < 0.2:
            word = "probably slower" if low > 1 else "probably faster"
    p_value = 0.0004 if word in ("slower", "faster") else 0.4
    return Verdict(
        baseline.benchmark,
        ours.size_bytes,
        baseline.ranks,
        baseline.implementation,
        candidate.implementation,
        ratio,
        low,
        high,
        p_value,
        word,
        theirs.median_seconds,
        ours.median_seconds,
        (14, 14),
        q_value=p_value / 10,
        visible_ratio=math.exp(3 * width),
    )


def _verdicts(curves: list[Curve], rng: np.random.Generator) -> list[Verdict]:
    measured = [c for c in curves if c.quantity == "time" and c.category != "baseline"]
    reference = {c.benchmark: c for c in measured if c.implementation == BASELINE}
    return [
        _verdict(reference[curve.benchmark], curve, index, rng)
        for curve in measured
        if curve.implementation != BASELINE
        for index in range(len(curve.points))
    ]


def _summary(verdicts: list[Verdict]) -> list[SummaryRow]:
    rows = []
    bounds = {"small": (0, 1024), "medium": (1025, 65536), "large": (65537, 1 << 40), "all": (0, 1 << 40)}
    for category in ("point-to-point", "collective", "nonblocking", "one-sided"):
        for size_class, (low, high) in bounds.items():
            for implementation in IMPLEMENTATIONS:
                ratios = [
                    v.ratio
                    for v in verdicts
                    if v.candidate == implementation
                    and BENCHMARKS[v.benchmark][0] == category
                    and low <= v.size_bytes <= high
                ]
                if implementation == BASELINE:
                    rows.append(SummaryRow(implementation, category, size_class, 1.0, 1.0, 1.0, 3, 20, 24))
                elif ratios:
                    mean = float(np.exp(np.mean(np.log(ratios))))
                    fastest, unbeaten = sum(r < 0.9 for r in ratios), sum(r < 1.05 for r in ratios)
                    own = (mean, mean * 0.97, mean * 1.03, fastest, unbeaten, len(ratios))
                    rows.append(SummaryRow(implementation, category, size_class, *own))
    return rows


def _distributions(curves: list[Curve], rng: np.random.Generator) -> list[Distribution]:
    found = []
    for curve in curves:
        if curve.quantity != "time":
            continue
        for point in curve.points:
            body = point.median_seconds * rng.lognormal(0, 0.05, 2000)
            slow = rng.random(2000) < 0.03
            samples = np.where(slow, body * rng.uniform(2, 9, 2000), body)
            cell = Cell(curve.implementation, curve.benchmark, point.size_bytes, curve.ranks)
            found.append(Distribution(cell, np.quantile(samples, np.linspace(0, 1, 101))))
    return found


def _overlaps(curves: list[Curve]) -> list[Overlap]:
    """Of small messages computation and operation disturb one another."""
    return [
        Overlap(
            curve.implementation,
            curve.benchmark,
            point.size_bytes,
            curve.ranks,
            share,
            share - 0.1,
            share + 0.1,
            14,
        )
        for curve in curves
        if curve.category == "nonblocking" and curve.quantity == "time"
        for point in curve.points
        for share in [min(0.95, 0.06 * math.log2(point.size_bytes + 1) - 0.2)]
    ]


@cache
def comparison() -> Comparison:
    """Twelve benchmarks of all categories on six implementations, the same at every call."""
    rng = np.random.default_rng(20261121)
    curves = _curves(rng)
    verdicts = _verdicts(curves, rng)
    failures = [
        CellFailure(Cell("lammpi-7.1.4", name, size, BENCHMARKS[name][1]), "LAM/MPI has no MPI-3", "unsupported")
        for name in UNSUPPORTED
        for size in SIZES
    ]
    failures.append(
        CellFailure(
            Cell("mpich-4.0.2", "alltoall", 4194304, 4), "mpiexec was ended at its limit of 120 s", "failed"
        )
    )
    return Comparison(
        baseline=BASELINE,
        implementations=IMPLEMENTATIONS,
        delta=DELTA,
        alpha=0.05,
        verdicts=tuple(v for v in verdicts if (v.candidate, v.benchmark, v.size_bytes) != FAILED),
        summary=tuple(_summary(verdicts)),
        curves=tuple(curves),
        switch_points=tuple(
            SwitchPoint(
                name,
                "pingpong",
                2,
                SIZES[SIZES.index(s.switch_bytes) - 1],
                s.switch_bytes,
                s.jump,
                jump_low=s.jump * 0.95,
                jump_high=s.jump * 1.05,
            )
            for name, s in SPEEDS.items()
        ),
        distributions=tuple(_distributions(curves, rng)),
        overlaps=tuple(_overlaps(curves)),
        failures=tuple(failures),
        notices=(
            Notice("noisy-host", "Load was 1.7 before 4 of 84 launches.", "Stop other work, or give --time 10m."),
            Notice(
                "governor",
                "The CPU frequency governor is 'powersave': short operations may vary.",
                "sudo cpupower frequency-set -g performance",
            ),
        ),
    )


FAILED = ("mpich-4.0.2", "alltoall", 4194304)


def implementation(name: str) -> Implementation:
    """An installed MPI of that id."""
    family, _, version = name.partition("-")
    return Implementation(
        id=name,
        family=family,
        version=version,
        prefix="/opt/" + name,
        mpicc=f"/opt/{name}/bin/mpicc",
        mpiexec=f"/opt/{name}/bin/mpiexec",
        source="prefix",
        library_version=f"{family} v{version}, built for this sample",
        mpi_standard="2.1" if family == "lammpi" else "4.0",
        transports=("shared memory",),
        status="works",
    )


def context(names: tuple[str, ...] = IMPLEMENTATIONS, title: str = "Six MPIs on one node") -> ReportContext:
    """What stands around the sample comparison."""
    return ReportContext(
        title=title,
        sentences=(
            "mpich-5.0.2 moves large messages fastest: 1.45 times the bandwidth of openmpi-4.1.4 at 4 MiB.",
            "openmpi-4.1.4 and openmpi-5.0.11 have the lowest latency: 0.30 µs for 1 B, and cannot be told apart.",
            "For collectives of 4 ranks openmpi-4.1.4 wins below 64 KiB, mpich-5.0.2 above it.",
            "lammpi-7.1.4 is slower everywhere: 6.3 times the latency of openmpi-4.1.4.",
        ),
        run=RunSummary(
            id=7,
            created_at=1_795_300_000.0,
            command_line="rankwise compare --thorough -n 4 --time 10m",
            testbed="local",
            implementations=names,
            cells=738,
            launches=84,
            status="complete",
            stopped_because="the time budget of 10 min was used",
        ),
        plan=Plan(cells=(), seed=42, time_budget_seconds=600.0),
        implementations=tuple(implementation(name) for name in names),
        facts=(
            Fact("host", "node17"),
            Fact("cpu", "AMD EPYC 7543 32-Core Processor, 4 cores usable"),
            Fact("kernel", "6.1.0-31-amd64"),
            Fact("governor", "powersave"),
            Fact("net.ipv4.tcp_rmem", "4096 131072 6291456"),
            Fact("net.ipv4.tcp_congestion_control", "cubic"),
        ),
        commands=tuple(
            LaunchCommand(name, f"/opt/{name}/bin/mpiexec -n 4 ~/.cache/rankwise/kernels/{name}/harness --seed 42")
            for name in names
        ),
        command_line="rankwise compare --thorough -n 4 --time 10m",
        generated_at=1_795_300_720.0,
        extra=(Fact("rankwise", "0.1.0"),),
    )
