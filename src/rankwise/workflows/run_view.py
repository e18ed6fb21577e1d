"""From a stored run to everything that is known of it."""

from __future__ import annotations

from collections import Counter, defaultdict
from pathlib import Path

import numpy as np

from rankwise.analysis.compare.cells import starts_of
from rankwise.analysis.compare.variants import cells_of
from rankwise.core.records import Cell, Library, Quantity, RunSummary, Start, launch_value
from rankwise.core.run_view import CellView, ConfigurationView, LaunchView, LibraryView, RunView
from rankwise.stats.intervals import median_interval
from rankwise.store.store import Store


def load(run_id: int | None, store: Path | None = None) -> RunView:
    """Return what is known of a run (None: of the newest). Raises InputError if there is none."""
    with Store(store, create=False) as opened:
        return _gather(opened, opened.run(run_id))


def _gather(store: Store, run: RunSummary) -> RunView:
    values: dict[tuple[Cell, Quantity], list[float]] = defaultdict(list)
    samples: Counter[tuple[Cell, Quantity]] = Counter()
    starts: dict[tuple[Cell, Quantity], list[Start]] = defaultdict(list)
    launches: list[LaunchView] = []
    labels: dict[str, dict[str, None]] = defaultdict(dict)
    failures = list(store.failures(run.id))
    notices = list(store.notices(run.id))
    loaded: Counter[tuple[str, Library]] = Counter()
    for number, launch in enumerate(store.iter_launches(run.id), start=1):
        launches.append(LaunchView(
            number, launch.implementation, launch.ranks, launch.status, launch.seconds, launch.command,
            dict(launch.environment), launch.reason, launch.segments, launch.stage,
            launch.verifying, launch.transports, launch.stdout, launch.stderr,
        ))  # fmt: skip
        loaded.update((launch.implementation, library) for library in launch.libraries)
        failures += launch.failures
        notices += launch.notices
        for cell in cells_of(launch):
            labels[cell.configuration][cell.label] = None
        for measured, visits in launch.visits().items():
            values[measured].append(launch_value(visits))
            samples[measured] += sum(visit.samples_seconds.size for visit in visits)
            starts[measured] += [visit.start for visit in visits]
    cells = [
        CellView(
            *measured,
            len(of_launches),
            samples[measured],
            float(np.median(of_launches)),
            *median_interval(np.array(of_launches)),
            starts_of(starts[measured]),
        )
        for measured, of_launches in values.items()
    ]
    moments = store.facts_by_moment(run.id)
    return RunView(
        run=run, baseline=store.baseline(run.id), spent_seconds=store.spent_seconds(run.id),
        plan=store.plan(run.id), implementations=store.implementations(run.id), facts=store.facts(run.id),
        resumed_facts=tuple(moments[1:]), launches=tuple(launches),
        cells=tuple(sorted(cells, key=_by_benchmark)), failures=tuple(failures), notices=tuple(notices),
        configurations=tuple(
            ConfigurationView(identity, tuple(labels[identity]), _loaded_by(identity, launches), configuration)
            for identity, configuration in store.configurations(run.id).items()
        ),
        libraries=tuple(LibraryView(*key, count) for key, count in sorted(loaded.items(), key=_by_path)),
    )  # fmt: skip


def _by_path(counted: tuple[tuple[str, Library], int]) -> tuple[str, str]:
    (implementation, library), _ = counted
    return implementation, library.path


def _loaded_by(identity: str, launches: list[LaunchView]) -> tuple[int, ...]:
    return tuple(
        launch.number
        for launch in launches
        if any(segment.configuration == identity for segment in launch.segments)
    )


def _by_benchmark(view: CellView) -> tuple[object, ...]:
    """Side by side what is compared: the implementation last."""
    cell = view.cell
    return (
        cell.benchmark, cell.ranks, cell.options, cell.size_bytes, view.quantity, cell.implementation, cell.label
    )  # fmt: skip
