"""From a stored run to what it says about the guidelines: findings, remedies, the page, the JSON."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from rich.console import RenderableType
from rich.text import Text

from rankwise.analysis.compare.notices import wrong_data
from rankwise.analysis.guidelines import findings, rules
from rankwise.analysis.guidelines.checks import check
from rankwise.analysis.guidelines.findings import Finding
from rankwise.analysis.guidelines.measured import faster_settings
from rankwise.analysis.guidelines.remedies import Algorithms, Remedy, algorithm_words, remedy_for
from rankwise.core import errors
from rankwise.core.records import CellFailure, Implementation, Launch, Notice, Options
from rankwise.core.tuning import Decision, Native, Profile, Tuning
from rankwise.mpi import select
from rankwise.mpi.family import family_named
from rankwise.profiles import folders, profile_file
from rankwise.report import guidelines as report
from rankwise.report import page as page_builder
from rankwise.report.guideline_page import guideline_page
from rankwise.report.guidelines import RemedyShown
from rankwise.store.store import Store
from rankwise.testbeds.changes import changes
from rankwise.workflows import answer as comparison_answer
from rankwise.workflows import measure
from rankwise.workflows.events import Events

OPERATIONS = rules.operations()
"""The operations that have a guideline."""
LAYOUTS = rules.DERIVED_LAYOUTS
"""The derived datatypes that can be held to packing by hand."""
ALPHA = 0.05
LAUNCHES = 8
"""Of each cell, at least: what is 15 % too slow is then seen among a thousand checks, with a noise of 3 %."""
SEARCHES = 3
"""The newest searches of `tune` in the store that are asked for something faster."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a run says about the guidelines."""

    run_id: int
    delta: float
    found: tuple[Finding, ...]
    remedies: dict[Finding, Remedy]
    natives: dict[Finding, Native]
    """How the implementation loads a remedy that is a choice of algorithm."""
    measured: dict[Finding, tuple[str, ...]]
    """Settings that searches in the store found to be faster, a sentence each."""
    failures: tuple[CellFailure, ...]
    notices: tuple[Notice, ...]


def parts(found: Answer) -> Iterator[RenderableType]:
    """Yield the answer for the terminal."""
    for sentence in findings.sentences(found.found):
        yield Text(f"• {sentence}")
    for part in report.parts(found.found, remedies_shown(found)):
        yield ""
        yield part
    for notice in found.notices:
        yield Text(f"\nwarning: {notice.message}; {notice.remedy}")
    for name, reason in dict.fromkeys((one.cell.variant, one.reason) for one in found.failures):
        yield Text(f"\nwithout result on {name}: {reason}")


def guidelines(request: measure.Request, store: Path, events: Events, *, delta: float = 0.05) -> Answer:
    """Measure operations beside their mock-ups, and hold the first to the second."""
    with Store(store) as opened:
        return answer(opened, measure.measure(request, opened, events), (), delta)


def load(run_id: int, store: Path, only: Sequence[str] = (), *, delta: float = 0.05) -> Answer:
    """Hold what a stored run has measured to the guidelines; `only`: of these implementations."""
    with Store(store, create=False) as opened:
        return answer(opened, opened.run(run_id).id, only, delta)


def request_for(operations: Sequence[str], layouts: Sequence[str], request: measure.Request) -> measure.Request:
    """Return the request completed with the benchmarks that hold these operations (none: all) to the guidelines.

    `layouts` are the derived datatypes that are held to packing by hand. Raises UnknownNameError for an operation
    without a guideline.
    """
    for name in operations:
        if name not in rules.operations():
            raise errors.UnknownNameError("operation with a guideline", name, rules.operations())
    chosen = rules.chosen(operations)
    derived = layouts if any(one.layouts != rules.CONTIGUOUS for one in chosen) else ()
    slots = sum(host.slots for host in request.testbed.hosts())
    return replace(
        request, kind="guidelines", benchmarks=rules.benchmarks(chosen), ranks=request.ranks or (max(2, slots),),
        options=tuple(Options(layout=one) for one in dict.fromkeys((*rules.CONTIGUOUS, *derived))),
        wanted=rules.is_needed, priority=rules.priority, min_launches=LAUNCHES,
    )  # fmt: skip


def _wrong_data(failures: Iterable[CellFailure], launches: Iterable[Launch]) -> list[Notice]:
    found = wrong_data([*failures, *(one for launch in launches for one in launch.failures)])
    return [found] if found else []


def answer(store: Store, run_id: int, only: Sequence[str], delta: float) -> Answer:
    """Return everything that the run can be held to; `only`: of these implementations, '' stands for none.

    Raises UnknownNameError for an implementation that the run does not have.
    """
    launches = store.launches(run_id)
    benchmarks = {one.name: one for one in store.benchmarks(run_id)}
    failures = store.failures(run_id)
    checks = check(launches, benchmarks, delta=delta, alpha=ALPHA, failures=failures)
    found = every = findings.findings(checks)
    if not every:
        raise errors.InputError(
            f"run {run_id} has nothing that a guideline is about",
            f"it takes an operation and its mock-up, or an operation at several sizes: rankwise show {run_id}",
        )
    known = {one.id: one for one in store.implementations(run_id)}
    if only:
        meant = {one.id for name in only for one in select.matching(name, list(known.values()))}
        found = tuple(one for one in every if one.implementation in meant)
    remedies = _remedies(found, known, store.run(run_id).testbed, _profiles(store, run_id))
    return Answer(
        run_id, delta, found, remedies, _natives(remedies, known), _measured(store, run_id, list(remedies)),
        (*failures, *(one for launch in launches for one in launch.failures)),
        (*_wrong_data(failures, launches), *store.notices(run_id), *findings.notices(every)),
    )  # fmt: skip


