"""From a stored run to its answer: the comparison, and the report that shows it."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from rankwise import __version__
from rankwise.analysis.compare.cells import gather
from rankwise.analysis.compare.comparison import compare
from rankwise.analysis.compare.curves import curves
from rankwise.analysis.compare.sentences import sentences
from rankwise.analysis.compare.variants import plain_cell, without_labels
from rankwise.analysis.network import network_figures
from rankwise.analysis.without_results import no_result_notices
from rankwise.core.errors import InputError
from rankwise.core.plain import plain
from rankwise.core.records import Benchmark, Fact, Plan, variant_name
from rankwise.core.results import Comparison, Curve
from rankwise.report.context import LaunchCommand, LoadedLibrary, ReportContext
from rankwise.store.store import Store
from rankwise.workflows import configurations, joined_programs

_NOT_ENOUGH = frozenset({"too-few-launches", "not-precise"})
_MORE_LOGS = "import more runs of each benchmark: several logs of one name are launches"


def compare_run(
    store: Store,
    run_id: int,
    baseline: str = "",
    delta: float = 0.05,
    *,
    profiles_apart: bool = True,
    beside: Sequence[int] = (),
) -> Comparison:
    """Return the comparison of all that a run has stored; `baseline` '' takes the run's own choice.

    `profiles_apart`: an implementation with a profile stands beside the same one without; if not, it goes by its
    own name, whatever it was measured with. Imported runs `beside` it are curves alone.
    """
    plan = store.plan(run_id)
    launches, failures = store.launches(run_id), store.failures(run_id)
    without = no_result_notices(plan.cells, launches)
    chosen = baseline or store.baseline(run_id)
    names = [
        implementation.id
        for implementation in joined_programs.not_merely_parts(store.implementations(run_id), plan.cells)
    ]
    labels = tuple(dict.fromkeys(cell.label for cell in plan.cells))
    if profiles_apart:
        names = [variant_name(name, label) for name in names for label in labels]
    else:
        own = {variant_name(name, label): name for name in names for label in labels}
        chosen = own.get(chosen, chosen)
        launches = without_labels(launches)
        failures = tuple(replace(failure, cell=plain_cell(failure.cell)) for failure in failures)
    comparison = compare(
        launches, {benchmark.name: benchmark for benchmark in store.benchmarks(run_id)}, chosen or None,
        delta=delta, precision=plan.precision, implementations=names, failures=failures,
    )  # fmt: skip
    # wrong data first, the run's own next
    first = [notice for notice in comparison.notices if notice.kind == "wrong-data"]
    others = [notice for notice in comparison.notices if notice not in first]
    if store.run(run_id).kind == "import":
        others = [
            replace(notice, remedy=_MORE_LOGS) if notice.kind in _NOT_ENOUGH else notice for notice in others
        ]
    known = {benchmark.name: benchmark for benchmark in store.benchmarks(run_id)}
    return replace(
        comparison, notices=(*first, *without, *store.notices(run_id), *others),
        curves=(*comparison.curves, *_imported_curves(store, beside, known)),
    )  # fmt: skip


def _imported_curves(store: Store, run_ids: Sequence[int], known: Mapping[str, Benchmark]) -> tuple[Curve, ...]:
    """The curves of imported runs; `known` benchmarks go by their own categories."""
    imported_curves: list[Curve] = []
    for run_id in run_ids:
        run = store.run(run_id)
        if run.kind != "import":
            raise InputError(f"run {run_id} was not imported", "--beside takes runs of `rankwise import`")
        benchmarks = {benchmark.name: benchmark for benchmark in store.benchmarks(run_id)} | dict(known)
        imported_curves += curves(gather(store.launches(run_id), benchmarks), store.plan(run_id).precision)
    return tuple(imported_curves)


def comparison_context(store: Store, run_id: int, comparison: Comparison) -> ReportContext:
    """Return what the page of a comparison says beside it."""
    said = configurations.sentences(_labels(store.plan(run_id)), store.configurations(run_id))
    texts = (*sentences(comparison), *said)
    return report_context(store, run_id, "MPI implementations compared", texts)


def report_context(store: Store, run_id: int, title: str, said: Sequence[str]) -> ReportContext:
    """Return what any page says of a run beside its results; `said` gives the answer in sentences."""
    run = store.run(run_id)
    commands: dict[str, str] = {}
    verifying: dict[str, str] = {}  # shown only where nothing was timed
    libraries: set[LoadedLibrary] = set()
    transports: dict[str, tuple[str, ...]] = {}
    for launch in store.iter_launches(run_id):
        (verifying if launch.verifying else commands).setdefault(launch.implementation, launch.command)
        libraries.update(LoadedLibrary(launch.implementation, library) for library in launch.libraries)
        if launch.transports:  # of this testbed; those of the implementation are of its smoke test
            transports.setdefault(launch.implementation, tuple(launch.transports.split(", ")))
    return ReportContext(
        title=title,
        sentences=tuple(said),
        run=run,
        plan=store.plan(run_id),
        implementations=tuple(
            replace(implementation, transports=transports.get(implementation.id, implementation.transports))
            for implementation in store.implementations(run_id)
        ),
        facts=store.facts(run_id),
        commands=tuple(
            LaunchCommand(implementation, command) for implementation, command in (verifying | commands).items()
        ),
        command_line=run.command_line,
        generated_at=time.time(),
        extra=(Fact("rankwise", __version__), Fact("store", str(store.path))),
        topology=store.topology(run_id),
        paths=store.paths(run_id),
        network=network_figures(store.iter_launches(run_id)),
        libraries=tuple(sorted(libraries, key=lambda loaded: (loaded.implementation, loaded.library.path))),
    )


def _labels(plan: Plan) -> dict[str, str]:
    """What people call the configurations of a plan, by their ids."""
    return {cell.configuration: cell.label for cell in plan.cells}


def _place(curve: Curve) -> dict[str, Any]:
    """What tells a curve from the others."""
    return {
        "implementation": curve.implementation, "benchmark": curve.benchmark, "ranks": curve.ranks,
        "quantity": curve.quantity, "options": curve.options, "placement": curve.placement,
    }  # fmt: skip


def to_dict(comparison: Comparison) -> dict[str, Any]:
    """Return the comparison for programs: the keys are a promise."""
    values: dict[str, Any] = plain({
        "wrong_data": [{"cell": failure.cell, "reason": failure.reason} for failure in comparison.wrong_data],
        "verdicts": comparison.verdicts,
        "summary": comparison.summary,
        "overheads": comparison.overheads,
        "barrier_starts": [
            {**_place(curve), "size_bytes": point.size_bytes, "starts": point.starts}
            for curve in comparison.curves
            for point in curve.points
            if point.starts in ("barrier", "mixed")
        ],
        "explanations": comparison.explanations,
        "beside_native": comparison.beside_native,
        "overlaps": comparison.overlaps,
        "streams": [{"cell": stream.cell, "reached": stream.reached} for stream in comparison.streams],
        "switch_points": comparison.switch_points,
        "failed": comparison.failures,
        "notices": comparison.notices,
        "baseline": comparison.baseline,
    })  # fmt: skip
    return values
