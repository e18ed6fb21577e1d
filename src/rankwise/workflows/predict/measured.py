"""What a stored run measured, beside what is predicted."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from rankwise.analysis.listing import list_cells
from rankwise.analysis.predict.results import Measured
from rankwise.core.errors import InputError
from rankwise.core.schedule_names import is_schedule, operation_of
from rankwise.store.store import Store
from rankwise.workflows.predict.questions import Collective, Question


def sizes_of(store: Path, run_id: int, operation: str) -> tuple[int, ...]:
    """Return the sizes that a run measured of an operation. Raises InputError if it measured none."""
    with Store(store) as opened:
        found = {one.size_bytes for one in opened.plan(run_id).cells if operation_of(one.benchmark) == operation}
    if not found:
        raise InputError(f"run {run_id} did not measure {operation}", "rankwise show RUN says what it measured")
    return tuple(sorted(found))


def testbed_of_run(store: Path, run_id: int) -> str:
    """Return the name of the testbed of a run."""
    with Store(store) as opened:
        return opened.run(run_id).testbed


def beside(
    store: Path, run_id: int, question: Question, ranks: int, totals: Mapping[tuple[str, int], float]
) -> tuple[Measured, ...]:
    """Return the run's cells that were predicted: those of the same operation, size and number of ranks.

    An algorithm is set beside the schedule's own benchmark; the fastest one of each size also beside the MPI's own
    way, whose algorithm is not known. Raises InputError if the run has no such cell.
    """
    if not isinstance(question, Collective):
        raise InputError("a run has measured collective operations, no program like this one",
                         "compare `rankwise predict collective` with it")  # fmt: skip
    with Store(store) as opened:
        known = {one.name: one for one in opened.benchmarks(run_id)}
        rows = list_cells(opened.launches(run_id), known)
    fastest: dict[int, str] = {}
    for (algorithm, size), total in totals.items():
        if size not in fastest or total < totals[fastest[size], size]:
            fastest[size] = algorithm
    found = []
    for row in rows:
        if row.quantity != "time" or row.ranks != ranks or operation_of(row.benchmark) != question.operation:
            continue
        own = is_schedule(row.benchmark)
        algorithm = row.benchmark.partition(".")[2].partition(":")[0] if own else fastest.get(row.size_bytes, "")
        if (algorithm, row.size_bytes) in totals:
            found.append(Measured(
                row.implementation, row.benchmark, row.size_bytes, row.ranks, row.placement, row.median_seconds,
                totals[algorithm, row.size_bytes], algorithm, own,
            ))  # fmt: skip
    if not found:
        raise InputError(
            f"run {run_id} has no {question.operation} of these sizes on {ranks} ranks",
            f"rankwise show {run_id} says what it measured; say how many ranks with -n",
        )
    return tuple(sorted(found, key=lambda one: (one.size_bytes, one.benchmark, one.variant)))
