"""From a study to stored runs: what is tuned and measured, what is stored already, and how to go on."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from rankwise.core.errors import HostError, InputError, InterruptedRun, RankwiseError
from rankwise.core.records import Cell, Implementation
from rankwise.core.tuning import DEFAULT, Knob, Profile
from rankwise.core.units import format_duration
from rankwise.mpi.family import family_named
from rankwise.profiles import profile_file, writing
from rankwise.store.store import Store
from rankwise.studies.base import Effort, Results, Study, StudyRun
from rankwise.testbed import description
from rankwise.testbed.base import TestbedKind, make
from rankwise.workflows import answer, measure
from rankwise.workflows.events import Events
from rankwise.workflows.tune import tuner
from rankwise.workflows.tune.stages import Wish


@dataclass(frozen=True, slots=True)
class StudyRequest:
    """What `study` was asked for."""

    command_line: str
    quick: bool
    profiles: Path
    """The folder that the profiles of runs that tune go into."""
    time_budget_seconds: float | None = None
    """For all of it; None: the study's own."""
    implementations: tuple[str, ...] = ()
    prefixes: tuple[Path, ...] = ()


class Studying:
    """One study: its stored runs by label."""

    def __init__(self, study: Study, request: StudyRequest, store: Store, events: Events) -> None:
        self._study, self._request, self._store, self._events = study, request, store, events
        self.run_ids: dict[str, int] = {}
        """What is measured, or begun."""
        self._searches: defaultdict[str, list[int]] = defaultdict(list)
        """Of runs that tune and are not measured yet: searches that can go on."""

    @property
    def listed(self) -> str:
        """The stored runs as `--from` takes them."""
        searches = [one for label, ids in self._searches.items() if label not in self.run_ids for one in ids]
        return ",".join(map(str, [*self.run_ids.values(), *searches]))

    def take(self, run_ids: Sequence[int]) -> None:
        """Go on from these; the later one of a label wins. Raises InputError for what is none of the study's."""
        for run_id in run_ids:
            stored = self._store.run(run_id)
            run = self._study.run_of(stored.testbed)
            if run is None:
                raise InputError(
                    f"run {run_id} was measured on {stored.testbed}: it is none of the study {self._study.name}",
                    f"its runs are on {', '.join(map(self._study.testbed_name, self._study.runs))}; "
                    "see rankwise runs",
                )
            if not self._keep(run, run_id):
                raise InputError(
                    f"run {run_id} proves a tuning of the study: there is nothing in it that could go on",
                    "leave it out; give the search before it, or the measurement after it",
                )

    def measure_missing(self) -> None:
        """Measure what is not stored, finish what was interrupted. Raises InterruptedRun with the way to go on."""
        wanted = [run for run in self._study.runs if run.effort(quick=self._request.quick)]
        self._require_room(wanted)
        for number, run in enumerate(wanted, start=1):
            known = self.run_ids.get(run.label)
            if known is not None and self._store.run(known).status != "interrupted":
                continue
            self._events.say(f"[{number}/{len(wanted)}] {run.title}")
            before = {one.id for one in self._store.runs()}
            try:
                self._measure(run, known)
            except (InterruptedRun, HostError, KeyboardInterrupt) as error:
                own = self._study.testbed_name(run)
                begun = [one.id for one in self._store.runs() if one.id not in before and one.testbed == own]
                for run_id in begun:
                    self._keep(run, run_id)
                if not isinstance(error, HostError) or (known is None and not begun):
                    raise self._with_way_on(error) from error
                self._events.say(f"warning: {run.title}: {error}")  # this network failed; others may not

    def results(self) -> dict[str, Results]:
        """What is stored of each run, by label."""
        runs = {run.label: run for run in self._study.runs}
        return {label: self._results(runs[label], run_id) for label, run_id in self.run_ids.items()}

    def _keep(self, run: StudyRun, run_id: int) -> bool:
        """Know what a stored run is: a measurement, a search, or (False) the proof between the two."""
        measured = {cell.benchmark for cell in self._store.plan(run_id).cells}
        if not run.tune or measured.issuperset(run.benchmarks):
            self.run_ids[run.label] = run_id
        elif not measured:
            self._searches[run.label].append(run_id)
        else:
            return False
        return True

    def _require_room(self, wanted: Sequence[StudyRun]) -> None:
        """Raises InputError, before anything is measured, if a profile could not be written in the end."""
        for run in wanted:
            if run.tune and run.label not in self.run_ids:
                writing.require_free(self._study.testbed_name(run), self._request.profiles, force=True)

    def _measure(self, run: StudyRun, known: int | None) -> None:
        if known is None:
            folder = self._tune(run) if run.tune else None
            self.run_ids[run.label] = measure.measure(self._asked(run, folder), self._store, self._events)
            return
        if run.tune and self._profile(known) is None:
            raise InputError(
                f"run {known} cannot go on: the profile that it measures is gone, or another one by now",
                "leave it out of --from: then it is tuned and measured anew",
            )
        measure.resume(known, self._store, self._events)

    def _tune(self, run: StudyRun) -> Path:
        """Search and prove the run's knobs; the folder of the profile."""
        effort = self._effort(run)
        seconds = self._share * effort.time_budget_seconds * effort.tuning_share
        self._events.say(f"tuning first: {', '.join(run.tune)}; at most {format_duration(seconds)}")
        asked = tuner.TuneRequest(
            command_line=self._request.command_line, name=self._study.testbed_name(run),
            parent=self._request.profiles, testbed=self._testbed(run), wish=Wish(run.tune, ()),
            time_budget_seconds=seconds, implementations=self._request.implementations,
            prefixes=self._request.prefixes, force=True, earlier_runs=tuple(self._searches[run.label]),
        )  # fmt: skip
        profile, folder, accepted = tuner.Tuner(asked, self._store, self._events).run()
        for notice in tuner.warnings(profile, accepted):
            self._events.say(f"warning: {notice.message}; {notice.remedy}")
        return folder

    def _asked(self, run: StudyRun, profile: Path | None) -> measure.Request:
        """Baselines load nothing even where a run has a profile."""
        effort = self._effort(run)
        name = self._study.testbed_name(run)
        return measure.Request(
            command_line=self._request.command_line, benchmarks=run.benchmarks, sizes_bytes=effort.sizes_bytes,
            time_budget_seconds=self._share * effort.time_budget_seconds * (1 - effort.tuning_share),
            implementations=self._request.implementations, prefixes=self._request.prefixes, ranks=(run.ranks,),
            options=(run.options,), min_launches=effort.launches, max_launches=effort.launches,
            seconds_per_cell=effort.seconds_per_cell, launch_limit_seconds=effort.launch_limit_seconds,
            testbed=self._testbed(run), placements=(run.placement,),
            profiles=((name, str(profile)), (DEFAULT, "")) if profile else (),
            wanted=_mpi_with_its_profile if profile else None,
        )  # fmt: skip

    def _testbed(self, run: StudyRun) -> TestbedKind:
        return make(self._study.topology(run, description.load(run.testbed)))

    def _effort(self, run: StudyRun) -> Effort:
        effort = run.effort(quick=self._request.quick)
        if effort is None:
            raise InputError(f"{run.label} is no part of a quick study", "leave --quick out")
        return effort

    @property
    def _share(self) -> float:
        """Of the time that the study would take by itself."""
        asked = self._request.time_budget_seconds
        return asked / self._study.seconds(quick=self._request.quick) if asked else 1.0

    def _with_way_on(self, error: InterruptedRun | HostError | KeyboardInterrupt) -> RankwiseError:
        """The same error, with the line that goes on from what is stored."""
        words = ["rankwise study", self._study.name]
        words += ["--quick"] if self._request.quick else []
        words += ["--mpi", ",".join(self._request.implementations)] if self._request.implementations else []
        going_on = " ".join([*words, "--from", self.listed] if self.listed else words)
        if isinstance(error, HostError):
            return HostError(str(error), f"{error.remedy}\nthen: {going_on}" if error.remedy else going_on)
        return InterruptedRun(str(error) or "interrupted: what was measured is kept", f"go on with: {going_on}")

    # What is stored

    def _results(self, run: StudyRun, run_id: int) -> Results:
        store = self._store
        return Results(
            run=store.run(run_id),
            comparison=answer.compare_run(store, run_id, profiles_apart=not run.tune),
            launches=tuple(store.iter_launches(run_id)),
            topology=store.topology(run_id),
            paths=store.paths(run_id),
            profile=self._profile(run_id) if run.tune else None,
            knobs={one.id: _knobs(one) for one in store.implementations(run_id)} if run.tune else {},
        )

    def _profile(self, run_id: int) -> Profile | None:
        """What the run was measured with; None where the folder is gone, or has a later profile by now."""
        for _, folder in self._store.plan(run_id).profiles:
            try:
                found = profile_file.read(Path(folder)).profile
            except InputError:
                return None
            return found if found.created_at <= self._store.run(run_id).created_at else None
        return None


def _mpi_with_its_profile(cell: Cell) -> bool:
    """Of the product of benchmarks and profiles: raw TCP as it is, all else as it was tuned."""
    return cell.benchmark.startswith("tcp_") == (cell.profile == DEFAULT)


def _knobs(implementation: Implementation) -> tuple[Knob, ...]:
    """None where the installation is gone, or not of this host."""
    try:
        return family_named(implementation.family).knobs(implementation)
    except (HostError, InputError):
        return ()
