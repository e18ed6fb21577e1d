"""McClements 2006 with a known truth: made-up cores, collectives by schedules over them, launches."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache

import numpy as np

from rankwise.analysis.compare.comparison import compare
from rankwise.core.records import Benchmark, Category, Cell, Launch, RunSummary, Segment, Series
from rankwise.core.schedule_names import is_schedule, operation_of
from rankwise.studies import base
from rankwise.studies.base import Results, StudyRun
from rankwise.studies.mcclements2006.plan import COPY, OPERATIONS, PAIRS, RUNS

STUDY = base.find("mcclements2006")
OPENMPI, MPICH, LAM = "openmpi-5.0.11", "mpich-5.0.2", "lammpi-7.1.4"
Truth = Callable[[str, str, int, int, str], float]
"""Seconds of an implementation's benchmark: name, benchmark, bytes, ranks, place."""

# Latency and bytes per second of each core: on the network all alike, on the host as the paper has them.
NET = (300e-6, 110e6)
HOST = {OPENMPI: (2.4e-6, 400e6), MPICH: (0.8e-6, 600e6), LAM: (0.3e-6, 400e6)}
NATIVE = {
    OPENMPI: {
        "reduce": ("linear", "linear"), "reduce_scatter": ("reduce_scatterv", "reduce_scatterv"),
        "gather": ("linear", "linear"), "allgather": ("gather_bcast", "gather_bcast"),
        "bcast": ("binomial", "binomial"),
    },
    MPICH: {
        "reduce": ("binomial", "rabenseifner"), "reduce_scatter": ("recursive_halving", "pairwise"),
        "gather": ("binomial", "binomial"), "allgather": ("recursive_doubling", "ring"),
        "bcast": ("binomial", "scatter_allgather_ring"),
    },
    LAM: {
        "reduce": ("linear", "binomial"), "reduce_scatter": ("reduce_scatterv", "reduce_scatterv"),
        "gather": ("linear", "linear"), "allgather": ("gather_bcast", "gather_bcast"),
        "bcast": ("binomial", "binomial"),
    },
}  # fmt: skip
"""For messages below and from 12 KiB on."""
SLIGHTLY_FASTER: dict[int, dict[str, tuple[str, ...]]] = {
    2: {LAM: ("reduce", "gather"), MPICH: ("allgather", "reduce_scatter"), OPENMPI: ("bcast",)},
    4: {LAM: ("reduce", "gather"), OPENMPI: ("bcast",)},
}
"""On the network, so that none is the fastest in most cells."""


def schedule(name: str, size: int, ranks: int, core: tuple[float, float]) -> float:
    """Latencies and bytes on the longest way, roughly."""
    latency, rate = core
    rounds, whole, most = math.log2(ranks), size / rate, ranks - 1
    segments = -(-size // (64 << 10))
    costs = {
        "bcast.linear": 1.5 * latency + most * whole,
        "bcast.binomial": rounds * (latency + whole),
        "bcast.chain:segment=64K": (ranks - 2 + segments) * (latency + whole / segments),
        "bcast.scatter_allgather_doubling": 2 * rounds * latency + 2 * most / ranks * whole,
        "bcast.scatter_allgather_ring": (rounds + most) * latency + 2 * most / ranks * whole,
        "reduce.rabenseifner": 2 * rounds * latency + 2.2 * most / ranks * whole,
        "reduce_scatter.recursive_halving": rounds * latency + most / ranks * whole,
        "reduce_scatter.pairwise": most * latency + most / ranks * whole,
        "reduce_scatter.reduce_scatterv": (rounds + 1) * latency + (rounds + most / ranks) * whole,
        "gather.linear": latency + most * whole,
        "gather.binomial": rounds * latency + most * whole,
        "allgather.linear": latency + most * whole,
        "allgather.recursive_doubling": rounds * latency + most * whole,
        "allgather.ring": most * (latency + whole),
        "allgather.gather_bcast": (1 + rounds) * latency + (most + rounds * ranks) * whole,
    }
    if name.startswith("reduce.") and name not in costs:
        name = name.replace("reduce.", "bcast.")
    return costs[name]


def as_published(name: str, benchmark: str, size: int, ranks: int, place: str) -> float:
    """A world in which every statement of the paper is true."""
    if benchmark == COPY:
        return 0.1e-6 + size / 750e6
    if benchmark in (*PAIRS, "sendrecv", "exchange"):
        return _messages(name, benchmark, size, place)
    core = NET if place == "cluster" else HOST[name]
    operation = operation_of(benchmark)
    if not is_schedule(benchmark):
        benchmark = f"{operation}.{NATIVE[name][operation][size >= 12 << 10]}"
    mine = 0.8 if place == "cluster" and operation in SLIGHTLY_FASTER[ranks].get(name, ()) else 1.0
    return mine * schedule(benchmark, size, ranks, core)


def _messages(name: str, benchmark: str, size: int, place: str) -> float:
    if place == "cluster":
        rates = {OPENMPI: (240e6, 120e6), MPICH: (112e6, 105e6), LAM: (110e6, 80e6)}[name]
        return 50e-6 + size / rates[benchmark == "pingping"]
    latency, rate = HOST[name]
    return latency + size / rate + (20e-6 if name == LAM and size >= 10240 else 0.0)


def results_of(run: StudyRun, truth: Truth, *, launches: int = 4) -> Results:
    """What the store has of one run; all that a launch takes differs a little from the next one's."""
    assert run.quick is not None
    testbed = STUDY.testbed_name(run)
    names = (OPENMPI, MPICH, LAM)
    random = np.random.default_rng(5)
    found = []
    for number in range(launches):
        for name in names:
            pace = 1 + 1e-3 * random.random()
            series = []
            for benchmark in run.benchmarks:
                if benchmark == COPY and name != names[0]:
                    continue
                for size in run.quick.sizes_bytes:
                    cell = Cell(name, benchmark, size, run.ranks, testbed=testbed, placement=run.placement)
                    seconds = truth(name, benchmark, size, run.ranks, run.testbed) * pace
                    series.append(Series(cell, "time", np.full(5, seconds), float(size)))
            segments = (Segment(name, run.ranks),)
            found.append(Launch(segments, "finished", "mpiexec", (), float(number), 1.0, tuple(series)))
    known = {name: Benchmark(name, _category(name), "made up") for name in run.benchmarks}
    summary = RunSummary(1, 1.7e9, "rankwise study", testbed, names, 1, len(found), "complete", "max launches")
    return Results(summary, compare(found, known, implementations=names), tuple(found))


def _category(name: str) -> Category:
    if name == COPY:
        return "baseline"
    if is_schedule(name):
        return "schedule"
    return "collective" if name in OPERATIONS else "point-to-point"


QUICK = {run.label: run for run in RUNS if run.quick}


@cache
def published() -> dict[str, Results]:
    return {label: results_of(run, as_published) for label, run in QUICK.items()}
