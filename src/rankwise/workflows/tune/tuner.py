"""Tuning as a whole: searches, validates and writes a profile, every launch stored on the way."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import msgspec
from rich.console import RenderableType

from rankwise import __version__
from rankwise.analysis.compare.notices import wrong_data
from rankwise.analysis.host_settings.variants import READ_FROM_HOSTS
from rankwise.analysis.tunings import with_reverted
from rankwise.analysis.validation.acceptance import Acceptance
from rankwise.core.errors import InputError, InterruptedRun
from rankwise.core.plain import plain
from rankwise.core.records import CellFailure, Notice, Plan
from rankwise.core.tuning import Profile, Reason, Tuning
from rankwise.mpi.family import FamilyLauncher
from rankwise.profiles import writing
from rankwise.profiles.profile_file import read
from rankwise.report.profiles import tune_parts
from rankwise.store.store import Store
from rankwise.testbeds.base import TestbedKind, make
from rankwise.testbeds.local import LocalTestbed
from rankwise.workflows import host_settings
from rankwise.workflows.configurations import loader
from rankwise.workflows.events import Events, warn
from rankwise.workflows.prepare import Built, build_all, prepare, up
from rankwise.workflows.provenance import facts_of
from rankwise.workflows.schedule_network import network_file
from rankwise.workflows.tune.budget import LAUNCH_LIMIT_SECONDS, Budget, Pace, PunctualLaunching, seconds_per_cell
from rankwise.workflows.tune.found import Found, Progress, beyond
from rankwise.workflows.tune.parts import express, parts_of, verification_seconds, verified
from rankwise.workflows.tune.search import StagedSearch
from rankwise.workflows.tune.stages import Target, TuneSpec
from rankwise.workflows.tune.validation import Question, Validation
from rankwise.workflows.tune.validation_cells import Wanted, reach_reason, validation_cells
from rankwise.workflows.tune.validation_runs import Origin, StoredRuns

MEDIAN = 0.5
LEAST_SHARE = 0.25
"""Of the time budget: what a search has at least that goes on after an interruption."""
VISIT_SHARE, REPEATING_SHARE = 1 / 20, 1 / 150
"""Of the time budget: what a visit of the validation to a cell may take with the messages that it needs, and with
more than these. About six cells are looked at three times on either side."""
MOST_HARM_SHARE = 0.06
"""Of the time budget: what is kept for looking at cells that nothing should act on."""
BESIDE_SECONDS = 20.0
"""What a tuning that goes on takes beside its launches, roughly."""


@dataclass(frozen=True, slots=True)
class TuneOptions:
    """What is to be tuned, and where the profile goes: stored with the run, so that it can go on."""

    name: str
    parent: str
    """The folder that the profile's folder goes into."""
    spec: TuneSpec
    time_budget_seconds: float
    implementations: tuple[str, ...] = ()
    prefixes: tuple[str, ...] = ()
    force: bool = False
    """Replace a profile of the same name."""
    verify_first: bool = True
    """Look whether data are right, by default and with what was found, before that is proved."""


@dataclass(frozen=True, slots=True)
class TuneRequest:
    """What `tune` was asked for."""

    options: TuneOptions
    testbed: TestbedKind
    command_line: str
    search: int = 0
    """An interrupted search that goes on; 0: begin one."""
    study: int = 0
    """The study that this tuning is part of; 0: none."""
    seconds: float = 0.0
    """The time that a search has that goes on; 0: what is left of its own."""
    began: float = field(default_factory=time.monotonic)
    """When its time began to run, in seconds of the monotonic clock."""


