"""Comparisons of a user's own program: whole runs of it, interleaved over all variants like launches of ours."""

from __future__ import annotations

import contextlib
import os
import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path

from rankwise.analysis.programs import variants
from rankwise.core.configuration import Configuration, by_id, plain
from rankwise.core.errors import HostError, InputError, UnknownNameError
from rankwise.core.network import PathFigures
from rankwise.core.programs import MPI, Executable, Metric, Program, StoredProgram, stored_program
from rankwise.core.records import DEFAULT, Benchmark, Cell, Fact, Implementation, Launch, Notice, Plan
from rankwise.core.tuning import Loaded
from rankwise.measurement.launch import Launching
from rankwise.measurement.placement import place
from rankwise.measurement.program import WholeProgram
from rankwise.measurement.runner import Ready
from rankwise.mpi import clients, select
from rankwise.mpi.family import FamilyLauncher
from rankwise.store.networks import topology_from_json, topology_to_json
from rankwise.store.store import Store
from rankwise.testbeds.base import TestbedKind, make
from rankwise.testbeds.local import LocalTestbed
from rankwise.workflows import abi, joined_programs, measure
from rankwise.workflows.carrying_out import carry_out
from rankwise.workflows.configurations import Resolved, loader, resolve_all, seen_on
from rankwise.workflows.events import Events, warn
from rankwise.workflows.executables import digest, executables, implementations_for
from rankwise.workflows.joined import SitePart
from rankwise.workflows.joined_programs import JoinedVariant
from rankwise.workflows.prepare import up
from rankwise.workflows.provenance import facts_of


@dataclass(frozen=True, slots=True)
class ProgramRequest:
    """A program, and how it is to be measured: of `how` all but benchmarks, sizes and the testbed counts."""

    program: Program
    how: measure.Request
    testbeds: tuple[TestbedKind, ...]
    own: Callable[[Implementation], Path] | None = None
    """Builds a program that comes with Rankwise, for all implementations; None: it is the user's."""
    joined: tuple[tuple[SitePart, ...], ...] = ()
    """Joined jobs that are measured beside the implementations."""
    relayed: bool = False
    """Their sites reach one another by relays."""
    encrypted: bool = False
    """They encrypt what they send to one another."""
    notices: tuple[Notice, ...] = ()
    """What is to be said of the run beside what shows when it begins."""


def measure_program(request: ProgramRequest, store: Store, events: Events) -> int:
    """Measure the program as it was asked for and return the run's id; every launch is stored as soon as it ends.

    Raises InterruptedRun with the way to go on when it was stopped.
    """
    how = request.how
    joined = joined_programs.prepared(
        request.program, request.joined, request.testbeds, events, how.prefixes, how.launcher_arguments,
        relayed=request.relayed, encrypted=request.encrypted,
    )  # fmt: skip
    with events.busy("looking for MPI implementations") as update:
        working, broken = select.working(
            how.implementations, how.prefixes, lambda name: update(f"testing that {name} works")
        )
    chosen = working if request.own else implementations_for(request.program, how.implementations, working)
    built, left_out = executables(request.program, chosen, events, request.own)
    ready = _ready(chosen, built)
    implementations = [harness.implementation for harness in ready.values()]
    cells = _cells(request, implementations, joined)
    with _all_up(request.testbeds, events) as paths:
        resolved, said = _configurations(request, implementations, cells)
        resolved |= {(variant.implementation.id, DEFAULT): plain(variant.implementation) for variant in joined}
        cells = measure.configured(cells, resolved)
        plan = _plan(how, cells)
        stored = StoredProgram(
            request.program, tuple(built.values()), tuple(map(_described, request.testbeds)), request.relayed,
            request.encrypted,
        )  # fmt: skip
        only = request.testbeds[0] if len(request.testbeds) == 1 else None
        run_id = store.begin_run(
            how.command_line, ", ".join(testbed.name for testbed in request.testbeds), plan, kind="program",
            parent=how.parent,
            request=stored.text, implementations=_all_of(implementations, joined),
            facts=_facts(request.testbeds),
            benchmarks=map(_benchmark, request.program.metrics), baseline=_baseline(how, cells, implementations),
            topology=only.topology() if only else None,
            configurations=(
                *resolved.values(),
                *(configuration for job in joined for configuration in job.configurations),
            ),
        )  # fmt: skip
        if only:
            store.add_paths(run_id, paths)
        for_all = request.own or request.program.build or MPI in request.program.arguments[0]
        without = _broken(broken) if for_all else ()
        notices = (*request.notices, *without, *left_out, *said, *_of_surroundings(implementations))
        store.add_notices(run_id, notices)
        warn(events, *notices)
        launches = _OnTestbeds(
            request.program, request.testbeds, plan, by_id(resolved.values()), ready, events, joined
        )
        ready = _with_joined(ready, joined)
        carry_out(run_id, plan, ready, request.testbeds[0], store, events, {}, launching=launches)
    return run_id


