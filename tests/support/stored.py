"""Runs to put into a store: made by hand, and by Hypothesis from the records' own annotations."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import fields, is_dataclass, replace
from typing import Any, TypeVar, get_args, get_type_hints

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from rankwise.core.configuration import Configuration, plain
from rankwise.core.network import (
    EmulatorFigures,
    Hardware,
    Link,
    LinkCounters,
    Node,
    PathFigures,
    Route,
    Topology,
)  # fmt: skip
from rankwise.core.records import (
    Benchmark,
    Cell,
    CellFailure,
    Fact,
    Implementation,
    Launch,
    Library,
    Notice,
    Options,
    Plan,
    Segment,
    Series,
    Timeline,
    TimelineQuantity,
)  # fmt: skip
from rankwise.core.tuning import Setting, Tuning
from rankwise.store.store import Store

R = TypeVar("R")

OPENMPI = Implementation(
    "openmpi-5.0.11", "openmpi", "5.0.11", "/opt/ompi", "/opt/ompi/bin/mpicc", "/opt/ompi/bin/mpiexec", "prefix",
    library_version="Open MPI v5.0.11", transports=("self", "sm"), environment=(("A", "1"),), status="works",
)  # fmt: skip
CELLS = tuple(Cell(OPENMPI.id, "allreduce", 4**power, 2, Options(operation="max")) for power in range(4))
PLAN = Plan(
    CELLS, seed=7, time_budget_seconds=60.0, launcher_arguments=("--bind-to", "none"),
)  # fmt: skip
BENCHMARKS = (Benchmark("allreduce", "collective", "every rank gets the sum", derived_types=False),)
FACTS = (Fact("kernel", "6.1"), Fact("governor", "performance"))
TOPOLOGY = Topology(
    "two-sites", "emulated", ("east", "west"),
    nodes=(
        Node("e0", "east", 2, "10.0.0.1/16", "e0.out", "e0.in", (("net.ipv4.tcp_congestion_control", "cubic"),)),
        Node("w0", "west", 2, "10.0.0.2/16", "w0.out", "w0.in"),
    ),
    links=(
        *(Link(name, 1e9, 1e-5, 262_144) for name in ("e0.out", "e0.in", "w0.out", "w0.in")),
        Link("wan.there", 1e8, 0.01, 1_250_000, 5e-4, "exponential", 0.001, 3.0),
        Link("wan.back", 2e7, 0.015),
    ),
    routes=(
        Route("east", "west", ("wan.there",)),
        Route("west", "east", ("wan.back",)),
        Route("east", "east", ()),
    ),
    hardware=Hardware("2004", 1500, 1500, False, True, 1.2),
    description="Two sites, slower on the way back",
)  # fmt: skip
PATHS = (
    PathFigures("e0", "w0", 0.01, 0.0101, 0.0115, 1e8, 9.4e7, 0.001, 0.0012),
    PathFigures("w0", "e0", 0.015, 0.0151, math.nan, 2e7, math.nan, 0.0, math.nan),
)
LINKS = (
    LinkCounters("wan.there", 10_000, 14_000_000, 12, 9, 1_250_000),
    LinkCounters("wan.back", 5_000, 330_000, 0, 0, 4_096),
)
EMULATOR = EmulatorFigures(0.25, 15_000, 2e-6, 3e-5, 4e-4, True)


def make_launch(number: int = 0, repetitions: int = 5, status: Any = "finished") -> Launch:
    """A launch with samples that differ from one launch, cell and repetition to the next."""
    series = tuple(
        Series(cell, "time", 1e-6 * (1 + number + np.arange(repetitions) / 7 + index), bytes_per_sample=8.0)
        for index, cell in enumerate(CELLS)
    )
    return Launch(
        (Segment(OPENMPI.id, 2),), status, "mpiexec -n 2 harness", (("OMP", "1"),), started_at=1.7e9 + number,
        seconds=1.5,
        series=series if status == "finished" else (),
        failures=(CellFailure(CELLS[0], "wrong sum", "wrong data"),) if status == "finished" else (),
        notices=(Notice("noisy", "the host is noisy", "stop other programs"),),
        libraries=(Library("mpi", "/opt/ompi/lib/libmpi.so.40", "5.0.11"),),
    )  # fmt: skip


def make_timelines(number: int = 0, moments: int = 6) -> tuple[Timeline, ...]:
    """Each quantity for the last cell, with values that differ from one launch and moment to the next."""
    times_seconds = np.arange(moments) * 1e-3
    return tuple(
        Timeline(CELLS[-1], quantity, times_seconds + index * 1e-4, 10.0 * number + np.arange(moments) / 3)
        for index, quantity in enumerate(get_args(TimelineQuantity))
    )


def networked_launch(number: int = 0, **options: Any) -> Launch:
    """A launch on emulated links: with counters, the emulator's figures and timelines."""
    launch = make_launch(number, **options)
    return replace(launch, links=LINKS, emulator=EMULATOR, timelines=make_timelines(number))


