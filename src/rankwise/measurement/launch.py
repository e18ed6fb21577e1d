"""One start of a job: build its command, run it on the testbed, turn what it said into a Launch record."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import psutil

from rankwise.core import process
from rankwise.core.configuration import Configuration, plain
from rankwise.core.errors import BuildError, HostError, InputError
from rankwise.core.host_settings import CONGESTION_CONTROL
from rankwise.core.interfaces import Launcher, Testbed
from rankwise.core.jobs import Command, Job, LaunchSteps, Outcome
from rankwise.core.launch_output import kept
from rankwise.core.mapped_libraries import Mapped, Watch, described
from rankwise.core.network import Settings
from rankwise.core.rank_differences import Given
from rankwise.core.records import (
    Benchmark,
    Cell,
    CellFailure,
    FailureKind,
    Implementation,
    Launch,
    Notice,
    Options,
    Plan,
    Segment,
)
from rankwise.core.schedule_names import ScheduleFiles, is_schedule
from rankwise.core.tuning import Loaded
from rankwise.measurement import protocol
from rankwise.measurement.ending import blamed, notices_of, status_of, why_apart
from rankwise.measurement.job import build_job, together
from rankwise.measurement.part import LaunchPart
from rankwise.measurement.workload import Harness, Workload

LIST_LIMIT_SECONDS = 30.0
Files = Iterable[tuple[str, str]]
Combine = Callable[[Sequence[LaunchSteps]], LaunchSteps]
_REFUSED, _SPEAKER = 2, "rankwise-harness: "
"""How the harness ends over a command line that it does not understand, and how it says why."""


def list_benchmarks(
    implementation: Implementation, program: Path, further: Sequence[str] = (), files: Files = ()
) -> tuple[Benchmark, ...]:
    """Return what this build of the harness can measure, as it says, `further` names with parameters among it.

    `files` are schedules of users, names with paths.

    Raises BuildError if it does not run, InputError in its words for parameters that it does not know.
    """
    argv = [str(program), "--list", *_schedule_flags(files), *(f"{name}:0" for name in further)]
    outcome = process.run(argv, LIST_LIMIT_SECONDS, environment=implementation.environment)
    if outcome.returncode == _REFUSED and outcome.stderr.startswith(_SPEAKER):
        raise InputError(
            outcome.stderr.splitlines()[0].removeprefix(_SPEAKER),
            "rankwise bench --list shows the benchmarks, rankwise schedule list the parameters of algorithms",
        )
    try:
        return protocol.parse_list(outcome.stdout)
    except ValueError as error:
        raise BuildError(
            f"{implementation.id}: the compiled benchmarks do not start",
            outcome.command,
            outcome.stdout + outcome.stderr,
            "try the command by hand",
        ) from error


def _schedule_flags(files: Files) -> list[str]:
    return [word for name, path in files for word in ("--schedule", f"{name}={path}")]


@dataclass(frozen=True, slots=True)
class Seen:
    """How a launch is looked at from outside while it runs."""

    look: Callable[[], Mapped]
    given: Callable[[Iterable[str]], Mapping[str, Given]]
    """What processes that it names have got from whatever started them."""
    judge: Callable[[Implementation, Mapped], tuple[str, tuple[Notice, ...]]]
    """What is so wrong that the launch is worth nothing ('': nothing), and what is to be said."""
    unlike: Callable[[Sequence[Job], Mapping[str, Given]], str]
    """What some ranks of a job have got and others have not; '' if they were started alike."""
    probing: Callable[[Implementation, Job], Job]
    """Makes a job tell what carries its messages: launches that verify data are started so, and time nothing."""
    transports: Callable[[Implementation, str], tuple[str, ...]]
    """What they have told."""


class Launching:
    """Starts cells of a plan on one testbed, by the launch lines that `launcher` knows."""

    def __init__(
        self,
        launcher: Launcher,
        testbed: Testbed,
        plan: Plan,
        configurations: Mapping[str, Configuration] | None = None,
        load: Callable[[Configuration], Loaded] = lambda _: Loaded(),
        *,
        workload: Workload | None = None,
        brief: bool = False,
        seen: Seen | None = None,
        network: str = "",
        schedule_files: ScheduleFiles | None = None,
    ) -> None:
        """`configurations`: those that cells name, by id; `load` makes what a launch of one adds to its job.

        `workload` None: our harness, `brief` as in `protocol.arguments`.

        `seen`: looks at the libraries of running ranks, and says what is wrong with them. `network`: the file
        with the testbed's sites and links, for schedules; '' where there is nothing to say. `schedule_files`:
        schedules of users.
        """
        self._network = network
        self._schedule_files = schedule_files or {}
        self._workload, self._brief = workload or Harness(brief=brief), brief
        self._seen = seen
        self._configurations = configurations or {}
        self._load = load
        self._launcher = launcher
        self._testbed = testbed
        self._plan = plan

    @property
    def limit_seconds(self) -> float:
        """What a launch may take at most."""
        return self._plan.launch_limit_seconds

    def launch(
        self,
        implementation: Implementation,
        program: Path,
        cells: Sequence[Cell],
        seconds_per_cell: float = 0.0,
        configuration: Configuration | None = None,
        *,
        verifying: bool = False,
        candidates: protocol.Candidates = protocol.NO_CANDIDATES,
    ) -> Launch:
        """Measure `cells` (same ranks, options, configuration, placement) in this order.

        `candidates`: what to switch to for the cells of a label; cells of one launch may then differ in the label
        alone. The configuration must load what that takes (`mpi.family.with_switching`).

        `verifying`: look whether their data are right instead, as all launches do of a plan that says so.

        Every failure is in the record. Each cell is repeated for `seconds_per_cell`, or for the plan's where that
        is 0. `configuration` None: the one that the cells name; '' stands for the implementation as it is.
        """
        workload = Harness(candidates, brief=self._brief) if candidates else self._workload
        chosen = configuration or self._configurations.get(cells[0].configuration) or plain(implementation)
        try:
            loaded = self._load(chosen)
            verifying |= self._plan.verify
            job = self._job(program, cells, loaded, candidates)
            job = workload.arm(job, cells, self._plan, seconds_per_cell, verifying=verifying)
            skips = not workload.times_start(cells) and not self._testbed.has_fabrics()
            job = replace(job, skips_fabrics=skips)
            if verifying and self._seen:
                job = self._seen.probing(implementation, job)
            part = LaunchPart(implementation, chosen, job)
        except (HostError, InputError) as error:
            segment = Segment(implementation.id, cells[0].ranks, chosen.id, str(program))
            return replace(refused((segment,), cells, told(error), "failed"), verifying=verifying)
        settings = (*loaded.host_settings, *settings_of(cells[0].options))
        launch = self.start([part], cells, settings, workload)
        return replace(launch, verifying=verifying)

    def start(
        self, parts: Sequence[LaunchPart], cells: Sequence[Cell], settings: Settings = (),
        workload: Workload | None = None, combine: Combine = together,
    ) -> Launch:  # fmt: skip
        """Start all parts at once, each by its own launcher, and return what came of it.

        `cells` are those that the parts' harnesses measure, `settings` what every host is set to meanwhile;
        `workload` None: that of all launches; `combine` makes one launch of the launchers.
        """
        workload = workload or self._workload
        started_at, load, stolen = time.time(), os.getloadavg()[0], _steal_seconds()
        with Watch(self._seen.look, given=self._seen.given) if self._seen else contextlib.nullcontext() as watch:
            steps, outcome = self._run(parts, settings, workload.end_marker, combine)
        mapped = watch.found if watch else {}
        wrong, said = self._judged(parts, mapped)
        if watch and self._seen:
            wrong = wrong or self._seen.unlike([part.job for part in parts], watch.given)
        spoken = protocol.NOTHING if wrong else workload.read(outcome, cells)
        if wrong := wrong or why_apart(parts, spoken):
            spoken = protocol.NOTHING
        status, reason = status_of(outcome, spoken, self._plan.launch_limit_seconds)
        if wrong and not outcome.broken:
            status, reason = "failed", wrong
        return Launch(
            segments=tuple(part.segment for part in parts), status=status, reason=reason,
            command=process.command_line(steps.main), environment=steps.main.environment,
            started_at=started_at, seconds=outcome.seconds, series=spoken.series,
            failures=(*spoken.failures, *(() if outcome.broken else blamed(status, reason, cells, spoken))),
            verified=spoken.verified,
            stdout=kept(outcome.stdout), stderr=kept(outcome.stderr),
            oversubscribed=any(part.job.oversubscribed for part in parts), yielding=steps.yielding,
            clock=spoken.clock, clock_error_seconds=spoken.clock_error_seconds,
            timer_resolution_seconds=spoken.timer_resolution_seconds,
            timer_cost_seconds=spoken.timer_cost_seconds, load=load,
            steal_fraction=(_steal_seconds() - stolen) / (max(outcome.seconds, 1e-3) * (os.cpu_count() or 1)),
            notices=(*outcome.notices, *said, *notices_of(parts, outcome, status)),
            libraries=described(file for files in mapped.values() for file in files),
            links=outcome.links, emulator=outcome.emulator, timelines=spoken.timelines,
            cells_seconds=spoken.cells_seconds,
            transports=self._transports(parts, outcome) if spoken.verified else "",
        )  # fmt: skip

    def _transports(self, parts: Sequence[LaunchPart], outcome: Outcome) -> str:
        """What carried messages, as a launch that verified data has told."""
        if self._seen is None or len(parts) > 1:
            return ""
        return ", ".join(self._seen.transports(parts[0].implementation, outcome.stdout + outcome.stderr))

    def _judged(self, parts: Sequence[LaunchPart], mapped: Mapped) -> tuple[str, tuple[Notice, ...]]:
        """Why the ranks are none of their launcher's ('': they are), and what is to be said of their libraries."""
        if self._seen is None or len(parts) > 1:
            return "", ()
        return self._seen.judge(parts[0].implementation, mapped)

    def _job(self, program: Path, cells: Sequence[Cell], loaded: Loaded, candidates: protocol.Candidates) -> Job:
        """The job for these cells, whose program has no arguments yet but what schedules have to know."""
        job = build_job(
            self._testbed, (str(program),), cells[0].ranks, placement=cells[0].placement, loaded=loaded,
            arguments=self._plan.launcher_arguments,
        )  # fmt: skip
        return self.informed(job, cells, candidates)

    def informed(
        self, job: Job, cells: Sequence[Cell], candidates: protocol.Candidates = protocol.NO_CANDIDATES
    ) -> Job:
        """Return the job of the harness with what the schedules among these cells have to know."""
        started = (
            *(cell.benchmark for cell in cells),
            *(candidate.benchmark for candidate in candidates.values()),
        )
        if not any(map(is_schedule, started)):
            return job
        known = self._schedule_files.get(cells[0].ranks // cells[0].options.groups, {})
        files = [known[name] for name in dict.fromkeys(cell.benchmark for cell in cells) if name in known]
        network = ["--network", self._network] if self._network else []
        needed = (*filter(None, [self._network]), *(path for _, path in files))
        return replace(job, program=(*job.program, *network, *_schedule_flags(files)), files=(*job.files, *needed))

    def _run(
        self, parts: Sequence[LaunchPart], settings: Settings, end_marker: str, combine: Combine
    ) -> tuple[LaunchSteps, Outcome]:  # fmt: skip
        """The launch line and how it ended; one that cannot even be started has failed like any other."""
        steps = LaunchSteps(Command(parts[0].job.program))
        hosts = tuple(host for part in parts for host in part.job.hosts)
        limit = self._plan.launch_limit_seconds
        try:
            steps = combine([self._launcher.steps(part.implementation, part.job) for part in parts])
            steps = replace(steps, settings=(*steps.settings, *settings))
            return steps, self._testbed.run(steps, hosts, limit, "" if len(parts) > 1 else end_marker)
        except (HostError, InputError) as error:
            return steps, Outcome(process.command_line(steps.main), 127, "", told(error), 0.0)


def refused(
    segments: tuple[Segment, ...], cells: Sequence[Cell], why: str, kind: FailureKind = "unsupported"
) -> Launch:
    """Return the failed launch that stands for one that could not even be asked for."""
    return Launch(
        segments=segments, status="failed", command="", environment=(), started_at=time.time(), seconds=0.0,
        reason=why, failures=tuple(CellFailure(cell, why, kind) for cell in cells),
    )  # fmt: skip


def told(error: HostError | InputError) -> str:
    """Return what went wrong, with the remedy."""
    return f"{error}; {error.remedy}" if error.remedy else str(error)


def settings_of(options: Options) -> Settings:
    """Return what the hosts of the job must be set to for these options."""
    if not options.congestion_control:
        return ()
    return ((CONGESTION_CONTROL, options.congestion_control),)


def _steal_seconds() -> float:
    """CPU time that the hypervisor has taken since boot, summed over cores."""
    return float(psutil.cpu_times().steal)
