"""Benchmarks without a comparison: what they took, or whether their data are right."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import RenderableType

from rankwise.analysis.compare.notices import of_launches
from rankwise.analysis.listing import Row, list_cells
from rankwise.analysis.without_results import NO_RESULT, no_result_notices
from rankwise.core.plain import plain
from rankwise.core.records import Benchmark, Cell, CellFailure, Launch, Notice
from rankwise.report import listings
from rankwise.store.store import Store
from rankwise.workflows import measure
from rankwise.workflows.events import Events
from rankwise.workflows.prepare import prepare


@dataclass(frozen=True, slots=True, eq=False)
class BenchResult:
    """What a run of benchmarks gave."""

    run_id: int
    rows: tuple[Row, ...]
    """One for each cell and quantity."""
    launches: tuple[Launch, ...]
    failures: tuple[CellFailure, ...]
    notices: tuple[Notice, ...] = ()
    """Of the run and its launches, and of variants without any result."""

    @property
    def verified(self) -> list[Cell]:
        """The cells whose data were checked and right."""
        return sorted({cell for launch in self.launches for cell in launch.verified})

    def parts(self) -> Iterator[RenderableType]:
        """Yield what a terminal shows: a table of times."""
        yield from listings.row_parts(self.rows)

    def to_dict(self) -> dict[str, Any]:
        """Return the answer for programs, as `--json` prints it."""
        values: dict[str, Any] = plain({
            "run": self.run_id, "cells": self.rows, "verified": self.verified, "failed": self.failures,
            "notices": self.notices,
        })  # fmt: skip
        return values

    @property
    def objections(self) -> tuple[str, ...]:
        """Why a check of this run fails: wrong data, or an implementation without any result."""
        wrong = sum(failure.kind == "wrong data" for failure in self.failures)
        said = [notice.message for notice in self.notices if notice.kind in NO_RESULT]
        return (*said, *([f"{wrong} cells delivered wrong data"] if wrong else []))


def bench(request: measure.Request, store: Path, events: Events) -> BenchResult:
    """Run the benchmarks that were asked for. Raises InterruptedRun with the way to go on."""
    with Store(store) as opened:
        return load(measure.measure(request, opened, events), opened)


def load(run_id: int, store: Store) -> BenchResult:
    """Return what a stored run gave."""
    launches = tuple(store.launches(run_id))
    known = {benchmark.name: benchmark for benchmark in store.benchmarks(run_id)}
    failures = (*store.failures(run_id), *(failure for launch in launches for failure in launch.failures))
    plan = store.plan(run_id)
    without = no_result_notices(plan.cells, launches, verify=plan.verify)
    notices = (*without, *of_launches(launches), *store.notices(run_id))
    return BenchResult(run_id, tuple(list_cells(launches, known)), launches, failures, notices)


def benchmarks(names: Sequence[str], prefixes: Sequence[Path], events: Events) -> dict[str, dict[str, Benchmark]]:
    """Return what each of these implementations (none: all that work) can measure, by id and benchmark."""
    return prepare(names, prefixes, events).menu
