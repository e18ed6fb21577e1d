"""From what was asked to a stored run: the one place where discovery, build, plan, launch and store meet."""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from rankwise.core.configuration import by_id, plain
from rankwise.core.errors import HostError, InputError
from rankwise.core.records import (
    DEFAULT,
    Benchmark,
    Cell,
    CellFailure,
    Implementation,
    Notice,
    Options,
    Plan,
    RunKind,
    variant_name,
)
from rankwise.core.schedule_names import has_parameters, is_file, operation_of
from rankwise.core.units import format_duration, parse_sizes_bytes
from rankwise.measurement import plan as planning
from rankwise.measurement.launch import Files
from rankwise.measurement.runner import SPARE_ROUNDS
from rankwise.store.store import Store
from rankwise.testbeds.base import TestbedKind, make
from rankwise.testbeds.local import LocalTestbed
from rankwise.testbeds.paths import path, site_paths
from rankwise.workflows import joined_benchmarks, joined_programs
from rankwise.workflows.carrying_out import carry_out
from rankwise.workflows.configurations import ProfileChoice, Resolved, resolve_all
from rankwise.workflows.events import Events, warn
from rankwise.workflows.joined import SitePart
from rankwise.workflows.joined_benchmarks import JoinedWorlds
from rankwise.workflows.prepare import Built, build_all, prepare, the_one, up
from rankwise.workflows.provenance import facts_of
from rankwise.workflows.schedule_files import schedule_files

LONGER_THAN_EXPECTED = 4
"""A run without a time budget may take this many times the expected time: hosts may be slow or busy."""


@dataclass(frozen=True, slots=True)
class Request:
    """What a measuring verb was asked for. `seconds_per_cell` 0: chosen so that the budget holds enough rounds.

    `time_budget_seconds` 0: as long as the launches take that a verdict needs.
    """

    command_line: str
    benchmarks: tuple[str, ...] = ()
    """Names or categories; none: those of a comparison that was asked for nothing in particular."""
    sizes_bytes: tuple[int, ...] = parse_sizes_bytes("1:4M")
    time_budget_seconds: float = 180.0
    implementations: tuple[str, ...] = ()
    prefixes: tuple[Path, ...] = ()
    ranks: tuple[int, ...] = ()
    options: tuple[Options, ...] = (Options(),)
    precision: float = 0.02
    min_launches: int = 10
    max_launches: int = 200
    seconds_per_cell: float = 0.0
    launch_limit_seconds: float = 120.0
    verify: bool = False
    verify_first: bool = True
    """Look at the data of each implementation and configuration once before anything is timed."""
    seed: int | None = None
    baseline: str = ""
    launcher_arguments: tuple[str, ...] = ()
    testbed: TestbedKind = field(default_factory=LocalTestbed)
    placements: tuple[str, ...] = ()
    profiles: tuple[ProfileChoice, ...] = ()
    """Those to compare; none: the implementations as they are."""
    wanted: Callable[[Cell], bool] | None = None
    """Leaves out cells of the product of benchmarks, sizes and options; None takes them all."""
    priority: Callable[[Cell], int] | None = None
    """Which cells are measured first, as `Runner` takes it: of more use the shorter the time."""
    kind: RunKind = "compare"
    parent: int = 0
    """The run that this one is part of."""
    own: str = ""
    """What the verb that asks needs to go on with the run, stored with it."""
    force: bool = False
    """Load of a profile what this version of an MPI knows."""
    schedules: tuple[Path, ...] = ()
    """Files of schedules that are measured as well."""
    explain: bool = False
    """Measure every schedule of the operations as well."""
    joined: tuple[tuple[SitePart, ...], ...] = ()
    """Jobs over several sites that are measured too; with `alone`, instead of all implementations."""
    alone: bool = False
    relayed: bool = False
    """Their sites reach one another by relays."""
    encrypted: bool = False
    """They encrypt what they send to one another."""


