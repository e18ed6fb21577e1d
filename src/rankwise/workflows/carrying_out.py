"""Carrying out a stored plan: launches until it is met, each of them kept at once."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence

from rankwise.core.configuration import Configuration
from rankwise.core.errors import HostError, InterruptedRun
from rankwise.core.records import Cell, Launch, Plan
from rankwise.core.schedule_names import ScheduleFiles
from rankwise.measurement.launch import Launching
from rankwise.measurement.runner import Launches, Ready, Runner
from rankwise.mpi.family import FamilyLauncher
from rankwise.stats.intervals import relative_half_width
from rankwise.stats.variances import Variances
from rankwise.store.store import Store
from rankwise.testbeds.base import TestbedKind
from rankwise.workflows import joined_benchmarks
from rankwise.workflows.configurations import loader, seen_on
from rankwise.workflows.events import Events
from rankwise.workflows.joined_benchmarks import NO_WORLDS, JoinedWorlds
from rankwise.workflows.schedule_network import network_file

_REASONS = 3
"""So many are named when nothing could be measured."""


def carry_out(
    run_id: int,
    plan: Plan,
    ready: Mapping[str, Ready],
    testbed: TestbedKind,
    store: Store,
    events: Events,
    configurations: Mapping[str, Configuration],
    earlier: Sequence[Launch] = (),
    *,
    priority: Callable[[Cell], int] | None = None,
    launching: Launches | None = None,
    first_seconds: Callable[[Sequence[Cell]], float] | None = None,
    files: ScheduleFiles | None = None,
    brief: bool = False,
    worlds: JoinedWorlds = NO_WORLDS,
    trusted: Collection[Cell] = (),
    most_seconds: Callable[[Cell], float] | None = None,
) -> None:
    """Run the plan, whose cells name `configurations`; whatever ends it, the store says how.

    `files`: schedules of users that cells name; `worlds`: joined jobs. `launching` None: launches of the harness
    on this testbed, `brief` where a validation needs no more. `priority`, `first_seconds`, `trusted`
    and `most_seconds`: the runner's.
    """
    ready = {**ready, **worlds.ready}
    launching = launching or joined_benchmarks.starting(
        Launching(
            FamilyLauncher(), testbed, plan, configurations, loader(testbed), seen=seen_on(testbed),
            network=network_file(testbed), schedule_files=files, brief=brief,
        ),
        worlds, plan,
    )  # fmt: skip
    runner = Runner(
        plan, launching, relative_half_width, lambda launch: store.add_launch(run_id, launch), events.show,
        priority=priority, noise=Variances(), first_seconds=first_seconds, trusted=trusted,
        most_seconds=most_seconds,
    )  # fmt: skip
    try:
        with events.measuring():
            why = runner.run(ready, earlier, spent_seconds=sum(launch.seconds for launch in earlier))
    except (KeyboardInterrupt, InterruptedRun) as event:
        store.finish_run(run_id, "interrupted", str(event) or "Ctrl-C")
        kept = store.run(run_id).launches
        raise InterruptedRun(
            f"interrupted: {kept} launches of run {run_id} are kept",
            f"continue: rankwise resume {run_id}; or see them: rankwise report {run_id}",
        ) from event
    store.finish_run(run_id, "complete", why)
    _require_results(run_id, store)


def _require_results(run_id: int, store: Store) -> None:
    """A run in which nothing at all could be measured has no answer. Raises HostError with each reason once."""
    reasons: dict[str, None] = {}
    for launch in store.iter_launches(run_id):
        if launch.series or launch.verified:
            return
        reasons |= dict.fromkeys(filter(None, [launch.reason, *(failure.reason for failure in launch.failures)]))
    why = "; ".join(list(reasons)[:_REASONS]) or "no launch was started"
    raise HostError(f"no cell gave a result: {why}", f"rankwise show {run_id} lists how each launch ended")