def _profiles(store: Store, run_id: int) -> list[Profile]:
    """Those on this host that were made for the network of the run."""
    testbed, topology = store.run(run_id).testbed, store.topology(run_id)
    found = []
    for folder in folders.known().values():
        try:
            one = profile_file.read(folder).profile
        except errors.InputError:
            continue
        if one.testbed == testbed and not changes(one.topology, topology):
            found.append(one)
    return found


def _remedies(
    found: Sequence[Finding], known: Mapping[str, Implementation], testbed: str, profiles: Sequence[Profile]
) -> dict[Finding, Remedy]:
    violated = [one for one in found if one.word == "violated"]
    offered = {name: _algorithms(known[name]) for name in dict.fromkeys(one.implementation for one in violated)}
    return {one: remedy_for(one, offered[one.implementation], testbed, profiles) for one in violated}


def _measured(store: Store, run_id: int, violated: Sequence[Finding]) -> dict[Finding, tuple[str, ...]]:
    """What the newest searches on the same testbed have measured."""
    if not violated:
        return {}
    testbed = store.run(run_id).testbed
    runs = [run for run in store.runs() if run.testbed == testbed and run.kind == "search"]
    said: defaultdict[Finding, list[str]] = defaultdict(list)
    for run in sorted(runs, key=lambda one: -one.id)[:SEARCHES]:
        launches = store.launches(run.id)
        for one in violated:
            said[one] += [f"measured in run {run.id}: {text}" for text in faster_settings(one, launches)]
    return {one: tuple(texts) for one, texts in said.items() if texts}


def _algorithms(implementation: Implementation) -> Algorithms:
    """None for an implementation of a stored run that is not on this host, or of a family that is not."""
    try:
        return family_named(implementation.family).algorithms(implementation)
    except (errors.HostError, errors.InputError):
        return {}


def _natives(remedies: Mapping[Finding, Remedy], known: Mapping[str, Implementation]) -> dict[Finding, Native]:
    found = {one: _native(known[one.implementation], remedy.decision) for one, remedy in remedies.items()}
    return {one: native for one, native in found.items() if native is not None}


def _native(implementation: Implementation, decision: Decision | None) -> Native | None:
    if decision is None:
        return None
    try:
        return family_named(implementation.family).native(implementation, Tuning(decisions=(decision,)))
    except (errors.HostError, errors.InputError):
        return None


# For people


def remedies_shown(found: Answer) -> dict[Finding, RemedyShown]:
    """Return the remedy of each violation in words and lines."""
    return {
        one: _shown(remedy, found.natives.get(one), found.measured.get(one, ()))
        for one, remedy in found.remedies.items()
    }


def _shown(remedy: Remedy, native: Native | None, measured: Sequence[str]) -> RemedyShown:
    """Variables and words for mpiexec are shown where they are all it takes to load the algorithm."""
    words, settings = [remedy.words], []
    if remedy.decision is not None:
        words.append(algorithm_words(remedy.decision))
    if native is not None and not native.files:
        settings = [*(f"{name}={value}" for name, value in native.environment), " ".join(native.arguments)]
    words += [*measured, *(text for text, _ in remedy.profiles)]
    commands = (*(line for _, line in remedy.profiles), remedy.tuned_by)
    return RemedyShown(tuple(words), tuple(filter(None, settings)), tuple(filter(None, commands)))


def write_page(path: Path, store: Path, found: Answer) -> None:
    """Write the page of the answer. Raises HostError if it cannot be written."""
    with Store(store, create=False) as opened:
        context = comparison_answer.report_context(
            opened, found.run_id, "Is each MPI consistent with itself?", tuple(findings.sentences(found.found))
        )
    shown = guideline_page(
        found.found, remedies_shown(found), tuple(_notices(found)), context, delta=found.delta, alpha=ALPHA
    )
    page_builder.write(path, shown)


def _notices(found: Answer) -> Iterator[Notice]:
    """And what gave no result, which the page has no other place for."""
    yield from found.notices
    for name, reason in dict.fromkeys((one.cell.variant, one.reason) for one in found.failures):
        yield Notice("without result", f"{name}: {reason}")


# For machines


def as_json(found: Answer, page: Path | None) -> dict[str, Any]:
    """Return the answer for machines: the keys are a promise."""
    return {
        "run": found.run_id,
        "delta": found.delta,
        "findings": [_finding(one, found) for one in found.found],
        "failed": [{"cell": asdict(one.cell), "kind": one.kind, "reason": one.reason} for one in found.failures],
        "notices": [asdict(one) for one in found.notices],
        "report": str(page) if page else None,
    }


def _finding(finding: Finding, found: Answer) -> dict[str, Any]:
    remedy = found.remedies.get(finding)
    native = found.natives.get(finding)
    return {
        **asdict(finding),
        "sources": rules.sources(finding.guideline),
        "remedy": remedy.words if remedy else None,
        "tuned_by": remedy.tuned_by if remedy else None,
        "profiles": [{"words": words, "line": line} for words, line in remedy.profiles] if remedy else [],
        "measured": list(found.measured.get(finding, ())),
        "decision": asdict(remedy.decision) if remedy and remedy.decision else None,
        "native": asdict(native) if native else None,
    }
