"""The runs of a study: which are stored, and how those that are missing are tuned for and measured."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path

import msgspec

from rankwise.core.errors import HostError, InputError, InterruptedRun, RankwiseError
from rankwise.core.records import DEFAULT, Cell, Notice, Plan
from rankwise.core.units import format_duration
from rankwise.mpi import select
from rankwise.profiles import writing
from rankwise.store.store import Store
from rankwise.studies.base import Applications, Effort, Results, Study, StudyRun
from rankwise.testbeds import description
from rankwise.testbeds.base import TestbedKind, make
from rankwise.workflows import abi, measure, programs
from rankwise.workflows.configurations import ProfileChoice
from rankwise.workflows.events import Events, warn
from rankwise.workflows.joined import SitePart
from rankwise.workflows.study_applications import measure_applications
from rankwise.workflows.study_further import with_further
from rankwise.workflows.study_options import StudyRequest
from rankwise.workflows.study_stored import Own, StoredRuns
from rankwise.workflows.tune import tuner
from rankwise.workflows.tune.budget import Clock
from rankwise.workflows.tune.stages import TuneSpec

START_SECONDS = 4.0
"""To bring a testbed up and down, beside the time for measuring."""
LEAST_SECONDS = 10.0
"""For a run, however late it is."""


class StudyRuns:
    """The runs of one study by label: stored, measured now, and what is stored of them."""

    def __init__(
        self, study: Study, request: StudyRequest, store: Store, events: Events, clock: Clock = time.monotonic
    ) -> None:
        self._study, self._request, self._store, self._events, self._clock = study, request, store, events, clock
        self._options, self._own_run = request.options, request.run
        self._stored = StoredRuns(study, Path(request.options.profiles), store)
        self.run_ids: dict[str, int] = {}
        """What is measured, or begun."""
        self._searches: defaultdict[str, list[int]] = defaultdict(list)
        """Of runs that tune and are not measured yet: searches that can go on."""
        self._run_end = 0.0
        """When the present run has to end."""
        self._looked_at_data = False

    @property
    def listed(self) -> str:
        """The stored runs as `--from` takes them."""
        searches = [search for label, ids in self._searches.items() if label not in self.run_ids for search in ids]
        return ",".join(map(str, [*self.run_ids.values(), *searches]))

    def take(self, run_ids: Sequence[int]) -> None:
        """Go on from these; the later one of a label wins. Raises InputError for what is none of the study's."""
        for run_id in run_ids:
            stored = self._store.run(run_id)
            run = self._study.run_of(stored.testbed)
            if run is None:
                raise InputError(
                    f"run {run_id} was measured on {stored.testbed}: not of study {self._study.name}",
                    f"its runs are on {', '.join(map(self._study.testbed_name, self._study.runs))}; "
                    "see rankwise runs",
                )
            self._stored.require_class(run, run_id)
            if not self._keep(run, run_id):
                raise InputError(
                    f"run {run_id} is the validation of a tuning of the study: it continues with its search",
                    "leave it out; give the search before it, or the measurement after it",
                )

    def measure_missing(self) -> None:
        """Measure what is not stored, finish what was interrupted. Raises InterruptedRun with the way to go on."""
        wanted = self._wanted
        missing = [run for run in wanted if not self._is_done(run)]
        if not missing:
            return
        left_out = [run.label for run in self._study.runs if run not in wanted]
        if left_out:
            by = "--only" if self._options.only else "--quick"
            self._events.say(f"{by} leaves out: {', '.join(left_out)}")
        self._require_room(wanted)
        self._begin()
        seconds = self._share * sum(self._effort(run).time_budget_seconds for run in missing)
        self._events.say(f"at most {format_duration(seconds)} in all")
        end = self._clock() + seconds
        try:
            for number, run in enumerate(missing):
                self._events.say(f"[{wanted.index(run) + 1}/{len(wanted)}] {run.title}")
                self._run_end = self._end_of_first(missing[number:], end)
                self._measure_or_say(run)
        except BaseException as error:
            self._store.finish_run(self._own_run, "interrupted", str(error).partition("\n")[0] or "Ctrl-C")
            raise
        self._store.finish_run(self._own_run, "complete", "all runs measured")

    def _end_of_first(self, runs: Sequence[StudyRun], end: float) -> float:
        """When the first of them ends if all that is left is shared among them, however long those before took."""
        seconds = [self._effort(run).time_budget_seconds for run in runs]
        now = self._clock()
        return now + max(end - now, LEAST_SECONDS) * seconds[0] / sum(seconds)

    def results(self) -> dict[str, Results]:
        """Return what is stored of each run, by label."""
        runs = {run.label: run for run in self._study.runs}
        return {label: self._stored.results(runs[label], run_id) for label, run_id in self.run_ids.items()}

    def _is_done(self, run: StudyRun) -> bool:
        known = self.run_ids.get(run.label)
        return known is not None and self._store.run(known).status != "interrupted"

    def _begin(self) -> None:
        """The run that stands for the study as a whole, and is the parent of what it measures."""
        if self._own_run:
            self._store.resume_run(self._own_run)
            return
        self._own_run = self._store.begin_run(
            self._request.command_line, self._study.name, Plan((), 0, self._options.time_budget_seconds or 0.0),
            kind="study", request=msgspec.json.encode(self._options).decode(),
        )  # fmt: skip

    def _measure_or_say(self, run: StudyRun) -> None:
        """Measure one run; that its network failed is said, for others may not."""
        known = self.run_ids.get(run.label)
        before = {stored_run.id for stored_run in self._store.runs()}
        try:
            self._measure(run, known)
        except (InterruptedRun, HostError, KeyboardInterrupt) as error:
            own = self._study.testbed_name(run)
            begun = [
                stored_run.id
                for stored_run in self._store.runs()
                if stored_run.id not in before and stored_run.testbed == own
            ]
            for run_id in begun:
                self._keep(run, run_id)
            if not isinstance(error, HostError) or (known is None and not begun):
                raise self._with_way_on(error) from error
            warn(self._events, f"{run.title}: {error}")

    def _keep(self, run: StudyRun, run_id: int) -> bool:
        """Know what a stored run is: a measurement, a search, or (False) a validation of one."""
        kind = self._store.run(run_id).kind
        if kind == "validation":
            return False
        if kind == "search":
            self._searches[run.label].append(run_id)
        else:
            self.run_ids[run.label] = run_id
        return True

    @cached_property
    def _wanted(self) -> tuple[StudyRun, ...]:
        return self._study.wanted(self._options.only, quick=self._options.quick)

    def _require_room(self, wanted: Sequence[StudyRun]) -> None:
        """Raises InputError, before anything is measured, if a profile could not be written in the end."""
        for run in wanted:
            if run.tune and run.label not in self.run_ids:
                writing.require_free(self._study.testbed_name(run), Path(self._options.profiles), force=True)

    def _measure(self, run: StudyRun, known: int | None) -> None:
        if known is not None:
            going_on = programs.resume if self._store.run(known).kind == "program" else measure.resume
            going_on(known, self._store, self._events)
            return
        if run.applications:
            self._measure_applications(run, run.applications)
            return
        if run.sites and (reason := _cannot_join()):
            self._events.say(f"left out: {run.title}: {reason}")
            return
        folder = self._tune(run) if run.tune else None
        self.run_ids[run.label] = measure.measure(self._asked(run, folder), self._store, self._events)

    def _measure_applications(self, run: StudyRun, applications: Applications) -> None:
        """As they are, and where the run says so with what they might gain by."""
        request, notices = self._asked(run, None), tuple[Notice, ...]()
        if run.further:
            folders = self._stored.profile_folders(run, self.run_ids)
            request, notices = with_further(request, run, applications, folders, self._events)
            request = replace(request, time_budget_seconds=self._seconds_left())  # to map them has taken some
        self.run_ids[run.label] = measure_applications(
            applications, request, self._store, self._events, notices
        )  # fmt: skip

    def _seconds_left(self) -> float:
        """For the present run's launches."""
        return max(self._run_end - self._clock() - START_SECONDS, LEAST_SECONDS)

    def _tune(self, run: StudyRun) -> Path | None:
        """Search and validate the run's knobs; the folder of the profile, None where nothing was worth one."""
        effort, options = self._effort(run), self._options
        seconds = (self._run_end - self._clock()) * effort.tuning_share
        self._events.say(f"tuning first: {', '.join(run.tune)}; at most {format_duration(seconds)}")
        request = tuner.TuneRequest(
            tuner.TuneOptions(
                self._study.testbed_name(run), options.profiles, TuneSpec(run.tune, ()), seconds,
                self._implementations, options.prefixes, force=True, verify_first=self._looks_at_data(),
            ),
            self._testbed(run), self._request.command_line,
            search=max(self._searches[run.label], default=0), study=self._own_run,
        )  # fmt: skip
        result = tuner.tune(request, self._store, self._events)
        warn(self._events, *result.notices)
        return result.folder

    def _asked(self, run: StudyRun, profile: Path | None) -> measure.Request:
        """Baselines load nothing even where a run has a profile."""
        effort, options = self._effort(run), self._options
        name = self._study.testbed_name(run)
        own = Own(run.label, str(profile.resolve()) if profile else "")
        return measure.Request(
            command_line=self._request.command_line, benchmarks=run.benchmarks, sizes_bytes=effort.sizes_bytes,
            time_budget_seconds=self._seconds_left(),
            implementations=self._implementations, prefixes=tuple(map(Path, options.prefixes)),
            ranks=(run.ranks,), options=(run.options,), min_launches=effort.launches,
            max_launches=effort.launches, seconds_per_cell=effort.seconds_per_cell,
            launch_limit_seconds=effort.launch_limit_seconds, testbed=self._testbed(run),
            placements=(run.placement, *run.beside),
            profiles=(ProfileChoice(name, own.profile), ProfileChoice()) if profile else (),
            wanted=_mpi_with_its_profile if profile else None,
            verify_first=self._looks_at_data(), parent=self._own_run, own=msgspec.json.encode(own).decode(),
            joined=self._joined(run), alone=bool(run.sites), relayed=run.relayed,
        )  # fmt: skip

    def _joined(self, run: StudyRun) -> tuple[tuple[SitePart, ...], ...]:
        """The job over the run's sites: MPIs of the families that it names, if they are among those asked for."""
        if not run.sites:
            return ()
        working, _ = select.working(self._implementations, [*map(Path, self._options.prefixes)])
        newest = select.newest(working)
        by_family = {implementation.family: implementation for implementation in newest}
        return (
            tuple(
                SitePart(site, by_family.get(family, newest[number % len(newest)]).id, 1)
                for number, (site, family) in enumerate(run.sites)
            ),
        )

    @cached_property
    def _implementations(self) -> tuple[str, ...]:
        options = self._options
        if options.implementations or not options.quick:
            return options.implementations
        working, _ = select.working((), [*map(Path, options.prefixes)])
        return tuple(implementation.id for implementation in select.newest(working))

    def _looks_at_data(self) -> bool:
        """Before each run; in a quick study before the first only, for there it takes longer than the runs."""
        again, self._looked_at_data = self._looked_at_data, True
        return self._options.verify_first and not (again and self._options.quick)

    def _testbed(self, run: StudyRun) -> TestbedKind:
        return make(self._study.topology(run, description.load(run.testbed)))

    def _effort(self, run: StudyRun) -> Effort:
        effort = run.effort(quick=self._options.quick)
        if effort is None:
            raise InputError(f"{run.label} is not part of a quick study", "leave --quick out")
        return effort

    @property
    def _share(self) -> float:
        """Of the time that the study would take by itself."""
        seconds = self._options.time_budget_seconds
        return seconds / sum(self._effort(run).time_budget_seconds for run in self._wanted) if seconds else 1.0

    def _with_way_on(self, error: InterruptedRun | HostError | KeyboardInterrupt) -> RankwiseError:
        """The same error, with the line that goes on from what is stored."""
        going_on = f"rankwise resume {self._own_run}"
        if isinstance(error, HostError):
            return HostError(str(error), f"{error.remedy}\nthen: {going_on}" if error.remedy else going_on)
        return InterruptedRun(str(error) or "interrupted: what was measured is kept", f"continue: {going_on}")


def _cannot_join() -> str:
    """Why no job can span MPIs on this host; '' if some can."""
    try:
        abi.known_standard()
    except HostError as error:
        return str(error)
    return ""


def _mpi_with_its_profile(cell: Cell) -> bool:
    """Of the product of benchmarks and profiles: raw TCP as it is, all else as it was tuned."""
    return cell.benchmark.startswith("tcp_") == (cell.label == DEFAULT)
