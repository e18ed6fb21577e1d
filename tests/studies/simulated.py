"""Results of studies with a known truth: made-up networks and implementations, launches as a run stores them."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import numpy as np

from rankwise.analysis.compare.comparison import compare
from rankwise.analysis.compare.variants import with_cells
from rankwise.core.records import (
    Benchmark,
    Category,
    Cell,
    Implementation,
    Launch,
    Plan,
    RunSummary,
    Segment,
    Series,
)
from rankwise.store.store import Store
from rankwise.studies.base import Effort, Results, Study, StudyRun

CATEGORIES: dict[str, Category] = {
    "pingpong": "point-to-point", "tcp_pingpong": "baseline", "stream": "point-to-point", "tcp_stream": "baseline",
}  # fmt: skip
BENCHMARKS = {name: Benchmark(name, category, "simulated") for name, category in CATEGORIES.items()}


@dataclass(frozen=True)
class Speed:
    """What one implementation (or TCP) does on a network."""

    latency_seconds: float
    bits_per_second: float
    jump_bytes: int = 1 << 40
    jump_seconds: float = 0.0
    """Added to messages of `jump_bytes` and more."""
    slow_seconds: float = 0.1
    """A stream's bandwidth grows linearly until then."""

    def one_way(self, size_bytes: int) -> float:
        jump = self.jump_seconds if size_bytes >= self.jump_bytes else 0.0
        return self.latency_seconds + jump + size_bytes * 8 / self.bits_per_second

    def messages(self, size_bytes: int, count: int) -> list[float]:
        """Seconds of each message of a stream."""
        now, taken = 0.0, []
        for _ in range(count):
            share = min(1.0, (now + 0.05 * self.slow_seconds) / self.slow_seconds) if self.slow_seconds else 1.0
            taken.append(size_bytes * 8 / (self.bits_per_second * share))
            now += taken[-1]
        return taken


Speeds = Mapping[str, Speed]
"""`TCP` and the implementations."""


def launches(
    run: StudyRun, effort: Effort, testbed: str, speeds: Speeds, *, count: int, spread: float
) -> list[Launch]:
    """`count` launches of each; best times differ by up to `spread` from one launch to the next."""
    random = np.random.default_rng(7)
    found: list[Launch] = []
    names = [name for name in speeds if name != "TCP"]
    for _ in range(count):
        for name in names:
            series = []
            for benchmark in run.benchmarks:
                baseline = benchmark.startswith("tcp_")
                if baseline and name != names[0]:
                    continue
                speed = speeds["TCP" if baseline else name]
                for size in effort.sizes_bytes:
                    cell = Cell(name, benchmark, size, 2, run.options, "default", testbed, run.placement)
                    if "stream" in benchmark:
                        seconds = np.array(speed.messages(size, run.options.messages))
                    else:
                        seconds = speed.one_way(size) * (1 + 0.02 * random.random(5))
                        seconds[0] = speed.one_way(size)
                    series.append(Series(cell, "time", seconds * (1 + spread * random.random()), float(size)))
            started_at = float(len(found))
            found.append(Launch((Segment(name, 2),), "finished", "mpiexec", (), started_at, 1.0, tuple(series)))
    return found


def results(
    study: Study,
    truth: Callable[[str], Speeds | None],
    *,
    count: int = 6,
    spread: float = 1e-3,
    quick: bool = True,
    labels: Sequence[str] = (),
) -> dict[str, Results]:
    """By label (all, or only `labels`); `truth` gives the speeds on each, None: not measured."""
    found: dict[str, Results] = {}
    for run in study.runs:
        effort, speeds = (run.quick if quick else run.full), truth(run.label)
        if run.applications or (labels and run.label not in labels):
            continue
        if effort is None or speeds is None:
            continue
        testbed = study.testbed_name(run)
        measured = launches(run, effort, testbed, speeds, count=count, spread=spread)
        names = tuple(name for name in speeds if name != "TCP")
        summary = RunSummary(
            len(found) + 1, 1.7e9, "rankwise study", testbed, names, 1, len(measured), "complete", "max launches"
        )
        found[run.label] = Results(summary, compare(measured, BENCHMARKS, implementations=names), tuple(measured))
    return found


Figures = Mapping[str, Mapping[str, float]]
"""Of applications: by implementation and name."""


def applications(
    study: Study, truth: Mapping[str, Figures], *, count: int = 3, spread: float = 1e-3, placement: str = ""
) -> dict[str, Results]:
    """Runs of applications, by label: what `truth` has, a little longer from one launch to the next."""
    random = np.random.default_rng(7)
    found: dict[str, Results] = {}
    for run in study.runs:
        if run.label not in truth:
            continue
        measured = []
        for name, figures in truth[run.label].items():
            for _ in range(count):
                series = tuple(
                    Series(
                        Cell(
                            name, figure, 0, run.ranks, testbed=study.testbed_name(run),
                            placement=placement or run.placement,
                        ),
                        "metric", np.array([value * (1 + spread * random.random())]),
                    )
                    for figure, value in figures.items()
                )  # fmt: skip
                measured.append(Launch((Segment(name, run.ranks),), "finished", "mpiexec", (), 1.7e9, 1.0, series))
        names = tuple(truth[run.label])
        summary = RunSummary(
            len(found) + 1, 1.7e9, "rankwise study", study.testbed_name(run), names, 1, len(measured), "complete",
            "max launches",
        )  # fmt: skip
        found[run.label] = Results(summary, compare((), {}, implementations=names), tuple(measured))
    return found


def store(
    opened: Store,
    study: Study,
    truth: Callable[[str], Speeds | None],
    *,
    count: int = 3,
    profiles: Mapping[str, Path] | None = None,
) -> dict[str, int]:
    """The same results in a store: label -> run. `profiles`: the folders of those that runs have tuned."""
    ids = {}
    for label, one in _quick(study, truth, count).items():
        names = one.comparison.implementations
        folder = (profiles or {}).get(label)
        measured = [_tuned(launch, one.run.testbed) if folder else launch for launch in one.launches]
        cells = tuple(dict.fromkeys(series.cell for launch in measured for series in launch.series))
        ids[label] = opened.begin_run(
            "rankwise study", one.run.testbed, Plan(cells, seed=1, time_budget_seconds=60.0),
            implementations=[implementation(name) for name in names], benchmarks=BENCHMARKS.values(),
            request=json.dumps({"label": label, "profile": str(folder or "")}),
        )  # fmt: skip
        for launch in measured:
            opened.add_launch(ids[label], launch)
        opened.finish_run(ids[label], "complete", "max launches")
    return ids


@cache
def _quick(study: Study, truth: Callable[[str], Speeds | None], count: int) -> dict[str, Results]:
    """Made once for all tests that store the same world."""
    return results(study, truth, count=count)


def _tuned(launch: Launch, profile: str) -> Launch:
    """As with a profile, but for the baselines."""
    return with_cells(launch, lambda one: one if one.benchmark.startswith("tcp_") else replace(one, label=profile))


def implementation(name: str) -> Implementation:
    """An installed MPI of that id."""
    family, _, version = name.partition("-")
    return Implementation(name, family, version, "/opt", "/opt/mpicc", "/opt/mpiexec", "prefix", status="works")
