"""From a stored run of a user's program to its answer."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from rankwise.analysis.compare.comparison import compare
from rankwise.analysis.programs import as_times, program_rows, program_sentences, variants
from rankwise.analysis.without_results import no_result_notices
from rankwise.core.plain import plain
from rankwise.core.programs import ProgramAnswer, ProgramValues, stored_program
from rankwise.core.records import Cell, Launch, Notice
from rankwise.core.results import Comparison
from rankwise.report.context import ReportContext
from rankwise.store.store import Store
from rankwise.workflows import answer
from rankwise.workflows.programs import variant_meant


def compare_program(
    store: Store, run_id: int, baseline: str = "", delta: float = 0.05
) -> tuple[Comparison, ProgramAnswer, ReportContext]:
    """Return what a run of a program has stored, compared; `baseline` '' takes the run's own choice."""
    program = stored_program(store.request(run_id)).program
    plan, launches = store.plan(run_id), store.launches(run_id)
    implementations = store.implementations(run_id)
    of = variants(plan.cells)
    values = _values(launches, of)
    chosen = variant_meant(baseline, plan.cells, implementations) if baseline else store.baseline(run_id)
    if not baseline and not any(variant == chosen for _, _, variant in values):
        chosen = ""  # with the first one the program fails: the others are compared all the same
    times = as_times(launches, program.metrics, of)
    comparison = compare(
        times, {benchmark.name: benchmark for benchmark in store.benchmarks(run_id)},
        chosen or None, delta=delta, precision=plan.precision,
        implementations=list(dict.fromkeys(cell.variant for cell in of.values())),
    )  # fmt: skip
    without = no_result_notices(of.values(), times)
    notices = (*without, *store.notices(run_id), *map(_of_a_program, comparison.notices))
    comparison = replace(comparison, notices=notices)
    rows = program_rows(comparison, launches, program.metrics, of)
    program_answer = ProgramAnswer(program, rows, values)
    said = program_sentences(rows, comparison.baseline)
    context = answer.report_context(store, run_id, f"{Path(program.arguments[0]).name} compared", said)
    return comparison, program_answer, context


def _values(launches: Iterable[Launch], of: Mapping[Cell, Cell]) -> ProgramValues:
    values: defaultdict[tuple[str, int, str], tuple[float, ...]] = defaultdict(tuple)
    for launch in launches:
        for (measured, _), value in launch.values().items():
            cell = of[measured]
            values[cell.benchmark, cell.ranks, cell.variant] += (value,)
    return dict(values)


def _of_a_program(notice: Notice) -> Notice:
    """The remedies of benchmarks, in the terms of programs."""
    if notice.kind == "failed-cells":
        return replace(
            notice, remedy="read the reason of each in the list of failures; `rankwise run` repeats one"
        )
    if notice.kind == "too-few-launches":
        return replace(notice, remedy="give more --time, or compare fewer variants")
    return notice


def to_dict(program_answer: ProgramAnswer, comparison: Comparison) -> dict[str, Any]:
    """Return the comparison of a program for programs: the keys are a promise."""
    values: dict[str, Any] = plain({
        "program": program_answer.program.arguments,
        "metrics": program_answer.rows,
        "failed": comparison.failures,
        "notices": comparison.notices,
        "baseline": comparison.baseline,
    })  # fmt: skip
    return values
