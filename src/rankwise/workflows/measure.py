"""From what was asked to a stored run: the one place where discovery, build, plan, launch and store meet."""

from __future__ import annotations

import contextlib
import math
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from rankwise.analysis.compare.variants import variant
from rankwise.artifacts.harness import build
from rankwise.bench import plan as planning
from rankwise.bench.launch import Launching, list_benchmarks
from rankwise.bench.runner import SPARE_ROUNDS, Ready, Runner
from rankwise.core.errors import BuildError, HostError, InputError, InterruptedRun
from rankwise.core.network import PathFigures
from rankwise.core.records import Benchmark, Cell, CellFailure, Implementation, Launch, Notice, Options, Plan
from rankwise.core.tuning import DEFAULT, Loaded
from rankwise.core.units import format_duration
from rankwise.mpi import select
from rankwise.mpi.family import FamilyLauncher
from rankwise.stats.intervals import relative_half_width
from rankwise.store.store import Store
from rankwise.testbed.base import TestbedKind, make
from rankwise.testbed.check import check_paths
from rankwise.testbed.local import LocalTestbed
from rankwise.testbed.paths import path, site_paths
from rankwise.workflows import plan_profiles
from rankwise.workflows.events import Events

ENOUGH_SECONDS_PER_CELL = 0.004
"""Of repetitions in a launch, where the budget is left to us: a hundred of what takes 40 us."""
LONGER_THAN_EXPECTED = 4
"""So many times what is expected may a run take whose budget is left to us: hosts may be slow or busy."""
ROUNDS_AIMED_AT = 14
"""Launches per cell that a time budget is cut into; ten let a rank test speak over a thousand cells."""


@dataclass(frozen=True, slots=True)
class Request:
    """What a measuring verb was asked for. `seconds_per_cell` 0: chosen so that the budget holds enough rounds.

    `time_budget_seconds` 0: as long as the launches take that a verdict needs.
    """

    command_line: str
    benchmarks: tuple[str, ...]
    sizes_bytes: tuple[int, ...]
    time_budget_seconds: float
    implementations: tuple[str, ...] = ()
    prefixes: tuple[Path, ...] = ()
    ranks: tuple[int, ...] = ()
    options: tuple[Options, ...] = (Options(),)
    precision: float = 0.02
    min_launches: int = 10
    max_launches: int = 60
    seconds_per_cell: float = 0.0
    launch_limit_seconds: float = 120.0
    verify: bool = False
    seed: int | None = None
    baseline: str = ""
    launcher_arguments: tuple[str, ...] = ()
    testbed: TestbedKind = field(default_factory=LocalTestbed)
    placements: tuple[str, ...] = ()
    profiles: tuple[tuple[str, str], ...] = ()
    """Name and folder of those to compare; `default` has no folder. None: only `default`."""
    wanted: Callable[[Cell], bool] | None = None
    """Leaves out cells of the product of benchmarks, sizes and options; None takes them all."""
    turn: Callable[[Cell], int] | None = None
    """Which cells are measured first, as `Runner` takes it: of more use the shorter the time."""
    force: bool = False
    """Load of a profile what this version of an MPI knows."""


@dataclass(frozen=True, slots=True)
class Built:
    """The implementations whose harness runs, what each can measure, and what became of the others."""

    ready: dict[str, Ready]
    menu: dict[str, dict[str, Benchmark]]
    notices: tuple[Notice, ...]


def prepare(names: Sequence[str], prefixes: Sequence[Path], events: Events) -> Built:
    """Find the implementations asked for (none: all that work) and compile the harness for each.

    Raises HostError when not one can be measured, UnknownNameError for a name that nothing answers to.
    """
    with events.busy("looking for MPI implementations") as update:
        working, broken = select.working(names, prefixes, lambda one: update(f"proving that {one} works"))
    notices = [Notice("broken", f"{one.id} is left out: {one.reason}", one.remedy) for one in broken]
    return _build(working, notices, events)


def _build(implementations: Sequence[Implementation], notices: list[Notice], events: Events) -> Built:
    ready: dict[str, Ready] = {}
    menu: dict[str, dict[str, Benchmark]] = {}
    refused: list[HostError] = []
    for one in implementations:
        try:
            with events.busy(f"compiling the benchmarks for {one.id} (kept for next time)"):
                program = build(one)
                menu[one.id] = {benchmark.name: benchmark for benchmark in list_benchmarks(one, program)}
            ready[one.id] = Ready(one, program)
        except BuildError as error:
            refused.append(error)
            notices.append(Notice("build-failed", f"{one.id} is left out: {error}", error.remedy))
    if not ready:
        raise refused[0]
    return Built(ready, menu, tuple(notices))


