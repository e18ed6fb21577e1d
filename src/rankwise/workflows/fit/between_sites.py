"""The stage that measures what sites share between them: flows of several pairs of nodes at a time."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from rankwise.analysis.fit.crossing import shared_links, sharing_model, uplinks, weight
from rankwise.analysis.fit.crossing_patterns import FEWEST_PAIRS, MOST_PAIRS, Crossing, Fan
from rankwise.analysis.fit.crossing_platform import restricted, with_links, with_model, with_uplinks, with_weight
from rankwise.analysis.fit.sharing_data import Observed, observed
from rankwise.analysis.fit.simulated import simulated
from rankwise.core.errors import HostError
from rankwise.core.flows import Pattern, benchmark_of, ranks_of
from rankwise.core.jobs import Host
from rankwise.core.platform import Platform
from rankwise.core.records import Launch, Notice
from rankwise.measurement.placement import ON_HOSTS
from rankwise.store.store import Store
from rankwise.testbeds.base import TestbedKind, make
from rankwise.testbeds.paths import path
from rankwise.workflows import measure
from rankwise.workflows.events import Events, warn
from rankwise.workflows.fit.contention import SLOWER_THAN_EXPECTED, launch_seconds
from rankwise.workflows.fit.pairs import sites_of
from rankwise.workflows.fit.request import FitRequest, FitResult

LAUNCHES = 3
TIME_SHARE = 0.25
"""At most, of a run whose time is given, for all sites together."""
SMALLEST_BYTES, LARGEST_BYTES = 1 << 20, 64 << 20
DELAYS, LEAST_SECONDS = 20, 0.1
"""A flow alone takes at least so many one-way delays, so that TCP has reached its rate for most of it."""
UNKNOWN_BYTES = 16 << 20


@dataclass(frozen=True, slots=True)
class Meeting:
    """Nodes of two sites, or of one and all others, and what is measured among them."""

    site: str
    others: tuple[str, ...]
    """The site of each node that is not of `site`."""
    hosts: tuple[str, ...]
    shape: Crossing | Fan
    bytes_per_second: float

    @property
    def patterns(self) -> tuple[Pattern, ...]:
        """Return what is measured."""
        return self.shape.patterns if isinstance(self.shape, Crossing) else self.shape.patterns(self.others)

    @property
    def placement(self) -> str:
        """Return what `measurement.placement` places the ranks by."""
        return ON_HOSTS + "+".join(self.hosts)

    @property
    def launch_seconds(self) -> float:
        """Return what a launch takes, roughly."""
        return launch_seconds(self.patterns, self.bytes_per_second / self.shape.pairs)


def meetings(testbed: TestbedKind) -> tuple[Meeting, ...]:
    """Return all that a testbed has: each two sites with two nodes, and each site beside two or more others."""
    sites = sites_of(testbed)
    all_meetings = []
    for site, other in combinations(sites, 2):
        pairs = min(MOST_PAIRS, len(sites[site]), len(sites[other]))
        if pairs >= FEWEST_PAIRS:
            all_meetings.append(_meeting(testbed, site, sites[site][:pairs], sites[other][:pairs], is_fan=False))
    for site, own in sites.items():
        others = [hosts for name, hosts in sites.items() if name != site]
        if len(others) > 1 and len(own) > 1:
            pairs = min(MOST_PAIRS, len(own), sum(map(len, others)))
            all_meetings.append(_meeting(testbed, site, own[:pairs], _in_turn(others)[:pairs], is_fan=True))
    return tuple(all_meetings)


def _in_turn(sites: Sequence[Sequence[Host]]) -> list[Host]:
    """The first nodes of all sites, then the second ones."""
    most = max(map(len, sites))
    return [hosts[i] for i in range(most) for hosts in sites if i < len(hosts)]


def _meeting(
    testbed: TestbedKind, site: str, own: Sequence[Host], others: Sequence[Host], *, is_fan: bool
) -> Meeting:
    size, rate = UNKNOWN_BYTES, 1e9 / 8
    topology = testbed.topology()
    if topology and topology.links:
        between = [path(topology, own[0].name, host.name) for host in others]
        rate = (
            min((route.rate_bits_per_second for route in between if route.rate_bits_per_second), default=1e9) / 8
        )
        wanted = rate * max(LEAST_SECONDS, DELAYS * max(route.delay_seconds for route in between))
        size = min(max(1 << (int(wanted).bit_length() - 1), SMALLEST_BYTES), LARGEST_BYTES)
    shape = (Fan if is_fan else Crossing)(len(own), size)
    hosts = tuple(host.name for host in (*own, *others))
    return Meeting(site, tuple(host.site for host in others), hosts, shape, rate)


def seconds_of(request: FitRequest) -> float:
    """Return what the stage takes, roughly: nothing where there is one site."""
    return sum(_launches(request) * meeting.launch_seconds for meeting in meetings(request.testbed))


def _launches(request: FitRequest) -> int:
    a_launch = sum(meeting.launch_seconds for meeting in meetings(request.testbed))
    if not request.time_budget_seconds or not a_launch:
        return LAUNCHES
    return min(LAUNCHES, int(TIME_SHARE * request.time_budget_seconds / a_launch))


def measured(request: FitRequest, parent: int, store: Store, events: Events) -> None:
    """Measure what the sites of a testbed share, as runs that are part of `parent`. Raises InterruptedRun."""
    implementation = store.plan(parent).cells[0].implementation
    launches, known = _launches(request), meetings(request.testbed)
    if known and not launches:
        warn(events, f"what sites share between them is left out: {_no_time(known)}")
    for meeting in known if launches else ():
        measure.measure(
            measure.Request(
                command_line=request.command_line, benchmarks=tuple(map(benchmark_of, meeting.patterns)),
                sizes_bytes=(0,), time_budget_seconds=launches * meeting.launch_seconds,
                implementations=(implementation,), prefixes=request.prefixes,
                ranks=(max(map(ranks_of, meeting.patterns)),), min_launches=launches, max_launches=launches,
                seconds_per_cell=1e-3, launch_limit_seconds=SLOWER_THAN_EXPECTED * meeting.launch_seconds,
                verify_first=False, seed=request.seed, testbed=request.testbed, placements=(meeting.placement,),
                profiles=(request.profile,) if request.profile else (), kind="fit", parent=parent,
            ),
            store, events,
        )  # fmt: skip


def added(result: FitResult, store: Store) -> FitResult:
    """Return the platform with what the sites of a stored run share, or with why that is not known."""
    topology = store.topology(result.run_id)
    if topology is None or len(result.platform.sites) < 2:
        return result
    platform, notices = result.platform, result.notices
    runs = [run.id for run in store.runs() if run.parent == result.run_id and run.kind == "fit"]
    launches = [launch for run in runs for launch in store.launches(run)]
    known = meetings(make(topology))
    why = _no_time(known) if known else f"that takes {FEWEST_PAIRS} nodes on each of two sites"
    for meeting in known:
        own = [it for it in launches if any(line.cell.placement == meeting.placement for line in it.timelines)]
        if not own:
            continue
        try:
            platform = _with_meeting(platform, meeting, own)
        except HostError as error:
            why = str(error)
            what = f"what {meeting.site} and {', '.join(dict.fromkeys(meeting.others))} share: {error}"
            notices = (*notices, Notice("no-links", what, error.remedy))
    if "links" in platform.not_identified:
        text = f"what sites share between them was not measured: {why}"
        platform = replace(platform, not_identified=platform.not_identified | {"links": text})
    return replace(result, platform=platform, notices=notices)


def needed_minutes(known: Sequence[Meeting]) -> int:
    """Return the `--time` that has room for one launch of all of these."""
    return math.ceil(sum(meeting.launch_seconds for meeting in known) / TIME_SHARE / 60)


def _no_time(known: Sequence[Meeting]) -> str:
    return f"that takes --time {needed_minutes(known)}m or more"


def _with_meeting(platform: Platform, meeting: Meeting, launches: Sequence[Launch]) -> Platform:
    implementation = launches[0].timelines[0].cell.implementation
    seen: dict[Pattern, Observed] = observed(launches, implementation)
    if isinstance(meeting.shape, Fan):
        return with_uplinks(platform, meeting.site, *uplinks(meeting.shape, meeting.others, seen))
    other = meeting.others[0]
    platform = with_links(platform, (meeting.site, other), shared_links(meeting.shape, seen))
    pair_class = next(
        it.pair_class for it in platform.routes if (it.from_site, it.to_site) == (meeting.site, other)
    )  # fmt: skip
    here = restricted(platform, meeting.hosts)
    if "models" in platform.not_identified and len(platform.models) == 1:
        platform = with_model(platform, sharing_model(meeting.shape, seen, here, simulated))
    return with_weight(platform, pair_class, weight(meeting.shape, seen, here, pair_class, simulated))