@dataclass(frozen=True, slots=True)
class TuneResult:
    """What was found and validated, and where it lies."""

    profile: Profile
    folder: Path | None
    """Of the profile; None: there is nothing to load, and nothing was written."""
    accepted: Mapping[str, Acceptance]
    """By implementation: what fresh launches say of its settings."""
    wrong_data: tuple[CellFailure, ...] = ()
    """Cells that delivered wrong data: by default, or with settings that were therefore taken back."""
    waiting: tuple[Notice, ...] = ()
    """What was found and could not be validated in the time there was."""

    @property
    def notices(self) -> tuple[Notice, ...]:
        """What somebody who takes the profile should know beforehand."""
        wrong = wrong_data(self.wrong_data)
        return (*([wrong] if wrong else []), *self.waiting, *_warnings(self.profile, self.accepted))

    def parts(self) -> Iterator[RenderableType]:
        """Yield what a terminal shows: what was found, and what it gains."""
        yield from tune_parts(self.profile)

    def to_dict(self) -> dict[str, Any]:
        """Return the answer for programs, as `--json` prints it."""
        values: dict[str, Any] = plain({"profile": self.profile, "folder": self.folder, "notices": self.notices})
        return values


def carry_out(request: TuneRequest, store: Path, events: Events) -> TuneResult:
    """Tune as `tune` does, with the runs stored in `store`."""
    with Store(store) as opened:
        return tune(request, opened, events)


def resume_run(run_id: int, store: Path, events: Events, seconds: float = 0.0) -> TuneResult:
    """Go on with a search or validation in `store`, as `resume` does."""
    with Store(store, create=False) as opened:
        return resume(run_id, opened, events, seconds)


def tune(request: TuneRequest, store: Store, events: Events) -> TuneResult:
    """Find settings that make implementations fast, validate them on fresh launches, and write them as a profile.

    Raises InputError for a name that is taken, InterruptedRun with the way to go on.
    """
    return Tuner(request, store, events).run()


def resume(run_id: int, store: Store, events: Events, seconds: float = 0.0) -> TuneResult:
    """Go on with a tuning that was interrupted, or that has found what it could not validate.

    `seconds`: the time it has; 0: what is left of its own. Raises InputError for one that cannot go on.
    """
    run = store.run(run_id)
    if run.kind not in ("search", "validation"):
        raise InputError(f"run {run_id} is not a run of `rankwise tune`", f"rankwise resume {run_id}")
    search = run.parent if run.kind == "validation" else run_id
    text = store.request(search)
    if store.run(search).status == "complete" and not stored_progress(store, search).is_open:
        raise InputError(
            f"run {search} is complete: everything that was found is validated", f"rankwise show {search}"
        )
    topology = store.topology(search)
    request = TuneRequest(
        stored_options(text), make(topology) if topology else LocalTestbed(),
        store.run(search).command_line, search, store.run(search).parent, seconds,
    )  # fmt: skip
    return Tuner(request, store, events).run()


def say(result: TuneResult, events: Events) -> None:
    """Say what came of a tuning: what should be known of it, and where the profile is."""
    warn(events, *result.notices)
    if result.folder is None:
        events.say("\nno profile written: nothing is shown to be faster than the default")
    else:
        events.say(f"\nprofile: {result.folder}   load it: rankwise run --profile {result.folder} -n 4 -- ./app")


def stored_progress(store: Store, search: int) -> Progress:
    """Return how far a tuning has come."""
    text = store.result(search)
    return msgspec.json.decode(text, type=Progress) if text else Progress()


def stored_options(text: str) -> TuneOptions:
    """Return what a run has stored of its request."""
    return msgspec.json.decode(text, type=TuneOptions)


