"""Runs to put into a store: made by hand, and by Hypothesis from the records' own annotations."""

from __future__ import annotations

import math
from dataclasses import fields, is_dataclass
from typing import Any, TypeVar, get_type_hints

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from rankwise.core.records import (
    Benchmark,
    Cell,
    CellFailure,
    Fact,
    Implementation,
    Launch,
    Notice,
    Options,
    Plan,
    Series,
)  # fmt: skip
from rankwise.store.store import Store

R = TypeVar("R")

OPENMPI = Implementation(
    "openmpi-5.0.11", "openmpi", "5.0.11", "/opt/ompi", "/opt/ompi/bin/mpicc", "/opt/ompi/bin/mpiexec", "prefix",
    library_version="Open MPI v5.0.11", transports=("self", "sm"), environment=(("A", "1"),), status="works",
)  # fmt: skip
CELLS = tuple(Cell(OPENMPI.id, "allreduce", 4**power, 2, Options(operation="max")) for power in range(4))
PLAN = Plan(CELLS, seed=7, time_budget_seconds=60.0, launcher_arguments=("--bind-to", "none"))
BENCHMARKS = (Benchmark("allreduce", "collective", "every rank gets the sum", derived_types=False),)
FACTS = (Fact("kernel", "6.1"), Fact("governor", "performance"))


def make_launch(number: int = 0, repetitions: int = 5, status: Any = "finished") -> Launch:
    """A launch with samples that differ from one launch, cell and repetition to the next."""
    series = tuple(
        Series(cell, "time", 1e-6 * (1 + number + np.arange(repetitions) / 7 + index), bytes_per_sample=8.0)
        for index, cell in enumerate(CELLS)
    )
    return Launch(
        OPENMPI.id, 2, status, "mpiexec -n 2 harness", (("OMP", "1"),), started_at=1.7e9 + number, seconds=1.5,
        series=series if status == "finished" else (),
        failures=(CellFailure(CELLS[0], "wrong sum", "wrong data"),) if status == "finished" else (),
        notices=(Notice("noisy", "the host is noisy", "stop other programs"),),
    )  # fmt: skip


def begin(store: Store, command_line: str = "rankwise compare --time 1m") -> int:
    """Begin a run in the store."""
    return store.begin_run(
        command_line, "local", PLAN,
        implementations=[OPENMPI], benchmarks=BENCHMARKS, facts=FACTS, baseline=OPENMPI.id,
    )  # fmt: skip


def measured(store: Store, launches: int = 3, **options: Any) -> int:
    """A complete run."""
    run_id = begin(store, **options)
    for number in range(launches):
        store.add_launch(run_id, make_launch(number))
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
_SERIES = every_field(Series, cell=_CELLS, samples_seconds=arrays(np.float64, st.integers(0, 20)))

launches = every_field(
    Launch,
    series=st.lists(_SERIES, max_size=4).map(tuple),
    verified=st.lists(_CELLS, max_size=3).map(tuple),
    failures=st.lists(every_field(CellFailure, cell=_CELLS), max_size=3).map(tuple),
)
plans = every_field(Plan, cells=st.lists(_CELLS, unique=True, max_size=6).map(tuple), seed=st.integers())
implementations = st.lists(every_field(Implementation), unique_by=lambda one: one.id, max_size=3).map(tuple)
benchmarks = st.lists(every_field(Benchmark), max_size=3).map(tuple)
facts = st.lists(every_field(Fact), max_size=4).map(tuple)


def plain(value: Any) -> Any:
    """A record as nested tuples that compare equal when they are the same: arrays bit by bit, nan as nan."""
    if is_dataclass(value):
        return tuple((field.name, plain(getattr(value, field.name))) for field in fields(value))
    if isinstance(value, list | tuple):
        return tuple(map(plain, value))
    if isinstance(value, np.ndarray):
        return value.dtype.str, value.shape, value.tobytes()
    return "nan" if isinstance(value, float) and math.isnan(value) else value