def measure(request: Request, store: Store, events: Events) -> int:
    """Carry out what was asked and return the run's id; every launch is stored as soon as it ends.

    Raises InterruptedRun with the way to go on when it was stopped.
    """
    request = replace(request, ranks=joined_programs.ranks_of(request.joined, request.ranks))
    files = schedule_files(request.schedules, _all_ranks(request)) if request.schedules else {}
    own = dict(pair for of_ranks in files.values() for pair in of_ranks.items())
    built, worlds = _prepared(request, dict(own.values()).items(), events)
    if own:
        beside = request.benchmarks or tuple(dict.fromkeys(map(operation_of, own)))
        request = replace(request, benchmarks=(*beside, *own))
    known = planning.all_benchmarks({**built.menu, **worlds.menu})
    cells, unsupported = _cells(request, built, worlds, known)
    if not request.time_budget_seconds:
        request = _with_enough_time(request, cells, events)
    with up(request.testbed, events) as (testbed, paths):
        ranks = max(cell.ranks for cell in cells)
        resolved, said = resolve_all(
            request.profiles, built.implementations, testbed, ranks=ranks, force=request.force
        )
        resolved |= {
            (variant.implementation.id, DEFAULT): plain(variant.implementation) for variant in worlds.variants
        }
        plan = _plan(request, configured(cells, resolved))
        measured = [*built.implementations, *(variant.implementation for variant in worlds.variants)]
        run_id = store.begin_run(
            request.command_line, testbed.name, plan, kind=request.kind, parent=request.parent,
            request=request.own,
            implementations=dict.fromkeys([*built.implementations, *worlds.implementations]),
            benchmarks=known.values(), facts=facts_of(testbed), baseline=_baseline(request, measured, resolved),
            topology=testbed.topology(), configurations=[*resolved.values(), *worlds.configurations],
        )  # fmt: skip
        store.add_paths(run_id, paths)
        store.add_failures(run_id, _one_a_benchmark(unsupported))
        notices = (*built.notices, *said, *_short_of_time(request, cells))
        store.add_notices(run_id, notices)
        warn(events, *notices)
        carry_out(
            run_id, plan, built.ready, testbed, store, events, by_id(resolved.values()), priority=request.priority,
            files=files, worlds=worlds,
        )  # fmt: skip
    return run_id


def _prepared(request: Request, files: Files, events: Events) -> tuple[Built, JoinedWorlds]:
    """The implementations and the joined jobs, each with the harness."""
    worlds = joined_benchmarks.prepared(
        request.joined, request.testbed, events, list(filter(has_parameters, request.benchmarks)), files,
        prefixes=request.prefixes, launcher_arguments=request.launcher_arguments, relayed=request.relayed,
        encrypted=request.encrypted,
    )  # fmt: skip
    if request.alone:
        return Built({}, {}, ()), worlds
    return prepare(request.implementations, request.prefixes, events, request.benchmarks, files), worlds


def _all_ranks(request: Request) -> tuple[int, ...]:
    """The ranks of the collectives of each group."""
    counts = request.ranks or (max(2, sum(host.slots for host in request.testbed.hosts())),)
    return tuple(
        count // options.groups for count in counts for options in request.options if count % options.groups == 0
    )


def _cells(
    request: Request, built: Built, worlds: JoinedWorlds, known: Mapping[str, Benchmark]
) -> tuple[tuple[Cell, ...], tuple[CellFailure, ...]]:
    """What is to be measured, and what an implementation or a joined job cannot."""
    benchmarks = planning.resolve_benchmarks(request.benchmarks or planning.DEFAULT_BENCHMARKS, known)
    if request.explain:
        benchmarks = planning.with_schedules(benchmarks, known)
    selection = planning.Selection(
        benchmarks, request.sizes_bytes,
        request.testbed.hosts(), request.ranks, request.options, request.testbed.name, request.placements,
        tuple(choice.label for choice in request.profiles) or (DEFAULT,),
    )  # fmt: skip
    made = [planning.make_cells(built.implementations, built.menu, selection)] if built.implementations else []
    if worlds.variants:
        made.append(worlds.cells(selection, with_baselines=request.alone))
    cells, unsupported = (tuple(itertools.chain(*those)) for those in zip(*made, strict=True))
    if request.wanted:
        cells = tuple(filter(request.wanted, cells))
        unsupported = tuple(failure for failure in unsupported if request.wanted(failure.cell))
    return cells, unsupported


def configured(cells: Iterable[Cell], resolved: Resolved) -> tuple[Cell, ...]:
    """Return the cells with the ids of what they load; those of variants that are left out go."""
    return tuple(
        replace(cell, configuration=resolved[cell.implementation, cell.label].id)
        for cell in cells
        if (cell.implementation, cell.label) in resolved
    )


def variant_meant(baseline: str, measured: Sequence[Implementation], labels: Sequence[str]) -> str:
    """Return the variant that `baseline` names: exactly, by the family's name in its place, or of the first label.

    Raises InputError if it could be several implementations, UnknownNameError if it is none.
    """
    for label in labels:
        for name in (name for implementation in measured for name in (implementation.id, implementation.family)):
            if baseline == variant_name(name, label):
                return variant_name(the_one(name, measured), label)
    return variant_name(the_one(baseline, measured), labels[0])