class Tuner:
    """One tuning, from a request to a profile: stage by stage it searches, validates, and writes what is shown."""

    def __init__(self, request: TuneRequest, store: Store, events: Events) -> None:
        self._request, self._options, self._store, self._events = request, request.options, store, events
        self._began = request.began
        self._search_id = request.search
        self._written: Path | None = None

    def run(self) -> TuneResult:
        """Return the profile, its folder, and what the validation says."""
        writing.require_free(self._options.name, Path(self._options.parent), force=self._replaces())
        built = self._built()
        with up(self._request.testbed, self._events) as (testbed, paths):
            kernel = host_settings.known(testbed, READ_FROM_HOSTS)
            target = Target(
                testbed.name, testbed.topology(), testbed.hosts(), paths, kernel,
                VISIT_SHARE * self._options.time_budget_seconds,
            )  # fmt: skip
            self._begin(built, testbed, target)
            try:
                return self._tuned(built, testbed, target, Pace(target.delay_seconds, target.byte_seconds))
            except (KeyboardInterrupt, InterruptedRun) as event:
                raise self._interrupted(event) from event

    def _tuned(self, built: Built, testbed: TestbedKind, target: Target, pace: Pace) -> TuneResult:
        """Every stage adds to what is validated, and what is validated is written before the next stage begins.

        What time is left in the end goes to what could not be validated at first.
        """
        progress, budget = stored_progress(self._store, self._search_id), self._budget()
        results = {name: progress.found.get(name, Found()) for name in built.ready}
        searching = self._searching(built, testbed, target, pace)
        runs, validation = self._validation(built, testbed, target, pace, budget, progress)
        done = progress.done

        def end() -> float:
            return budget.validation_end(verification_seconds(built, results, pace))

        def finish() -> float:
            """Return when searching ends: where something is validated, its harm is looked for after all else."""
            if not any(result.increments for result in results.values()):
                return end()
            return end() - min(validation.harm_seconds(results), MOST_HARM_SHARE * budget.seconds)

        searching.begin(results, done, end() - budget.clock())
        if any(result.is_open for result in results.values()):
            results = self._kept(done, validation.run(results, finish()), validation)
        while turn := searching.next_turn(results, budget.clock(), finish()):
            searched = searching.search(turn, results)
            done = (*done, turn.stage.name)
            searched = {name: self._expressed(built, target, name, result) for name, result in searched.items()}
            results = self._kept(done, searched, validation)
            if any(result.is_open for result in results.values()):
                results = self._kept(done, validation.run(results, min(turn.end, finish()), finish()), validation)
                self._write(built, testbed, target, results, validation)
        if any(result.is_open for result in results.values()):
            results = self._kept(done, validation.run(results, finish()), validation)
        results = self._kept(done, validation.look_for_harm(results, end()), validation)
        profile, accepted = self._write(built, testbed, target, results, validation, checked=True)
        self._keep_gains(validation, accepted)
        self._store.finish_run(self._search_id, "complete", "searched")
        waiting = tuple(
            Notice(
                "not-validated", f"{name}: found, not validated: {_waiting_words(result)}",
                f"rankwise resume {self._search_id} --time {_minutes(validation.needed_seconds(name, result))}m "
                "validates it",
            )
            for name, result in results.items()
            if result.is_open
        )  # fmt: skip
        wrong = runs.wrong_data(run.id for run in validation.runs)
        return TuneResult(profile, self._written, accepted, wrong, waiting)

    def _kept(self, done: tuple[str, ...], results: dict[str, Found], validation: Validation) -> dict[str, Found]:
        """The same; stored, so that an interruption takes nothing away."""
        progress = Progress(done, results, validation.runs)
        self._store.set_result(self._search_id, msgspec.json.encode(progress).decode())
        return results

    def _expressed(self, built: Built, target: Target, name: str, result: Found) -> Found:
        """With what its implementation can load."""
        proposed, why_not = express(built, target, self._options.spec, name, result.proposed)
        return replace(result, proposed=proposed, reasons=tuple(with_reverted(result.reasons, why_not)))

    def _write(
        self, built: Built, testbed: TestbedKind, target: Target, results: Mapping[str, Found],
        validation: Validation, *, checked: bool = False,
    ) -> tuple[Profile, dict[str, Acceptance]]:  # fmt: skip
        """The profile as far as it is validated, on disk if there is anything in it; `checked`: it is in force."""
        accepted = {
            name: validation.accepted(name, result) for name, result in results.items() if result.increments
        }
        with_reach = {
            name: replace(
                result, reasons=(*result.reasons, *self._reach(built, target, name, result, accepted.get(name)))
            )
            for name, result in results.items()
        }
        parts = parts_of(built, testbed.topology(), with_reach, accepted)
        profile = Profile(
            self._options.name, testbed.name, testbed.topology(), time.time(), self._request.command_line,
            __version__, (self._search_id, *(run.id for run in validation.runs)),
            verified(parts, built, testbed) if checked else parts,
        )  # fmt: skip
        if any(part.tuning != Tuning() for part in parts):
            force = self._written is not None or self._replaces()
            self._written = writing.write(profile, Path(self._options.parent), force=force)
        elif self._is_own(place := Path(self._options.parent) / self._options.name):
            writing.remove(place)  # it was seen to do harm
            self._written = None
        return profile, accepted

    def _reach(
        self, built: Built, target: Target, name: str, result: Found, judged: Acceptance | None
    ) -> Iterator[Reason]:
        """What was validated, by which quantile, and what could not be."""
        implementation, spec = built.ready[name].implementation, self._options.spec
        if judged:
            wanted = validation_cells(implementation, built.menu[name], target, spec, result.tuning)
            reason = reach_reason(implementation, result.tuning, wanted, judged.evidence)
            yield from [reason] if reason else []
        if result.is_open:
            yield Reason("found, not validated", _waiting_words(result))
        if judged and spec.criteria.quantile != MEDIAN:
            share = f"{100 * spec.criteria.quantile:g} %"
            yield Reason("objective", f"what {share} of a launch's repetitions take at most, not the median")

    def _replaces(self) -> bool:
        """Whether a profile of the name may be replaced: it is asked for, or the profile is this search's own."""
        return self._options.force or self._is_own(Path(self._options.parent) / self._options.name)

    def _is_own(self, place: Path) -> bool:
        """Whether the profile that lies there, if any does, is this search's."""
        return bool(self._search_id) and place.exists() and read(place).profile.runs[:1] == (self._search_id,)

    def _budget(self) -> Budget:
        """All the time there is; after an interruption what was left of it, and LEAST_SHARE at least."""
        if self._request.seconds:
            return Budget(self._began, self._request.seconds)
        seconds, known = self._options.time_budget_seconds, [self._search_id]
        known += [run.id for run in self._store.runs() if run.parent == self._search_id]
        spent = sum(map(self._store.spent_seconds, known))
        return Budget(self._began, max(seconds - spent, LEAST_SHARE * seconds))

    def _validation(
        self, built: Built, testbed: TestbedKind, target: Target, pace: Pace, budget: Budget, progress: Progress
    ) -> tuple[StoredRuns, Validation]:
        """What validates, with all that it has measured before an interruption, and where that lies."""
        spec = self._options.spec

        def repeating(placement: str) -> float:
            most = REPEATING_SHARE * self._options.time_budget_seconds
            return seconds_per_cell(spec.criteria.quantile, target.delay_seconds(placement), most)

        runs = StoredRuns(
            self._store, self._events, built, testbed, target,
            Origin(self._search_id, self._options.name, self._request.command_line, repeating), pace,
            [run.id for run in progress.runs],
        )  # fmt: skip

        def cells_of(name: str, tuning: Tuning) -> list[Wanted]:
            return validation_cells(built.ready[name].implementation, built.menu[name], target, spec, tuning)

        def expressed(name: str, tuning: Tuning) -> tuple[Tuning, tuple[Reason, ...]]:
            return express(built, target, spec, name, tuning)

        question = Question(
            self._options.name, cells_of, expressed, built.benchmarks, spec.criteria.delta, spec.application,
            spec.criteria.quantile, self._options.verify_first,
        )  # fmt: skip
        earlier = [(run, runs.launches(run.id)) for run in progress.runs]
        for _, launches in earlier:
            pace.add(launches)
        return runs, Validation(question, runs, pace, budget.clock, earlier)

    def _keep_gains(self, validation: Validation, accepted: Mapping[str, Acceptance]) -> None:
        """What screen and profile say is stored with the last validation too."""
        if validation.runs:
            gains = {name: judged.gain for name, judged in accepted.items()}
            self._store.set_result(validation.runs[-1].id, msgspec.json.encode(gains).decode())

    def _interrupted(self, event: BaseException) -> InterruptedRun:
        """Where it can go on."""
        self._store.finish_run(self._search_id, "interrupted", str(event) or "Ctrl-C")
        kept = f"; validated so far: {self._written}" if self._written else ""
        if isinstance(event, InterruptedRun) and event.remedy:
            return InterruptedRun(f"{event}{kept}", event.remedy)
        return InterruptedRun(
            f"interrupted: {self._store.run(self._search_id).launches} launches of run {self._search_id} are kept"
            f"{kept}",
            f"continue: rankwise resume {self._search_id}",
        )

    def _built(self) -> Built:
        """The implementations asked for, or those of the search that goes on."""
        if self._search_id:
            return build_all(self._store.implementations(self._search_id), self._events)
        prefixes = tuple(map(Path, self._options.prefixes))
        return prepare(self._options.implementations, prefixes, self._events)

    def _plan(self) -> Plan:
        seconds = self._options.time_budget_seconds
        return Plan(
            (), 0, seconds, seconds_per_cell=seconds_per_cell(self._options.spec.criteria.quantile),
            launch_limit_seconds=min(LAUNCH_LIMIT_SECONDS, seconds / 4),
        )  # fmt: skip

    def _searching(self, built: Built, testbed: TestbedKind, target: Target, pace: Pace) -> StagedSearch:
        run_id, store = self._search_id, self._store
        earlier = store.launches(run_id)
        pace.add(earlier)
        launching = PunctualLaunching(
            FamilyLauncher(), testbed, self._plan(), load=loader(testbed), network=network_file(testbed),
            brief=True, pace=pace,
        )  # fmt: skip
        return StagedSearch(
            built,
            launching,
            target,
            self._options.spec,
            lambda launch, named: store.add_launch(run_id, launch, named),
            self._events,
            pace,
            earlier,
        )

    def _begin(self, built: Built, testbed: TestbedKind, target: Target) -> None:
        """Begin the search's run, or take it over."""
        if self._search_id:
            self._store.resume_run(self._search_id, facts_of(testbed))
            return
        self._search_id = self._store.begin_run(
            self._request.command_line, testbed.name, self._plan(), kind="search", parent=self._request.study,
            request=msgspec.json.encode(self._options).decode(), implementations=built.implementations,
            benchmarks=built.benchmarks.values(), facts=facts_of(testbed), topology=testbed.topology(),
        )  # fmt: skip
        self._store.add_paths(self._search_id, target.paths)
        self._store.add_notices(self._search_id, built.notices)


