"""The stage that measures how concurrent messages share what they cross: small patterns at one site's switch."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from rankwise.analysis.fit.accuracy import SharingFit, fit_one_switch
from rankwise.analysis.fit.sharing_data import Observed, dropped_packets, observed
from rankwise.analysis.fit.sharing_patterns import (
    alone_patterns,
    asynchronous_patterns,
    late_patterns,
    micro_patterns,
    validation_patterns,
)
from rankwise.analysis.fit.sharing_platform import with_sharing
from rankwise.analysis.fit.simulated import simulated
from rankwise.core.errors import HostError
from rankwise.core.flows import Pattern, benchmark_of, is_pattern, ranks_of
from rankwise.core.jobs import Host
from rankwise.core.platform import Platform
from rankwise.core.records import Launch, Notice
from rankwise.measurement.placement import ON_HOSTS
from rankwise.measurement.protocol import FEWEST_REPETITIONS
from rankwise.store.store import Store
from rankwise.testbeds.base import TestbedKind
from rankwise.testbeds.paths import path
from rankwise.workflows import measure
from rankwise.workflows.events import Events
from rankwise.workflows.fit.pairs import sites_of
from rankwise.workflows.fit.request import FitRequest, FitResult

LAUNCHES = 3
TIME_SHARE = 0.6
"""At most, of a run whose time is given."""
IDLE_SECONDS = 0.3
"""Before each repetition, so that all connections start from the same state."""
START_SECONDS = 10.0
"""Of a launch, roughly: until all ranks are there, and back."""
SLOWER_THAN_EXPECTED = 4


@dataclass(frozen=True, slots=True)
class Budget:
    """How often the patterns are launched, on which hosts of a site, and what a launch takes, roughly."""

    site: str
    hosts: tuple[str, ...]
    launches: int
    launch_seconds: float

    @property
    def seconds(self) -> float:
        """Of all launches."""
        return self.launches * self.launch_seconds


def fitting_patterns() -> tuple[Pattern, ...]:
    """Return all that a fit measures: flows alone, micro-patterns, and random ones that tell the error."""
    every: tuple[Mapping[str, Pattern], ...] = (
        alone_patterns(), micro_patterns(), late_patterns(), asynchronous_patterns(),
        validation_patterns(),
    )  # fmt: skip
    return tuple(pattern for some in every for pattern in some.values())


def budget_of(request: FitRequest) -> Budget | str:
    """Return what the stage would take, or why it cannot be."""
    patterns = fitting_patterns()
    needed = max(map(ranks_of, patterns))
    site, hosts = _largest(request.testbed)
    if len(hosts) < needed:
        return _too_few(needed)
    names = tuple(host.name for host in hosts[:needed])
    a_launch = launch_seconds(patterns, _rate(request.testbed, names))
    launches = LAUNCHES
    if request.time_budget_seconds:
        launches = min(LAUNCHES, int(TIME_SHARE * request.time_budget_seconds / a_launch))
    return Budget(site, names, launches, a_launch) if launches else "no time was left"


def _too_few(needed: int) -> str:
    return f"that takes a site of {needed} nodes"


def launch_seconds(patterns: Sequence[Pattern], bytes_per_second: float) -> float:
    """Return what one launch of the patterns takes, roughly, where a NIC has this rate."""
    each = [IDLE_SECONDS + _seconds(pattern, bytes_per_second) for pattern in patterns]
    return START_SECONDS + FEWEST_REPETITIONS * sum(each)


def _seconds(pattern: Pattern, bytes_per_second: float) -> float:
    busy = [
        sum(flow.bytes for flow in pattern if node in (flow.source, flow.target))
        for node in range(ranks_of(pattern))
    ]
    return max(busy) / bytes_per_second + max(flow.start_seconds for flow in pattern)


def _largest(testbed: TestbedKind) -> tuple[str, tuple[Host, ...]]:
    return max(sites_of(testbed).items(), key=lambda item: len(item[1]), default=("", ()))


def _rate(testbed: TestbedKind, hosts: Sequence[str]) -> float:
    """Between two nodes, as described; where that says nothing, times of transfers are not the question."""
    topology = testbed.topology()
    bits = path(topology, hosts[0], hosts[1]).rate_bits_per_second if topology and topology.links else 0.0
    return bits / 8 if bits else 1e9


def measured(request: FitRequest, budget: Budget, parent: int, store: Store, events: Events) -> None:
    """Measure the patterns as a run that is part of `parent`. Raises InterruptedRun with the way to go on."""
    implementation = store.plan(parent).cells[0].implementation
    measure.measure(
        measure.Request(
            command_line=request.command_line, benchmarks=tuple(map(benchmark_of, fitting_patterns())),
            sizes_bytes=(0,), time_budget_seconds=budget.seconds, implementations=(implementation,),
            prefixes=request.prefixes, ranks=(len(budget.hosts),), min_launches=budget.launches,
            max_launches=budget.launches, seconds_per_cell=1e-3,
            launch_limit_seconds=SLOWER_THAN_EXPECTED * budget.launch_seconds, verify_first=False,
            seed=request.seed, testbed=request.testbed, placements=(ON_HOSTS + "+".join(budget.hosts),),
            profiles=(request.profile,) if request.profile else (), kind="fit", parent=parent,
        ),
        store, events,
    )  # fmt: skip


def added(result: FitResult, store: Store) -> FitResult:
    """Return the platform with what the stored patterns of this run say, or with why they say nothing."""
    launches = [
        launch
        for run in store.runs()
        if run.parent == result.run_id and run.kind == "fit"
        for launch in store.launches(run.id)
        if any(map(is_pattern, _benchmarks(launch))) and _is_of_one_site(launch, result.platform)
    ]
    if not launches:
        needed = max(map(ranks_of, fitting_patterns()))
        few = all(len(site.nodes) < needed for site in result.platform.sites)
        return replace(result, platform=unknown(result.platform, _too_few(needed))) if few else result
    try:
        platform = _with_patterns(result.platform, launches)
    except HostError as error:
        notice = Notice("no-contention", f"how concurrent messages share: {error}", error.remedy)
        return replace(
            result, platform=unknown(result.platform, str(error)), notices=(*result.notices, notice)
        )  # fmt: skip
    return replace(result, platform=platform)


def _is_of_one_site(launch: Launch, platform: Platform) -> bool:
    cells = [*(timeline.cell for timeline in launch.timelines), *(failure.cell for failure in launch.failures)]
    hosts = {host for cell in cells for host in cell.placement.removeprefix(ON_HOSTS).split("+")}
    return sum(not hosts.isdisjoint(site.nodes) for site in platform.sites) == 1


def _benchmarks(launch: Launch) -> Iterator[str]:
    yield from (timeline.cell.benchmark for timeline in launch.timelines)
    yield from (failure.cell.benchmark for failure in launch.failures)


def unknown(platform: Platform, why: str) -> Platform:
    """Return the platform that says why it knows nothing of concurrent messages."""
    text = f"what concurrent messages share was not measured: {why}"
    keys = ("models",) if len(platform.sites) > 1 else ("links", "models")
    return replace(platform, not_identified=platform.not_identified | dict.fromkeys(keys, text))


def _with_patterns(platform: Platform, launches: Sequence[Launch]) -> Platform:
    lines = [line for launch in launches for line in launch.timelines]
    if not lines:
        reasons = [launch.reason or launch.failures[0].reason for launch in launches]
        raise HostError(f"no pattern could be measured: {reasons[0]}", "rankwise show lists how each launch ended")
    cell = lines[0].cell
    seen = observed(launches, cell.implementation)
    first = cell.placement.removeprefix(ON_HOSTS).split("+")[0]
    site = next(platform_site.name for platform_site in platform.sites if first in platform_site.nodes)
    within = next(
        route.pair_class for route in platform.routes if (route.from_site, route.to_site) == (site, site)
    )
    eager_below = next(
        pair_class.eager_below_bytes for pair_class in platform.classes if pair_class.name == within
    )
    fit: SharingFit = fit_one_switch(seen, simulated, dropped_packets(launches), eager_below)
    unseen: list[Observed] = [seen[pattern] for pattern in validation_patterns().values() if pattern in seen]
    return with_sharing(platform, site, fit, unseen, simulated)
