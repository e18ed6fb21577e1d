"""Tuning as a whole: searches, validates and writes a profile, every launch stored on the way."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import msgspec

from rankwise import __version__
from rankwise.analysis.compare.notices import wrong_data
from rankwise.analysis.host_settings.variants import READ_FROM_HOSTS
from rankwise.analysis.validation.acceptance import Acceptance
from rankwise.core.errors import InputError, InterruptedRun
from rankwise.core.records import CellFailure, Notice, Plan
from rankwise.core.results import Gain
from rankwise.core.tuning import Profile, Reason, Tuning
from rankwise.mpi.family import FamilyLauncher
from rankwise.profiles import writing
from rankwise.store.store import Store
from rankwise.testbeds.base import TestbedKind, make
from rankwise.testbeds.local import LocalTestbed
from rankwise.workflows import host_settings
from rankwise.workflows.configurations import loader
from rankwise.workflows.events import Events
from rankwise.workflows.prepare import Built, build_all, prepare, up
from rankwise.workflows.schedule_network import network_file
from rankwise.workflows.tune.budget import LAUNCH_LIMIT_SECONDS, Budget, Pace, PunctualLaunching, seconds_per_cell
from rankwise.workflows.tune.parts import express, parts_of, verification_seconds
from rankwise.workflows.tune.search import Found, StagedSearch
from rankwise.workflows.tune.stages import Target, TuneSpec
from rankwise.workflows.tune.validation import Question, Validation
from rankwise.workflows.tune.validation_cells import Wanted, reach_reason, validation_cells
from rankwise.workflows.tune.validation_runs import Origin, StoredRuns

MEDIAN = 0.5
LEAST_SHARE = 0.25
"""Of the time budget: what a search has at least that goes on after an interruption."""


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


@dataclass(frozen=True, slots=True)
class TuneResult:
    """A profile on disk, and what fresh launches say of each implementation that has any settings."""

    profile: Profile
    folder: Path
    accepted: Mapping[str, Acceptance]
    wrong_data: tuple[CellFailure, ...] = ()
    """Cells that delivered wrong data: by default, or with settings that were therefore taken back."""

    @property
    def gains(self) -> dict[str, Gain]:
        """What the settings of each implementation gain, over all cells."""
        return {one: judged.gain for one, judged in self.accepted.items()}

    @property
    def notices(self) -> tuple[Notice, ...]:
        """What somebody who takes the profile should know beforehand."""
        wrong = wrong_data(self.wrong_data)
        return (*([wrong] if wrong else []), *_warnings(self.profile, self.accepted))


def carry_out(request: TuneRequest, store: Path, events: Events) -> TuneResult:
    """Tune as `tune` does, with the runs stored in `store`."""
    with Store(store) as opened:
        return tune(request, opened, events)


def resume_run(run_id: int, store: Path, events: Events) -> TuneResult:
    """Go on with a search or validation in `store`, as `resume` does."""
    with Store(store, create=False) as opened:
        return resume(run_id, opened, events)


def tune(request: TuneRequest, store: Store, events: Events) -> TuneResult:
    """Find settings that make implementations fast, validate them on fresh launches, and write them as a profile.

    Raises InputError for a name that is taken, InterruptedRun with the way to go on.
    """
    return Tuner(request, store, events).run()


def resume(run_id: int, store: Store, events: Events) -> TuneResult:
    """Go on with an interrupted search or validation. Raises InputError for one that cannot go on."""
    run = store.run(run_id)
    if run.kind not in ("search", "validation"):
        raise InputError(f"run {run_id} is no run of `rankwise tune`", f"rankwise resume {run_id}")
    search = run.parent if run.kind == "validation" else run_id
    text = store.request(search) if search else ""
    if not text:
        raise InputError(
            f"run {run_id} was begun by an older Rankwise, which did not store what tuning needs to go on",
            "begin anew: rankwise tune",
        )
    topology = store.topology(search)
    request = TuneRequest(
        stored_options(text), make(topology) if topology else LocalTestbed(),
        store.run(search).command_line, search, store.run(search).parent,
    )  # fmt: skip
    return Tuner(request, store, events).run()


def stored_options(text: str) -> TuneOptions:
    """Return what a run has stored; one that an older Rankwise began may have it under former names."""
    return msgspec.json.decode(text.replace('"rigour":', '"criteria":'), type=TuneOptions)


class Tuner:
    """One tuning, from a request to a profile."""

    def __init__(self, request: TuneRequest, store: Store, events: Events) -> None:
        self._request, self._options, self._store, self._events = request, request.options, store, events
        self._began = time.monotonic()
        self._search_id = request.search
        self._runs: list[int] = []

    def run(self) -> TuneResult:
        """Return the profile, its folder, and what the validation says."""
        options = self._options
        parent = Path(options.parent)
        writing.require_free(options.name, parent, force=options.force)
        built = self._built()
        with up(self._request.testbed, self._events) as (testbed, paths):
            kernel = host_settings.known(testbed, READ_FROM_HOSTS)
            target = Target(testbed.name, testbed.topology(), testbed.hosts(), paths, kernel)
            budget = self._budget()
            found = self._found(built, testbed, target, budget)
            express(built, found, target, options.spec)
            accepted, runs = self._validated(built, testbed, target, found, budget)
            self._runs = [self._search_id, *runs.run_ids]
            self._keep_gains(accepted)
            profile = Profile(
                options.name, testbed.name, testbed.topology(), time.time(), self._request.command_line,
                __version__, tuple(self._runs), tuple(parts_of(built, testbed, found, accepted)),
            )  # fmt: skip
        folder = writing.write(profile, parent, force=options.force)
        return TuneResult(profile, folder, accepted, runs.wrong_data())

    def _budget(self) -> Budget:
        """All the time there is; after an interruption what was left of it, and LEAST_SHARE at least."""
        seconds, known = self._options.time_budget_seconds, [self._search_id] if self._search_id else []
        known += [one.id for one in self._store.runs() if self._search_id and one.parent == self._search_id]
        spent = sum(map(self._store.spent_seconds, known))
        return Budget(self._began, max(seconds - spent, LEAST_SHARE * seconds))

    def _validated(
        self, built: Built, testbed: TestbedKind, target: Target, found: Mapping[str, Found], budget: Budget
    ) -> tuple[dict[str, Acceptance], StoredRuns]:
        """What is left of `found`, and the runs that say so; reasons tell what was validated."""
        options = self._options
        pace = Pace(target.delay_seconds)
        pace.add(self._store.launches(self._search_id))
        origin = Origin(
            self._search_id, options.name, self._request.command_line,
            seconds_per_cell(
                options.spec.criteria.quantile, max(map(target.delay_seconds, target.placements), default=0.0)
            ),
        )  # fmt: skip
        runs = StoredRuns(self._store, self._events, built, testbed, target, origin, pace)

        def cells_of(one: str, tuning: Tuning) -> list[Wanted]:
            return validation_cells(
                built.ready[one].implementation, built.menu[one], target, options.spec, tuning
            )  # fmt: skip

        question = Question(
            options.name, cells_of, built.benchmarks, options.spec.criteria.delta, options.spec.application,
            options.spec.criteria.quantile, options.verify_first,
        )  # fmt: skip

        def deadline() -> float:
            return budget.validation_end(verification_seconds(built, found, pace))

        validation = Validation(question, runs, pace, deadline, budget.clock)
        accepted = validation.run(found, lambda: express(built, found, target, options.spec))
        for one, judged in accepted.items():
            implementation, tuning = built.ready[one].implementation, found[one].tuning
            reason = reach_reason(implementation, tuning, cells_of(one, tuning), judged.evidence)
            found[one].reasons += [reason] if reason else []
            if options.spec.criteria.quantile != MEDIAN:
                share = f"{100 * options.spec.criteria.quantile:g} %"
                found[one].reasons.append(
                    Reason("objective", f"what {share} of a launch's repetitions take at most, not the median")
                )
        return accepted, runs

    def _keep_gains(self, accepted: Mapping[str, Acceptance]) -> None:
        """What screen and profile say is stored with the last validation too."""
        if len(self._runs) > 1:
            gains = {one: judged.gain for one, judged in accepted.items()}
            self._store.set_result(self._runs[-1], msgspec.json.encode(gains).decode())

    def _built(self) -> Built:
        """The implementations asked for, or those of the search that goes on."""
        if self._search_id:
            return build_all(self._store.implementations(self._search_id), self._events)
        prefixes = tuple(map(Path, self._options.prefixes))
        return prepare(self._options.implementations, prefixes, self._events)

    # The search

    def _found(self, built: Built, testbed: TestbedKind, target: Target, budget: Budget) -> dict[str, Found]:
        """What the search finds, or has found before."""
        told = self._store.result(self._search_id) if self._search_id else ""
        if told:
            return msgspec.json.decode(told, type=dict[str, Found])
        found = self._search(built, testbed, target, budget)
        self._store.set_result(self._search_id, msgspec.json.encode(found).decode())
        self._store.finish_run(self._search_id, "complete", "searched")
        return found

    def _search(self, built: Built, testbed: TestbedKind, target: Target, budget: Budget) -> dict[str, Found]:
        plan = Plan(
            (), 0, self._options.time_budget_seconds,
            seconds_per_cell=seconds_per_cell(self._options.spec.criteria.quantile),
            launch_limit_seconds=min(LAUNCH_LIMIT_SECONDS, self._options.time_budget_seconds / 4),
        )  # fmt: skip
        earlier = self._store.launches(self._search_id) if self._search_id else []
        if self._search_id:
            self._store.resume_run(self._search_id, testbed.facts())
        else:
            self._search_id = self._begin(built, testbed, target, plan)
        run_id = self._search_id
        searching = StagedSearch(
            built, PunctualLaunching(
                FamilyLauncher(), testbed, plan, load=loader(testbed), network=network_file(testbed), brief=True,
                guess=Pace(target.delay_seconds).launch_seconds,
            ),
            target,
            self._options.spec,
            lambda launch, named: self._store.add_launch(run_id, launch, named), self._events,
            earlier,
        )  # fmt: skip
        try:
            return searching.run(budget)
        except (KeyboardInterrupt, InterruptedRun) as event:
            self._store.finish_run(run_id, "interrupted", str(event) or "Ctrl-C")
            raise InterruptedRun(
                f"interrupted: {self._store.run(run_id).launches} launches of run {run_id} are kept",
                f"go on: rankwise resume {run_id}",
            ) from event

    def _begin(self, built: Built, testbed: TestbedKind, target: Target, plan: Plan) -> int:
        run_id = self._store.begin_run(
            self._request.command_line, testbed.name, plan, kind="search", parent=self._request.study,
            request=msgspec.json.encode(self._options).decode(), implementations=built.implementations,
            benchmarks=built.benchmarks.values(), facts=testbed.facts(), topology=testbed.topology(),
        )  # fmt: skip
        self._store.add_paths(run_id, target.paths)
        self._store.add_notices(run_id, built.notices)
        return run_id


def _warnings(profile: Profile, accepted: Mapping[str, Acceptance]) -> tuple[Notice, ...]:
    found = [
        Notice("slower-cell", f"{one}: {words}, and nothing in the profile explains it", "measure again")
        for one, mine in accepted.items()
        for words in mine.unexplained
    ]
    if {verdict.benchmark for mine in accepted.values() for verdict in mine.verdicts} == {"pingpong"}:
        found.append(Notice(
            "only-pairs",
            "the profile was validated between two ranks only; collectives may be slower with it",
            "tune for both, --for p2p,collectives; or look: rankwise compare --profile default --profile "
            f"{profile.name} --bench allreduce,bcast",
        ))  # fmt: skip
    return tuple(found)