def _baseline(request: Request, measured: Sequence[Implementation], resolved: Resolved) -> str:
    """The one that was asked for, or the first one named; '' leaves the choice to the comparison.

    Of several profiles the first one of the first MPI, if that is the only one or was named. Raises InputError for
    one that is not measured.
    """
    labels = [choice.label for choice in request.profiles] or [DEFAULT]
    if not request.baseline:
        first = request.implementations or len(measured) == 1
        own = [label for label in labels if (measured[0].id, label) in resolved]
        return variant_name(measured[0].id, own[0]) if first else ""
    meant = variant_meant(request.baseline, measured, labels)
    variants = [variant_name(*key) for key in resolved]
    if meant not in variants:
        raise InputError(f"the baseline {meant} is not measured", f"measured: {', '.join(variants)}")
    return meant


def _one_a_benchmark(unsupported: Sequence[CellFailure]) -> list[CellFailure]:
    """What cannot be measured is said once a benchmark, not once a size."""
    first: dict[tuple[str, str, int], CellFailure] = {}
    for failure in unsupported:
        first.setdefault((failure.cell.implementation, failure.cell.benchmark, failure.cell.ranks), failure)
    return list(first.values())


def _longest_delay_seconds(testbed: TestbedKind) -> float:
    """One way, between the two sites that are farthest apart; 0 where nothing is known of a network."""
    topology = testbed.topology()
    pairs = site_paths(topology) if topology else ()
    return max((path(topology, *pair).delay_seconds for pair in pairs if topology), default=0.0)


def _round_seconds(request: Request, cells: Sequence[Cell]) -> float:
    """What a round of launches takes at least."""
    groups = len({planning.together(cell) for cell in cells})
    return planning.round_seconds(len(cells), groups, _longest_delay_seconds(request.testbed))


def _seconds_per_cell(request: Request, cells: Sequence[Cell], budget_seconds: float) -> float:
    """What was asked for, or what serves best."""
    a_round, rounds = _round_seconds(request, cells), request.min_launches + SPARE_ROUNDS
    left = budget_seconds - request.verify_first * a_round
    return request.seconds_per_cell or planning.seconds_per_cell(left, len(cells), a_round, rounds)


def _short_of_time(request: Request, cells: Sequence[Cell]) -> tuple[Notice, ...]:
    """The warning that the budget cannot hold the launches that a verdict takes: better said before."""
    a_round = _round_seconds(request, cells)
    needed = a_round * (request.min_launches + request.verify_first)
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
    a_round = _round_seconds(request, cells)
    per_cell = _seconds_per_cell(request, cells, math.inf)
    expected = launches * (a_round + len(cells) * per_cell) + request.verify_first * a_round
    most = 60.0 * math.ceil(LONGER_THAN_EXPECTED * expected / 60)
    events.say(
        f"{len(cells)} cells in {launches} launches each take about {format_duration(expected)}, "
        f"and at most {format_duration(most)} (--time)"
    )
    return replace(
        request, time_budget_seconds=most, max_launches=min(request.max_launches, launches),
        seconds_per_cell=per_cell,
    )  # fmt: skip


def _plan(request: Request, cells: Sequence[Cell]) -> Plan:
    return Plan(
        cells=tuple(cells), seed=random.randrange(2**31) if request.seed is None else request.seed,
        time_budget_seconds=request.time_budget_seconds, precision=request.precision,
        min_launches=request.min_launches, max_launches=request.max_launches, verify=request.verify,
        verify_first=request.verify_first and not request.verify,
        seconds_per_cell=_seconds_per_cell(request, cells, request.time_budget_seconds),
        launch_limit_seconds=request.launch_limit_seconds, launcher_arguments=request.launcher_arguments,
    )  # fmt: skip


def resume(run_id: int, store: Store, events: Events, priority: Callable[[Cell], int] | None = None) -> None:
    """Go on with an interrupted run, with what it has measured already; `priority` as the request had it."""
    plan = store.plan(run_id)
    if store.run(run_id).status == "complete":
        raise InputError(f"run {run_id} is complete: nothing to resume", f"rankwise report {run_id}")
    if any(is_file(cell.benchmark) for cell in plan.cells):
        raise InputError(f"run {run_id} measured schedules of files, which it has not kept", "measure again")
    implementations = store.implementations(run_id)
    measured = joined_programs.not_merely_parts(implementations, plan.cells)
    alone = [implementation for implementation in measured if implementation.family != joined_programs.FAMILY]
    built = build_all(alone, events) if alone else Built({}, {}, ())
    for notice in built.notices:  # without one of its implementations the run would compare something else
        raise HostError(f"run {run_id} cannot be continued: {notice.message}", notice.remedy)
    topology = store.topology(run_id)
    where = make(topology) if topology else LocalTestbed()
    worlds = joined_benchmarks.stored(implementations, where, events, plan)
    with up(where, events) as (testbed, _):
        store.resume_run(run_id, facts_of(testbed))
        carry_out(
            run_id, plan, built.ready, testbed, store, events, store.configurations(run_id),
            store.launches(run_id), priority=priority, worlds=worlds,
        )  # fmt: skip