def measure(request: Request, store: Store, events: Events) -> int:
    """Carry out what was asked and return the run's id; every launch is stored as soon as it ends.

    Raises InterruptedRun with the way to go on when it was stopped.
    """
    built = prepare(request.implementations, request.prefixes, events)
    known = planning.all_benchmarks(built.menu)
    selection = planning.Selection(
        planning.resolve_benchmarks(request.benchmarks, known), request.sizes_bytes,
        request.testbed.hosts(), request.ranks, request.options, request.testbed.name, request.placements,
        tuple(name for name, _ in request.profiles) or ("default",),
    )  # fmt: skip
    implementations = [one.implementation for one in built.ready.values()]
    cells, unsupported = planning.make_cells(implementations, built.menu, selection)
    if request.wanted:
        cells = tuple(filter(request.wanted, cells))
        unsupported = tuple(one for one in unsupported if request.wanted(one.cell))
    if not request.time_budget_seconds:
        request = _with_enough_time(request, cells, events)
    plan = _plan(request, cells)
    with up(request.testbed, events) as (testbed, paths):
        loaded, said = plan_profiles.load(plan, built.ready, testbed, force=request.force)
        run_id = store.begin_run(
            request.command_line, testbed.name, plan, implementations=implementations, benchmarks=known.values(),
            facts=testbed.facts(), baseline=_baseline(request, implementations), topology=testbed.topology(),
        )  # fmt: skip
        store.add_paths(run_id, paths)
        store.add_failures(run_id, _one_a_benchmark(unsupported))
        notices = (*built.notices, *said, *_short_of_time(request, cells))
        store.add_notices(run_id, notices)
        for notice in notices:
            events.say("; ".join(filter(None, (f"warning: {notice.message}", notice.remedy))))
        carry_out(run_id, plan, built.ready, testbed, store, events, loaded=loaded, turn=request.turn)
    return run_id


@contextlib.contextmanager
def up(testbed: TestbedKind, events: Events) -> Iterator[tuple[TestbedKind, tuple[PathFigures, ...]]]:
    """The testbed, up within, and what its paths measure now: a run says what it was measured on."""
    topology = testbed.topology()
    with contextlib.ExitStack() as stack:
        with events.busy(f"bringing up {testbed.name}") as update:
            stack.enter_context(testbed)
            update(f"measuring the paths of {testbed.name}")
            paths = check_paths(testbed, topology, quick=True) if topology and topology.links else ()
        yield testbed, paths


def _baseline(request: Request, measured: Sequence[Implementation]) -> str:
    """The one that was asked for, or the first one named; '' leaves the choice to the comparison.

    Of several profiles the first one of the first MPI, if that is the only one or was named.
    """
    first = request.profiles[0][0] if request.profiles else DEFAULT
    if not request.baseline:
        return variant(measured[0].id, first) if request.implementations or len(measured) == 1 else ""
    name, _, profile = request.baseline.partition(" + ")
    return variant(the_one(name, measured), profile or first)


def the_one(name: str, measured: Sequence[Implementation]) -> str:
    """The id that `name` means. Raises UnknownNameError, or InputError where it could mean several."""
    meant = select.matching(name, measured)
    if len(meant) > 1:
        raise InputError(f"'{name}' could be any of {', '.join(one.id for one in meant)}", "name one of them")
    return meant[0].id


def _one_a_benchmark(unsupported: Sequence[CellFailure]) -> list[CellFailure]:
    """What cannot be measured is said once a benchmark, not once a size."""
    first: dict[tuple[str, str, int], CellFailure] = {}
    for failure in unsupported:
        first.setdefault((failure.cell.implementation, failure.cell.benchmark, failure.cell.ranks), failure)
    return list(first.values())


def _round_seconds(request: Request, cells: Sequence[Cell]) -> float:
    """What a round of launches takes at least."""
    groups = len({(cell.implementation, cell.ranks, cell.options, cell.placement) for cell in cells})
    topology = request.testbed.topology()
    pairs = site_paths(topology) if topology else ()
    delays = [path(topology, *pair).delay_seconds for pair in pairs if topology]
    return planning.round_seconds(len(cells), groups, max(delays, default=0.0))


def _short_of_time(request: Request, cells: Sequence[Cell]) -> tuple[Notice, ...]:
    """The warning that the budget cannot hold the launches that a verdict takes: better said before."""
    needed = _round_seconds(request, cells) * request.min_launches
    if needed <= request.time_budget_seconds:
        return ()
    return (
        Notice(
            "short-of-time",
            f"{len(cells)} cells in {request.min_launches} launches each take about {format_duration(needed)}, "
            f"and the run has {format_duration(request.time_budget_seconds)}: few verdicts will be decided",
            f"--time {math.ceil(needed / 60)}m, or fewer benchmarks (--bench), sizes (--sizes 1:4M:64) or MPIs",
        ),
    )