def _minutes(seconds: float) -> int:
    """With the time for bringing the testbed up, and for seeing what is in force."""
    return math.ceil((1.2 * seconds + BESIDE_SECONDS) / 60)


def _waiting_words(result: Found) -> str:
    """What was found beyond what is validated, and why that is not."""
    new = beyond(result.proposed, result.tuning)
    names = [f"{setting.knob}={setting.value}" for setting in new.settings]
    names += [f"{decision.operation} at {decision.ranks} ranks" for decision in new.decisions]
    names += [f"{name}={value}" for name, value in new.host_settings]
    why = "; ".join(dict.fromkeys(f"{reason.subject}: {reason.words}" for reason in result.missing[:2]))
    return f"{', '.join(names)}{f' ({why})' if why else ''}"


def _warnings(profile: Profile, accepted: Mapping[str, Acceptance]) -> tuple[Notice, ...]:
    notices = [
        Notice("slower-cell", f"{name}: {text}, and nothing in the profile explains it", "measure again")
        for name, acceptance in accepted.items()
        for text in acceptance.unexplained
    ]
    if {verdict.benchmark for acceptance in accepted.values() for verdict in acceptance.verdicts} == {"pingpong"}:
        notices.append(Notice(
            "only-pairs",
            "the profile was validated between two ranks only; collectives may be slower with it",
            "tune for both, --for p2p,collectives; or check: rankwise compare --profile default --profile "
            f"{profile.name} --bench allreduce,bcast",
        ))  # fmt: skip
    return tuple(notices)