def resume(run_id: int, store: Store, events: Events) -> None:
    """Go on with an interrupted run of a program, which must still be the same.

    Raises InputError if it has changed, or is not there any more.
    """
    stored = stored_program(store.request(run_id))
    for executable in stored.executables:
        if digest(Path(executable.path)) != executable.digest:
            raise InputError(
                f"{executable.path} has changed since run {run_id} began", "measure the new one from the beginning"
            )
    implementations = store.implementations(run_id)
    ready = _ready(implementations, {built.implementation: built for built in stored.executables})
    testbeds = tuple(make(topology_from_json(text)) if text else LocalTestbed() for text in stored.testbeds)
    plan = store.plan(run_id)
    joined = joined_programs.stored(
        stored.program, implementations, testbeds, events, plan, relayed=stored.relayed, encrypted=stored.encrypted
    )
    folder = Path(stored.program.folder)
    if not folder.is_dir():
        raise HostError(f"run {run_id} was begun in {folder}, which no longer exists", "measure again")
    with _all_up(testbeds, events), contextlib.chdir(folder):
        store.resume_run(run_id, _facts(testbeds))
        launches = _OnTestbeds(
            stored.program, testbeds, plan, store.configurations(run_id), ready, events, joined
        )  # fmt: skip
        ready = _with_joined(ready, joined)
        carry_out(run_id, plan, ready, testbeds[0], store, events, {}, store.launches(run_id), launching=launches)


class _OnTestbeds:
    """Starts each launch on the testbed that its cells name."""

    def __init__(
        self, program: Program, testbeds: Sequence[TestbedKind], plan: Plan,
        configurations: Mapping[str, Configuration], ready: Mapping[str, Ready], events: Events,
        joined: Sequence[JoinedVariant] = (),
    ) -> None:  # fmt: skip
        self._plan = plan
        self._joined = {variant.implementation.id: variant for variant in joined}
        self._workload = WholeProgram(program)
        self._launchings = {
            testbed.name: Launching(
                FamilyLauncher(), testbed, plan, configurations,
                _with_surroundings(loader(testbed), ready, events), workload=self._workload, seen=seen_on(testbed),
            )
            for testbed in testbeds
        }  # fmt: skip

    def launch(
        self, implementation: Implementation, program: Path, cells: Sequence[Cell], seconds_per_cell: float = 0.0,
        *, verifying: bool = False,
    ) -> Launch:  # fmt: skip
        """Start the program once."""
        launching = self._launchings[cells[0].testbed]
        if variant := self._joined.get(implementation.id):
            return joined_programs.launch(variant, launching, self._workload, cells, self._plan)
        return launching.launch(
            implementation, program, cells, seconds_per_cell, verifying=verifying
        )  # fmt: skip


def _with_surroundings(
    load: Callable[[Configuration], Loaded], ready: Mapping[str, Ready], events: Events
) -> Callable[[Configuration], Loaded]:
    """What a configuration loads, with what its implementation's programs need."""
    around = {
        name: clients.surroundings(harness.implementation, os.environ).environment
        for name, harness in ready.items()
    }
    standard = {name for name, harness in ready.items() if abi.is_standard(harness.program)}
    for name in standard:  # now, so that nothing is compiled between launches
        abi.built(ready[name].implementation, events)

    def both(configuration: Configuration) -> Loaded:
        name, loaded = configuration.implementation, load(configuration)
        loaded = replace(loaded, environment=(*around[name], *loaded.environment))
        if name in standard:
            return abi.loading(loaded, ready[name].program, ready[name].implementation)
        return loaded

    return both


def _ready(chosen: Iterable[Implementation], built: Mapping[str, Executable]) -> dict[str, Ready]:
    return {
        implementation.id: Ready(implementation, Path(built[implementation.id].path))
        for implementation in chosen
        if implementation.id in built
    }


def _all_of(implementations: Sequence[Implementation], joined: Sequence[JoinedVariant]) -> list[Implementation]:
    """Those that are measured, joined jobs, and what these consist of."""
    parts = (implementation for job in joined for implementation in (job.implementation, *job.any.implementations))
    return list(dict.fromkeys((*implementations, *parts)))


def _with_joined(ready: Mapping[str, Ready], joined: Iterable[JoinedVariant]) -> dict[str, Ready]:
    more = {
        variant.implementation.id: Ready(variant.implementation, Path(variant.any.program[0]))
        for variant in joined
    }
    return {**ready, **more}


