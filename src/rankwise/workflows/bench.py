"""Benchmarks without a comparison: what they took, or whether their data are right."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from rankwise.analysis.listing import Row, list_cells
from rankwise.core.records import Benchmark, Cell, CellFailure, Launch
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

    @property
    def verified(self) -> list[Cell]:
        """The cells whose data were checked and right."""
        return sorted({cell for launch in self.launches for cell in launch.verified})

    @property
    def has_wrong_data(self) -> bool:
        """Whether any operation delivered wrong data."""
        return any(one.kind == "wrong data" for one in self.failures)


def bench(request: measure.Request, store: Path, events: Events) -> BenchResult:
    """Run the benchmarks that were asked for. Raises InterruptedRun with the way to go on."""
    with Store(store) as opened:
        return load(measure.measure(request, opened, events), opened)


def load(run_id: int, store: Store) -> BenchResult:
    """Return what a stored run gave."""
    launches = tuple(store.launches(run_id))
    known = {one.name: one for one in store.benchmarks(run_id)}
    failures = (*store.failures(run_id), *(one for launch in launches for one in launch.failures))
    return BenchResult(run_id, tuple(list_cells(launches, known)), launches, failures)


def benchmarks(names: Sequence[str], prefixes: Sequence[Path], events: Events) -> dict[str, dict[str, Benchmark]]:
    """Return what each of these implementations (none: all that work) can measure, by id and benchmark."""
    return prepare(names, prefixes, events).menu
