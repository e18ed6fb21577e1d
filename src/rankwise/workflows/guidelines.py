"""From a stored run to what it says about the guidelines: findings, remedies, the page, the JSON."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from rich.console import RenderableType
from rich.text import Text

from rankwise.analysis.compare.notices import of_launches, wrong_data
from rankwise.analysis.guidelines import findings, rules
from rankwise.analysis.guidelines.checks import check
from rankwise.analysis.guidelines.findings import Finding
from rankwise.analysis.guidelines.measured import faster_settings
from rankwise.analysis.guidelines.remedies import Algorithms, Remedy, algorithm_words, remedy_for
from rankwise.analysis.without_results import NO_RESULT, no_result_notices
from rankwise.core import errors
from rankwise.core.plain import plain
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
class GuidelinesResult:
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
    store: Path = field(repr=False)

    def objections(self, *, fail_on_violation: bool) -> tuple[str, ...]:
        """Return why a check fails: wrong data, an MPI without any result; violations, failed cells."""
        reasons = [notice.message for notice in self.notices if notice.kind in NO_RESULT]
        kinds = Counter(failure.kind for failure in self.failures)
        if kinds["wrong data"]:
            reasons.append(f"{kinds['wrong data']} cells delivered wrong data")
        violated = sum(finding.word == "violated" for finding in self.found)
        if fail_on_violation and violated:
            reasons.append(f"{violated} guidelines are violated")
        if fail_on_violation and kinds["failed"]:
            reasons.append(f"{kinds['failed']} cells failed")
        return tuple(reasons)

    def parts(self) -> Iterator[RenderableType]:
        """Yield the answer for the terminal."""
        for sentence in findings.sentences(self.found):
            yield Text(f"• {sentence}")
        for part in report.parts(self.found, self._remedies_shown()):
            yield ""
            yield part
        for notice in self.notices:
            yield Text(f"\nwarning: {notice}")
        for name, reason in self._without_result():
            yield Text(f"\nwithout result on {name}: {reason}")

    def to_dict(self) -> dict[str, Any]:
        """Return the answer for programs, as `--json` prints it: the keys are a promise."""
        values: dict[str, Any] = plain({
            "run": self.run_id,
            "delta": self.delta,
            "findings": [self._finding(finding) for finding in self.found],
            "failed": self.failures,
            "notices": self.notices,
        })  # fmt: skip
        return values

    def report(self, path: str | Path = "") -> Path:
        """Write the page, by default `rankwise-RUN.html` in the current folder, and return its absolute path.

        Raises HostError if it cannot be written.
        """
        target = Path(path or f"rankwise-{self.run_id}.html").absolute()
        with Store(self.store, create=False) as opened:
            context = comparison_answer.report_context(
                opened, self.run_id, "Is each MPI consistent with itself?", tuple(findings.sentences(self.found))
            )
        without = (Notice("without result", f"{name}: {reason}") for name, reason in self._without_result())
        page_builder.write(target, guideline_page(
            self.found, self._remedies_shown(), (*self.notices, *without), context, delta=self.delta, alpha=ALPHA
        ))  # fmt: skip
        return target

    def _without_result(self) -> list[tuple[str, str]]:
        """The variants without result, and why; the page has no other place for it than its notices."""
        return list(dict.fromkeys((failure.cell.variant, failure.reason) for failure in self.failures))

    def _remedies_shown(self) -> dict[Finding, RemedyShown]:
        """The remedy of each violation in words and lines."""
        return {
            finding: _shown(remedy, self.natives.get(finding), self.measured.get(finding, ()))
            for finding, remedy in self.remedies.items()
        }

    def _finding(self, finding: Finding) -> dict[str, Any]:
        remedy = self.remedies.get(finding)
        return {
            **plain(finding),
            "sources": rules.sources(finding.guideline),
            "remedy": remedy.words if remedy else None,
            "tuned_by": remedy.tuned_by if remedy else None,
            "profiles": [{"words": text, "line": line} for text, line in remedy.profiles] if remedy else [],
            "measured": self.measured.get(finding, ()),
            "decision": remedy.decision if remedy else None,
            "native": self.natives.get(finding),
        }


def guidelines(request: measure.Request, store: Path, events: Events, *, delta: float = 0.05) -> GuidelinesResult:
    """Measure operations beside their mock-ups, and hold the first to the second."""
    with Store(store) as opened:
        return answer(opened, measure.measure(request, opened, events), (), delta)


def load(run_id: int, store: Path, only: Sequence[str] = (), *, delta: float = 0.05) -> GuidelinesResult:
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
    derived = layouts if any(guideline.layouts != rules.CONTIGUOUS for guideline in chosen) else ()
    slots = sum(host.slots for host in request.testbed.hosts())
    return replace(
        request, kind="guidelines", benchmarks=rules.benchmarks(chosen), ranks=request.ranks or (max(2, slots),),
        options=tuple(Options(layout=layout) for layout in dict.fromkeys((*rules.CONTIGUOUS, *derived))),
        wanted=rules.is_needed, priority=rules.priority, min_launches=LAUNCHES,
    )  # fmt: skip


def _wrong_data(failures: Iterable[CellFailure], launches: Iterable[Launch]) -> list[Notice]:
    notice = wrong_data([*failures, *(failure for launch in launches for failure in launch.failures)])
    return [notice] if notice else []


def answer(store: Store, run_id: int, only: Sequence[str], delta: float) -> GuidelinesResult:
    """Return everything that the run can be held to; `only`: of these implementations, '' stands for none.

    Raises UnknownNameError for an implementation that the run does not have.
    """
    launches = store.launches(run_id)
    benchmarks = {benchmark.name: benchmark for benchmark in store.benchmarks(run_id)}
    failures = store.failures(run_id)
    checks = check(launches, benchmarks, delta=delta, alpha=ALPHA, failures=failures)
    reported = every = findings.findings(checks)
    if not every:
        raise errors.InputError(
            f"run {run_id} contains no operation covered by a guideline",
            f"it needs an operation and an equivalent one, or several sizes of one: rankwise show {run_id}",
        )
    known = {implementation.id: implementation for implementation in store.implementations(run_id)}
    if only:
        meant = {
            implementation.id for name in only for implementation in select.matching(name, list(known.values()))
        }
        reported = tuple(finding for finding in every if finding.implementation in meant)
    remedies = _remedies(reported, known, store.run(run_id).testbed, _profiles(store, run_id))
    return GuidelinesResult(
        run_id, delta, reported, remedies, _natives(remedies, known), _measured(store, run_id, list(remedies)),
        (*failures, *(failure for launch in launches for failure in launch.failures)),
        (
            *_wrong_data(failures, launches), *no_result_notices(store.plan(run_id).cells, launches),
            *store.notices(run_id), *of_launches(launches), *findings.notices(every),
        ),
        store.path,
    )  # fmt: skip


def _profiles(store: Store, run_id: int) -> list[Profile]:
    """Those on this host that were made for the network of the run."""
    testbed, topology = store.run(run_id).testbed, store.topology(run_id)
    profiles = []
    for folder in folders.known().values():
        try:
            profile = profile_file.read(folder).profile
        except errors.InputError:
            continue
        if profile.testbed == testbed and not changes(profile.topology, topology):
            profiles.append(profile)
    return profiles


def _remedies(
    reported: Sequence[Finding], known: Mapping[str, Implementation], testbed: str, profiles: Sequence[Profile]
) -> dict[Finding, Remedy]:
    violated = [finding for finding in reported if finding.word == "violated"]
    offered = {
        name: _algorithms(known[name]) for name in dict.fromkeys(finding.implementation for finding in violated)
    }
    return {
        finding: remedy_for(finding, offered[finding.implementation], testbed, profiles) for finding in violated
    }


def _measured(store: Store, run_id: int, violated: Sequence[Finding]) -> dict[Finding, tuple[str, ...]]:
    """What the newest searches on the same testbed have measured."""
    if not violated:
        return {}
    testbed = store.run(run_id).testbed
    runs = [run for run in store.runs() if run.testbed == testbed and run.kind == "search"]
    said: defaultdict[Finding, list[str]] = defaultdict(list)
    for run in sorted(runs, key=lambda search: -search.id)[:SEARCHES]:
        launches = store.launches(run.id)
        for finding in violated:
            said[finding] += [f"measured in run {run.id}: {text}" for text in faster_settings(finding, launches)]
    return {violation: tuple(texts) for violation, texts in said.items() if texts}


def _algorithms(implementation: Implementation) -> Algorithms:
    """None for an implementation of a stored run that is not on this host, or of a family that is not."""
    try:
        return family_named(implementation.family).algorithms(implementation)
    except (errors.HostError, errors.InputError):
        return {}


def _natives(remedies: Mapping[Finding, Remedy], known: Mapping[str, Implementation]) -> dict[Finding, Native]:
    natives = {
        finding: _native(known[finding.implementation], remedy.decision) for finding, remedy in remedies.items()
    }
    return {finding: native for finding, native in natives.items() if native is not None}


def _native(implementation: Implementation, decision: Decision | None) -> Native | None:
    if decision is None:
        return None
    try:
        return family_named(implementation.family).native(implementation, Tuning(decisions=(decision,)))
    except (errors.HostError, errors.InputError):
        return None


def _shown(remedy: Remedy, native: Native | None, measured: Sequence[str]) -> RemedyShown:
    """Variables and words for mpiexec are shown where they are all it takes to load the algorithm."""
    texts, settings = [remedy.words], []
    if remedy.decision is not None:
        texts.append(algorithm_words(remedy.decision))
    if native is not None and not native.files:
        settings = [*(f"{name}={value}" for name, value in native.environment), " ".join(native.arguments)]
    texts += [*measured, *(text for text, _ in remedy.profiles)]
    commands = (*(line for _, line in remedy.profiles), remedy.tuned_by)
    return RemedyShown(tuple(texts), tuple(filter(None, settings)), tuple(filter(None, commands)))
