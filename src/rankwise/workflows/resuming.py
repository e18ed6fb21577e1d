"""`resume` goes on with an interrupted run of any kind."""

from __future__ import annotations

from pathlib import Path

from rankwise.analysis.guidelines import rules
from rankwise.core.errors import InputError
from rankwise.core.records import RunKind, RunSummary
from rankwise.store.store import Store
from rankwise.workflows import measure, programs, study
from rankwise.workflows.events import Events
from rankwise.workflows.tune import tuner

VERBS: dict[RunKind, str] = {
    "compare": "compare", "bench": "bench", "guidelines": "guidelines", "search": "tune", "validation": "tune",
    "study": "study", "import": "import", "program": "compare", "fit": "fit",
}  # fmt: skip
"""The verb that begins runs of each kind."""


def resume_run(
    run_id: int, store: Path, events: Events, kind: RunKind | None = None, *, seconds: float = 0.0
) -> int:
    """Go on with this run, 0: with the newest one (of this kind) that was interrupted; return its id.

    Raises InputError if there is none, if it is complete, or if it is of another kind than `kind`: the remedy is
    the line that goes on with it. `seconds`: the time for a run of `tune`; 0: what is left of its own.
    """
    with Store(store, create=False) as opened:
        return resume(_meant(opened, run_id, kind), opened, events, seconds=seconds)


def resume(run: RunSummary, store: Store, events: Events, *, seconds: float = 0.0) -> int:
    """Go on with this run, as its own verb would, and return the id of the run that has the answer.

    Raises InputError for one that is complete, or that was stored without what it needs to go on.
    """
    is_own_tuning = VERBS[run.kind] == "tune" and not (run.parent and store.run(run.parent).kind == "study")
    if seconds and not is_own_tuning:
        raise InputError("--time is for runs of `rankwise tune`", f"rankwise resume {run.id}")
    if is_own_tuning:
        tuner.say(tuner.resume(run.id, store, events, seconds), events)
        return run.id
    if run.status == "complete":
        raise InputError(f"run {run.id} is complete: nothing to resume", f"rankwise show {run.id}")
    if run.parent and store.run(run.parent).kind == "study":
        study.resume(run.parent, store, events)
    elif run.kind == "study":
        study.resume(run.id, store, events)
    elif run.kind == "program":
        programs.resume(run.id, store, events)
    else:
        measure.resume(run.id, store, events, rules.priority if run.kind == "guidelines" else None)
    return run.id


def _meant(store: Store, run_id: int, kind: RunKind | None) -> RunSummary:
    if not run_id:
        newest = store.latest_interrupted(
            *(run_kind for run_kind, verb in VERBS.items() if kind and verb == VERBS[kind])
        )
        if newest is None:
            which = f"run of `rankwise {VERBS[kind]}`" if kind else "run"
            raise InputError(f"no {which} was interrupted: nothing to resume", "rankwise runs")
        return newest
    run = store.run(run_id)
    if kind and VERBS[run.kind] != VERBS[kind]:
        raise InputError(
            f"run {run_id} is a run of `rankwise {VERBS[run.kind]}`, not of `rankwise {VERBS[kind]}`",
            f"rankwise resume {run_id}",
        )
    return run
