"""One start of mpiexec: build its command, run it on the testbed, turn what it said into a Launch record."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import psutil

from rankwise.bench import protocol
from rankwise.bench.placement import place
from rankwise.core import process
from rankwise.core.errors import BuildError, HostError, InputError
from rankwise.core.host_settings import CONGESTION_CONTROL
from rankwise.core.interfaces import Launcher, Testbed
from rankwise.core.network import Settings
from rankwise.core.records import (
    Benchmark,
    Cell,
    CellFailure,
    Command,
    Implementation,
    Job,
    Launch,
    LaunchStatus,
    LaunchSteps,
    Notice,
    Options,
    Outcome,
    Plan,
)  # fmt: skip
from rankwise.core.tuning import Loaded

LIST_LIMIT_SECONDS = 30.0
STDERR_TAIL_BYTES = 4000


def list_benchmarks(implementation: Implementation, program: Path) -> tuple[Benchmark, ...]:
    """What this build of the harness can measure, as it says itself. Raises BuildError if it does not run."""
    outcome = process.run([str(program), "--list"], LIST_LIMIT_SECONDS, environment=implementation.environment)
    try:
        return protocol.parse_list(outcome.stdout)
    except ValueError as error:
        raise BuildError(
            f"{implementation.id}: the compiled benchmarks do not start",
            outcome.command,
            outcome.stdout + outcome.stderr,
            "try the command by hand",
        ) from error


class Launching:
    """Starts cells of a plan on one testbed, by the launch lines that `launcher` knows."""

    def __init__(
        self,
        launcher: Launcher,
        testbed: Testbed,
        plan: Plan,
        loaded: Mapping[tuple[str, str], Loaded] | None = None,
    ) -> None:
        """`loaded`: what each implementation loads of each profile that cells name."""
        self._loaded = loaded or {}
        self._launcher = launcher
        self._testbed = testbed
        self._plan = plan
        self._hosts = testbed.hosts()

    def launch(
        self,
        implementation: Implementation,
        program: Path,
        cells: Sequence[Cell],
        seconds_per_cell: float = 0.0,
        loaded: Loaded | None = None,
    ) -> Launch:
        """Measure `cells` (same ranks, options, profile, placement) in this order; every failure is in the record.

        Each is repeated for `seconds_per_cell`, or for the plan's where that is 0. `loaded`: in place of what
        their profile stands for.
        """
        ranks, options = cells[0].ranks, cells[0].options
        loaded = loaded or self._loaded.get((implementation.id, cells[0].profile), Loaded())
        placed = place(cells[0].placement, self._hosts, ranks)
        oversubscribed = self._testbed.oversubscribed(placed)
        limit = self._plan.launch_limit_seconds
        arguments = protocol.arguments(
            cells, yielding=oversubscribed, from_barrier=oversubscribed and not self._testbed.remote_shell(),
            verify=self._plan.verify, limit_seconds=limit,
            seconds_per_cell=seconds_per_cell or self._plan.seconds_per_cell,
        )  # fmt: skip
        job = Job(
            program=(str(program), *arguments), ranks=ranks, oversubscribed=oversubscribed,
            hosts=placed if self._testbed.remote_shell() else (), remote_shell=self._testbed.remote_shell(),
            environment=loaded.environment, files=loaded.files,
            launcher_arguments=(*loaded.arguments, *self._plan.launcher_arguments),
        )  # fmt: skip
        started_at, load, stolen = time.time(), os.getloadavg()[0], _steal_seconds()
        steps, outcome = self._start(implementation, job, (*loaded.host_settings, *_settings(options)))
        # what was measured while the testbed broke down is worth nothing
        spoken = protocol.parse_run("" if outcome.broken else outcome.stdout, cells)
        status, reason = _status(outcome, spoken, limit)
        return Launch(
            implementation=implementation.id, ranks=ranks, status=status, reason=reason,
            command=process.command_line(steps.main), environment=steps.main.environment,
            started_at=started_at, seconds=outcome.seconds, series=spoken.series,
            failures=(*spoken.failures, *(() if outcome.broken else _blamed(status, reason, cells, spoken))),
            verified=spoken.verified,
            stderr_tail="" if status == "finished" else outcome.stderr[-STDERR_TAIL_BYTES:],
            oversubscribed=oversubscribed, yielding=steps.yielding, clock=spoken.clock,
            clock_error_seconds=spoken.clock_error_seconds,
            timer_resolution_seconds=spoken.timer_resolution_seconds, load=load,
            steal_fraction=(_steal_seconds() - stolen) / (max(outcome.seconds, 1e-3) * (os.cpu_count() or 1)),
            notices=(*outcome.notices, *_notices(implementation, outcome, ranks)),
            links=outcome.links, emulator=outcome.emulator, timelines=spoken.timelines,
        )  # fmt: skip

    def _start(self, implementation: Implementation, job: Job, settings: Settings) -> tuple[LaunchSteps, Outcome]:
        """The launch line and how it ended; one that cannot even be started has failed like any other."""
        steps = LaunchSteps(Command(job.program))
        limit = self._plan.launch_limit_seconds
        try:
            steps = replace(self._launcher.steps(implementation, job), settings=settings)
            return steps, self._testbed.run(steps, job.hosts, limit, protocol.END_MARKER)
        except (HostError, InputError) as error:
            told = f"{error}; {error.remedy}" if error.remedy else str(error)
            return steps, Outcome(process.command_line(steps.main), 127, "", told, 0.0)


def _status(outcome: Outcome, spoken: protocol.Spoken, limit_seconds: float) -> tuple[LaunchStatus, str]:
    """A harness that said `end` has finished, whatever its launcher did afterwards."""
    if outcome.broken:
        return "failed", outcome.broken
    if spoken.ended:
        return "finished", ""
    if outcome.timed_out:
        return "timed out", f"no end within {limit_seconds:.0f} s: ended with all its processes"
    return "failed", f"exit code {outcome.returncode}: {_last_words(outcome)}"


def _settings(options: Options) -> Settings:
    """What the hosts of the job must be set to for these options."""
    if not options.congestion_control:
        return ()
    return ((CONGESTION_CONTROL, options.congestion_control),)


def _last_words(outcome: Outcome) -> str:
    said = [line.strip() for line in (outcome.stderr or outcome.stdout).splitlines() if line.strip(" -=*|")]
    return "; ".join(said[-3:])[-400:] or "it said nothing"


def _blamed(
    status: LaunchStatus, reason: str, cells: Sequence[Cell], spoken: protocol.Spoken
) -> tuple[CellFailure, ...]:
    """In a launch that ended early the first cell without an answer was being measured: it bears the failure.

    One that did not even begin fails all its cells.
    """
    if status == "finished":
        return ()
    silent = [cell for cell in cells if cell not in spoken.reached()]
    return tuple(CellFailure(cell, reason) for cell in (silent[:1] if spoken.begun else silent))


def _notices(implementation: Implementation, outcome: Outcome, ranks: int) -> tuple[Notice, ...]:
    if not outcome.finished_early:
        return ()
    return (
        Notice(
            "hangs-at-exit",
            f"{implementation.id} hung after its last result at {ranks} ranks and was ended; the results are kept",
            f"a newer version of {implementation.family} may not hang in MPI_Finalize",
        ),
    )


def _steal_seconds() -> float:
    """CPU time that the hypervisor has taken since boot, summed over cores."""
    return float(psutil.cpu_times().steal)