def begin(store: Store, command_line: str = "rankwise compare --time 1m", topology: Topology | None = None) -> int:
    """Begin a run in the store."""
    return store.begin_run(
        command_line, "local", PLAN,
        implementations=[OPENMPI], benchmarks=BENCHMARKS, facts=FACTS, baseline=OPENMPI.id,
        topology=topology,
    )  # fmt: skip


def measured(store: Store, launches: int = 3, make: Callable[[int], Launch] = make_launch, **options: Any) -> int:
    """A complete run."""
    run_id = begin(store, **options)
    for number in range(launches):
        store.add_launch(run_id, make(number))
    store.finish_run(run_id, "complete", "precise")
    return run_id


CONFIGURATION = replace(plain(OPENMPI), tuning=Tuning((Setting("eager-threshold", "65536"),)))
"""What a launch of the run `configured` loads."""


def configured(store: Store, setting: Configuration = CONFIGURATION) -> int:
    """A complete run whose cells and launch name a configuration."""
    cells = tuple(replace(cell, label="wan", configuration=setting.id) for cell in CELLS)
    run_id = store.begin_run(
        "rankwise compare --profile wan", "local", replace(PLAN, cells=cells), implementations=[OPENMPI],
        benchmarks=BENCHMARKS, configurations=[setting],
    )  # fmt: skip
    launch = replace(make_launch(), segments=(Segment(OPENMPI.id, 2, setting.id, "harness bcast:8"),), failures=(),
                     series=(Series(cells[0], "time", np.ones(3)),))  # fmt: skip
    store.add_launch(run_id, launch)
    store.finish_run(run_id, "complete", "precise")
    return run_id


def every_field(record: type[R], **given: Any) -> st.SearchStrategy[R]:
    """The record with all fields, also those with a default, drawn from their annotations."""
    hints = get_type_hints(record)
    return st.builds(record, **{name: given.get(name, _of_type(hint)) for name, hint in hints.items()})


def _of_type(hint: Any) -> st.SearchStrategy[Any]:
    if hint is int:
        return st.integers(-(2**63), 2**63 - 1)
    return _CELLS if hint is Cell else st.from_type(hint)


_INTEGERS = st.integers(-(2**63), 2**63 - 1)
_CELLS: st.SearchStrategy[Cell] = st.builds(
    Cell, st.text(), st.text(), _INTEGERS, _INTEGERS, every_field(Options), st.text(), st.text(), st.text()
)
_SEGMENTS = st.lists(
    st.builds(Segment, st.text(), st.integers(0, 2**31), st.text(), st.text()), min_size=1, max_size=3
).map(tuple)
_SERIES = every_field(Series, cell=_CELLS, samples_seconds=arrays(np.float64, st.integers(0, 20)))


def _timelines(moments: int) -> st.SearchStrategy[Timeline]:
    return every_field(
        Timeline, cell=_CELLS, times_seconds=arrays(np.float64, moments), values=arrays(np.float64, moments)
    )


launches = every_field(
    Launch,
    segments=_SEGMENTS,
    links=st.lists(every_field(LinkCounters), max_size=3).map(tuple),
    emulator=st.none() | every_field(EmulatorFigures),
    timelines=st.lists(st.integers(0, 20).flatmap(_timelines), max_size=3).map(tuple),
    series=st.lists(_SERIES, max_size=4).map(tuple),
    verified=st.lists(_CELLS, max_size=3).map(tuple),
    failures=st.lists(every_field(CellFailure, cell=_CELLS), max_size=3).map(tuple),
)
plans = every_field(Plan, cells=st.lists(_CELLS, unique=True, max_size=6).map(tuple), seed=st.integers())
implementations = st.lists(every_field(Implementation), unique_by=lambda one: one.id, max_size=3).map(tuple)
benchmarks = st.lists(every_field(Benchmark), max_size=3).map(tuple)
facts = st.lists(every_field(Fact), max_size=4).map(tuple)
topologies = every_field(
    Topology,
    nodes=st.lists(every_field(Node), max_size=3).map(tuple),
    links=st.lists(every_field(Link), max_size=3).map(tuple),
    routes=st.lists(every_field(Route), max_size=3).map(tuple),
    hardware=every_field(Hardware),
)
paths = st.lists(every_field(PathFigures), max_size=3).map(tuple)


def plain(value: Any) -> Any:
    """A record as nested tuples that compare equal when they are the same: arrays bit by bit, nan as nan."""
    if is_dataclass(value):
        return tuple((field.name, plain(getattr(value, field.name))) for field in fields(value))
    if isinstance(value, list | tuple):
        return tuple(map(plain, value))
    if isinstance(value, np.ndarray):
        return value.dtype.str, value.shape, value.tobytes()
    return "nan" if isinstance(value, float) and math.isnan(value) else value