def _with_enough_time(request: Request, cells: Sequence[Cell], events: Events) -> Request:
    """The time that the launches take which a verdict needs, unless that is far more than expected."""
    launches = request.min_launches + SPARE_ROUNDS
    a_round = _round_seconds(request, cells) + len(cells) * ENOUGH_SECONDS_PER_CELL
    most = 60.0 * math.ceil(LONGER_THAN_EXPECTED * a_round * launches / 60)
    events.say(
        f"{len(cells)} cells in {launches} launches each take about {format_duration(a_round * launches)}, "
        f"and at most {format_duration(most)} (--time)"
    )
    return replace(
        request, time_budget_seconds=most, max_launches=min(request.max_launches, launches),
        seconds_per_cell=request.seconds_per_cell or ENOUGH_SECONDS_PER_CELL,
    )  # fmt: skip


def _plan(request: Request, cells: Sequence[Cell]) -> Plan:
    per_cell = request.seconds_per_cell or planning.seconds_per_cell(
        request.time_budget_seconds, len(cells), _round_seconds(request, cells), ROUNDS_AIMED_AT
    )
    return Plan(
        cells=tuple(cells), seed=random.randrange(2**31) if request.seed is None else request.seed,
        time_budget_seconds=request.time_budget_seconds, precision=request.precision,
        min_launches=request.min_launches, max_launches=request.max_launches, verify=request.verify,
        seconds_per_cell=per_cell, launch_limit_seconds=request.launch_limit_seconds,
        launcher_arguments=request.launcher_arguments,
        profiles=tuple(one for one in request.profiles if one[1]),
    )  # fmt: skip


def resume(run_id: int, store: Store, events: Events, turn: Callable[[Cell], int] | None = None) -> None:
    """Go on with a run that was interrupted, with what it has measured already; `turn` as the request had it."""
    plan = store.plan(run_id)
    if store.run(run_id).status == "complete":
        raise InputError(f"run {run_id} is complete: there is nothing to resume", f"rankwise report {run_id}")
    built = _build(store.implementations(run_id), [], events)
    for notice in built.notices:  # without one of its implementations the run would compare something else
        raise HostError(f"run {run_id} cannot go on: {notice.message}", notice.remedy)
    topology = store.topology(run_id)
    with up(make(topology) if topology else LocalTestbed(), events) as (testbed, _):
        # what a version lacks was accepted when the run began
        loaded, _ = plan_profiles.load(plan, built.ready, testbed, force=True)
        store.resume_run(run_id, testbed.facts())
        carry_out(
            run_id, plan, built.ready, testbed, store, events, store.launches(run_id), loaded=loaded, turn=turn
        )


def carry_out(
    run_id: int,
    plan: Plan,
    ready: Mapping[str, Ready],
    testbed: TestbedKind,
    store: Store,
    events: Events,
    earlier: Sequence[Launch] = (),
    *,
    loaded: Mapping[tuple[str, str], Loaded] | None = None,
    turn: Callable[[Cell], int] | None = None,
) -> None:
    """Run the plan; whatever ends it, the store says how.

    `loaded`: by implementation and profile; None: each profile's own part for each implementation.
    """
    if loaded is None:
        loaded = plan_profiles.own_parts(plan, ready, testbed)
    launching = Launching(FamilyLauncher(), testbed, plan, loaded)
    runner = Runner(
        plan, launching, relative_half_width, lambda launch: store.add_launch(run_id, launch), events.show,
        turn=turn,
    )  # fmt: skip
    try:
        with events.measuring():
            why = runner.run(ready, earlier, spent_seconds=sum(launch.seconds for launch in earlier))
    except (KeyboardInterrupt, InterruptedRun) as event:
        store.finish_run(run_id, "interrupted", str(event) or "Ctrl-C")
        kept = store.run(run_id).launches
        raise InterruptedRun(
            f"interrupted: {kept} launches of run {run_id} are kept",
            f"go on with --resume {run_id}, or look at them: rankwise report {run_id}",
        ) from event
    store.finish_run(run_id, "complete", why)
    _require_results(run_id, store)


def _require_results(run_id: int, store: Store) -> None:
    """A run in which nothing at all could be measured has no answer. Raises HostError with the first reason."""
    reason = ""
    for launch in store.iter_launches(run_id):
        if launch.series or launch.verified:
            return
        reason = reason or "; ".join(dict.fromkeys([launch.reason, *(one.reason for one in launch.failures)]))
    raise HostError(f"not one cell gave a result: {reason}", f"rankwise show {run_id} tells how each launch ended")
