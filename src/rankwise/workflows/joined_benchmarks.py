"""Joined jobs in runs of our own benchmarks: the harness of the standard ABI on all sites, as one job."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from rankwise.artifacts import harness
from rankwise.core.configuration import Configuration
from rankwise.core.jobs import Job
from rankwise.core.records import (
    DEFAULT,
    Benchmark,
    Category,
    Cell,
    CellFailure,
    Implementation,
    Launch,
    Plan,
)
from rankwise.core.tuning import Loaded
from rankwise.measurement import plan as planning
from rankwise.measurement.launch import Files, Launching, list_benchmarks
from rankwise.measurement.runner import Launches, Ready
from rankwise.measurement.workload import Harness
from rankwise.testbeds.base import TestbedKind
from rankwise.workflows import abi, joined_programs
from rankwise.workflows.events import Events
from rankwise.workflows.joined import Joining, JoinRequest, SitePart, parts_of, prepare
from rankwise.workflows.joined_programs import ENCRYPTED, FAMILY, RELAYED, JoinedVariant

_ONE_LIBRARY = "one library has to know all processes, and each site has its own"
_REFUSED: dict[Category, str] = {"one-sided": f"windows: {_ONE_LIBRARY}", "file": f"files: {_ONE_LIBRARY}"}
_REFUSED_NAMES = {
    "window_create": _REFUSED["one-sided"], "pingpong_partitioned": "partitioned messages stay within a site",
}  # fmt: skip
"""What the gateway refuses on a communicator across sites (docs/joined-jobs.md)."""


@dataclass(frozen=True, slots=True)
class JoinedWorlds:
    """The joined jobs of a run, whose program is the harness, and what that can measure on each."""

    variants: tuple[JoinedVariant, ...] = ()
    menu: dict[str, dict[str, Benchmark]] = field(default_factory=dict)

    @property
    def ready(self) -> dict[str, Ready]:
        """Each with the harness, by the name that stands for it."""
        each = ((variant.implementation, Path(variant.any.program[0])) for variant in self.variants)
        return {implementation.id: Ready(implementation, program) for implementation, program in each}

    @property
    def implementations(self) -> tuple[Implementation, ...]:
        """What stands for each, and all that they consist of."""
        parts = (
            implementation
            for job in self.variants
            for implementation in (job.implementation, *job.any.implementations)
        )
        return tuple(dict.fromkeys(parts))

    @property
    def configurations(self) -> tuple[Configuration, ...]:
        """Those of all sites."""
        return tuple(configuration for job in self.variants for configuration in job.configurations)

    def cells(
        self, selection: planning.Selection, *, with_baselines: bool
    ) -> tuple[tuple[Cell, ...], tuple[CellFailure, ...]]:
        """Return what is measured of each, as it is installed, and what it cannot do.

        Baselines are carried by an implementation where there is one. Raises InputError if nothing is left.
        """
        named = tuple(
            name
            for name in selection.benchmarks
            if with_baselines or not any(_is_baseline(menu.get(name)) for menu in self.menu.values())
        )
        selection = replace(selection, benchmarks=named, placements=(), profiles=(DEFAULT,))
        return planning.make_cells([variant.implementation for variant in self.variants], self.menu, selection)


NO_WORLDS = JoinedWorlds()


def prepared(
    several: Iterable[Sequence[SitePart]], testbed: TestbedKind, events: Events, further: Sequence[str] = (),
    files: Files = (), *, prefixes: tuple[Path, ...] = (), launcher_arguments: tuple[str, ...] = (),
    relayed: bool = False, encrypted: bool = False,
) -> JoinedWorlds:  # fmt: skip
    """Return these joined jobs, ready to be started on the testbed.

    `further` and `files` as for `list_benchmarks`. Raises InputError for what cannot be joined, HostError,
    BuildError.
    """
    variants, menu = [], {}
    for parts in several:
        with events.busy("compiling the benchmarks for the standard ABI (kept for next time)"):
            program = harness.build_standard(abi.known_standard())
        request = JoinRequest(
            (str(program),), tuple(parts), testbed, launcher_arguments, prefixes=prefixes, prefixed=False,
            relayed=relayed, encrypted=encrypted,
        )  # fmt: skip
        variant = JoinedVariant({testbed.name: prepare(request, events)})
        variants.append(variant)
        menu[variant.implementation.id] = _menu(variant.any, further, files)
    return JoinedWorlds(tuple(variants), menu)


def stored(
    implementations: Iterable[Implementation], testbed: TestbedKind, events: Events, plan: Plan
) -> JoinedWorlds:
    """Return those of a stored run, found anew."""
    several = [implementation for implementation in implementations if implementation.family == FAMILY]
    return prepared(
        [parts_of(implementation.id) for implementation in several], testbed, events,
        launcher_arguments=plan.launcher_arguments,
        relayed=any(implementation.source == RELAYED for implementation in several),
        encrypted=any(implementation.source == ENCRYPTED for implementation in several),
    )  # fmt: skip


def _menu(joining: Joining, further: Sequence[str], files: Files) -> dict[str, Benchmark]:
    """What the harness lists, asked as the first site's MPI runs it; not what works within a site alone."""
    first, program = joining.implementations[0], Path(joining.program[0])
    loaded = abi.loading(Loaded(), program, first)
    implementation = replace(first, environment=(*first.environment, *loaded.environment))
    listed = list_benchmarks(implementation, program, further, files)
    if len(joining.request.parts) == 1:
        return {benchmark.name: benchmark for benchmark in listed}
    return {benchmark.name: _refused(benchmark) for benchmark in listed}


def _refused(benchmark: Benchmark) -> Benchmark:
    reason = _REFUSED_NAMES.get(benchmark.name) or _REFUSED.get(benchmark.category, "")
    return replace(benchmark, supported=False, reason=reason) if reason else benchmark


def _is_baseline(benchmark: Benchmark | None) -> bool:
    return benchmark is not None and benchmark.category == "baseline"


class Starting:
    """Starts launches of joined jobs, and leaves all others to `launching`."""

    def __init__(self, launching: Launching, variants: Iterable[JoinedVariant], plan: Plan) -> None:
        self._launching, self._plan, self._workload = launching, plan, Harness()
        self._variants = {variant.implementation.id: variant for variant in variants}

    def launch(
        self, implementation: Implementation, program: Path, cells: Sequence[Cell], seconds_per_cell: float = 0.0,
        *, verifying: bool = False,
    ) -> Launch:  # fmt: skip
        """Measure these cells, as `Launching.launch` says."""
        variant = self._variants.get(implementation.id)
        if variant is None:
            return self._launching.launch(implementation, program, cells, seconds_per_cell, verifying=verifying)

        def informed(job: Job) -> Job:
            return self._launching.informed(job, cells)

        verifying |= self._plan.verify
        launch = joined_programs.launch(
            variant, self._launching, self._workload, cells, self._plan, seconds_per_cell, verifying=verifying,
            informed=informed,
        )  # fmt: skip
        return replace(launch, verifying=verifying)


def starting(launching: Launching, worlds: JoinedWorlds, plan: Plan) -> Launches:
    """Return what starts the launches of a run, joined jobs or not."""
    return Starting(launching, worlds.variants, plan) if worlds.variants else launching