def _cells(
    request: ProgramRequest, implementations: Sequence[Implementation], joined: Sequence[JoinedVariant]
) -> tuple[Cell, ...]:
    """A cell for each metric, implementation, profile, placement, number of ranks, testbed and option.

    A joined job has the ranks that it says, site by site, and no profile.
    """
    how, counts = request.how, joined_programs.ranks_of(request.joined, request.how.ranks)
    labels = [choice.label for choice in how.profiles] or [DEFAULT]
    cells = []
    for testbed in request.testbeds:
        slots = sum(host.slots for host in testbed.hosts())
        for placement, ranks in product(how.placements or ("block",), counts or (slots,)):
            place(placement, testbed.hosts(), ranks)  # what cannot be placed is an error now, not in every launch
            own = (
                Cell(implementation.id, metric.name, 0, ranks, options, label, testbed.name, placement)
                for implementation, label, options, metric in product(
                    implementations, labels, how.options, request.program.metrics
                )
            )
            cells += [cell for cell in own if how.wanted is None or how.wanted(cell)]
        cells += [
            Cell(variant.implementation.id, metric.name, 0, variant.ranks, options, testbed=testbed.name)
            for variant, options, metric in product(joined, how.options, request.program.metrics)
        ]
    return tuple(cells)


def _plan(how: measure.Request, cells: tuple[Cell, ...]) -> Plan:
    return Plan(
        cells=cells, seed=random.randrange(2**31) if how.seed is None else how.seed,
        time_budget_seconds=how.time_budget_seconds, precision=how.precision, min_launches=how.min_launches,
        max_launches=how.max_launches, launch_limit_seconds=how.launch_limit_seconds,
        launcher_arguments=how.launcher_arguments,
    )  # fmt: skip


def _benchmark(metric: Metric) -> Benchmark:
    which = "higher is better" if metric.higher_is_better else "lower is better"
    what = (
        f"what '{metric.pattern}' finds in the program's output" if metric.pattern else "the program's wall time"
    )
    return Benchmark(metric.name, "program", f"{what}; {which}", sized=False)


def _baseline(how: measure.Request, cells: Sequence[Cell], implementations: Sequence[Implementation]) -> str:
    """The variant that was asked for, or the first one of an MPI that was named or is alone; '' leaves it open."""
    if how.baseline:
        return variant_meant(how.baseline, cells, implementations)
    first = next(iter(variants(cells).values())).variant
    return first if how.implementations or len(implementations) == 1 else ""


def variant_meant(baseline: str, cells: Sequence[Cell], implementations: Sequence[Implementation]) -> str:
    """Return the variant that `baseline` names: in full, by its label (`cyclic`), or as the first one of an MPI.

    Raises UnknownNameError.
    """
    known = list(
        dict.fromkeys((cell.implementation, cell.label, cell.variant) for cell in variants(cells).values())
    )
    for _, label, variant in known:
        if baseline in (variant, label):
            return variant
    with contextlib.suppress(UnknownNameError):
        meant = {implementation.id for implementation in select.matching(baseline, implementations)}
        return next(variant for implementation, _, variant in known if implementation in meant)
    raise UnknownNameError("variant", baseline, {variant for _, _, variant in known})


def _configurations(
    request: ProgramRequest, implementations: Sequence[Implementation], cells: Sequence[Cell]
) -> tuple[Resolved, tuple[Notice, ...]]:
    """What is loaded is the same on all testbeds; what is to be said of it may differ."""
    configurations: Resolved = {}
    said: list[Notice] = []
    ranks, wanted = max(cell.ranks for cell in cells), {(cell.implementation, cell.label) for cell in cells}
    for testbed in request.testbeds:
        resolved, notices = resolve_all(
            request.how.profiles, implementations, testbed, ranks=ranks, force=request.how.force, wanted=wanted
        )
        configurations |= resolved
        said += notices
    return configurations, tuple(dict.fromkeys(said))


def _of_surroundings(implementations: Iterable[Implementation]) -> Iterator[Notice]:
    for implementation in implementations:
        yield from clients.surroundings(implementation, os.environ).notices


def _broken(implementations: Iterable[Implementation]) -> tuple[Notice, ...]:
    return tuple(
        Notice("broken", f"{implementation.id} is left out: {implementation.reason}", implementation.remedy)
        for implementation in implementations
    )


def _described(testbed: TestbedKind) -> str:
    topology = testbed.topology()
    return topology_to_json(topology) if topology else ""


def _facts(testbeds: Sequence[TestbedKind]) -> tuple[Fact, ...]:
    """The provenance of the hosts, of several testbeds what differs under their names."""
    first, *others = [(testbed.name, facts_of(testbed)) for testbed in testbeds]
    more = ((name, fact) for name, facts in others for fact in facts if fact not in first[1])
    return (*first[1], *(Fact(f"{name}: {fact.key}", fact.value) for name, fact in more))


@contextlib.contextmanager
def _all_up(testbeds: Sequence[TestbedKind], events: Events) -> Iterator[tuple[PathFigures, ...]]:
    """All testbeds are up within; yield what their paths measure now. Raises InputError for one name twice."""
    names = [testbed.name for testbed in testbeds]
    if len(set(names)) < len(names):
        raise InputError(f"a testbed is named twice: {', '.join(names)}", "name each once")
    with contextlib.ExitStack() as stack:
        yield tuple(path for testbed in testbeds for path in stack.enter_context(up(testbed, events))[1])
