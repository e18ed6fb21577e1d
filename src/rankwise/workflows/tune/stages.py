"""The stages of a search for settings, and what each asks of which implementation."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from rankwise.analysis.application import Application
from rankwise.analysis.host_settings.buffers import needed_bytes
from rankwise.analysis.tune.algorithm_search import AlgorithmSearch
from rankwise.analysis.tune.race import SearchCriteria
from rankwise.analysis.tune.search import NothingToAsk, Search
from rankwise.analysis.tune.setting_search import SettingSearch, candidates_of
from rankwise.analysis.tune.survey_search import SurveySearch
from rankwise.analysis.tune.threshold_search import ThresholdSearch
from rankwise.core import knobs
from rankwise.core.host_settings import TCP_RMEM
from rankwise.core.jobs import Host
from rankwise.core.network import PathFigures, Settings, Topology
from rankwise.core.records import Benchmark, Cell, Implementation
from rankwise.core.tuning import Knob, Spread, Tuning
from rankwise.measurement.placement import place
from rankwise.mpi.family import family_named
from rankwise.workflows.tune.choices import own_choices, schedule_choices, with_switches

KIB, MIB = 1 << 10, 1 << 20
KNOBS_BETWEEN_HOSTS = knobs.tried_by("values", "between hosts")
KNOBS_WITHIN_HOST = knobs.tried_by("values", "within a host")
"""In place of those above where all ranks are on one host."""
THRESHOLDS = (*knobs.tried_by("threshold", "between hosts"), *knobs.tried_by("threshold", "within a host"))
HOST_STAGE, PAUSES_STAGE, NETWORK_STAGE = "hosts", "hosts-pauses", "hosts-network"
"""The stages of the hosts' own settings, whose names all begin so ..."""
SURVEY, SURVEY_SIZES = "survey", (64 * KIB, 4 * MIB)
ALGORITHMS = "algorithms"
"""... and the last of all."""
HOSTS = "tcp-limits"
NEAR = "one-per-node"
POINT_TO_POINT = (HOSTS, *KNOBS_BETWEEN_HOSTS, *KNOBS_WITHIN_HOST, *THRESHOLDS)
"""The knobs that matter between two ranks."""
OF_COLLECTIVES = knobs.tried_by("collectives")
"""The knobs that matter where several ranks share a host."""
KNOBS = (*POINT_TO_POINT, *OF_COLLECTIVES)
COLLECTIVES = (
    "bcast", "reduce", "allreduce", "allgather", "allgatherv", "alltoall", "alltoallv", "gather", "scatter",
    "reduce_scatter", "reduce_scatter_block", "scan", "exscan", "barrier",
)  # fmt: skip
"""What `collectives` stands for."""
_NONBLOCKING = tuple(f"i{name}" for name in (*COLLECTIVES, "gatherv", "scatterv", "alltoallw"))
OPERATIONS = (*COLLECTIVES, "gatherv", "scatterv", "alltoallw", *_NONBLOCKING)
"""All that can be named. Nonblocking operations have algorithms of their own in some implementations only."""
KNOB_SIZES = (1, 64 * KIB, MIB, 4 * MIB)
EAGER_SIZES = (32 * KIB, 128 * KIB, MIB, 8 * MIB)
EAGER_SIZES_SHM = (KIB, 4 * KIB, 16 * KIB, 64 * KIB, 256 * KIB)
CONTENTION_OPERATION, CONTENTION_SIZES = "allreduce", (KIB, 64 * KIB, MIB)
"""What is good between two ranks may starve among several: transports are tried with this operation between all
hosts too, if collectives are tuned."""
COLLECTIVE_SIZES = (64, 4 * KIB, 64 * KIB, MIB)


@dataclass(frozen=True, slots=True)
class Collective:
    """An operation, for communicators of this size, and the message sizes that are tried first."""

    operation: str
    ranks: int
    sizes_bytes: tuple[int, ...] = COLLECTIVE_SIZES


@dataclass(frozen=True, slots=True)
class TuneSpec:
    """What is to be tuned. `knobs`: of KNOBS; `collectives`: of OPERATIONS."""

    knobs: tuple[str, ...]
    collectives: tuple[Collective, ...]
    eager_memory_bytes: int = 1 << 30
    criteria: SearchCriteria = field(default=SearchCriteria())
    placements: tuple[str, ...] = ("block",)
    """In which collectives are tried; a choice must be slower in none."""
    application: Application | None = None
    """Whose calls weigh what is tuned; None: all weighs the same."""
    schedules: bool = True
    """Collectives between sites are tried by our schedules as well, which the overlay carries out."""
    found: Tuning = field(default=Tuning())
    """What the stages before have found for the implementation that a stage is asked about."""


@dataclass(frozen=True, slots=True)
class Target:
    """Where it is tuned, and what was measured of it."""

    testbed: str
    topology: Topology | None
    hosts: tuple[Host, ...]
    paths: tuple[PathFigures, ...] = ()
    kernel: Settings = ()
    """What the first host has in force of what could be tried."""
    visit_limit_seconds: float = math.inf
    """What a visit of a validation to a cell may take at most, as far as one can choose."""

    @property
    def placements(self) -> tuple[str, ...]:
        """Of pairs: within a site and between sites, or just on this host."""
        if self.topology is None or len(self.hosts) == 1:
            return ("block",)
        sites = {host.site for host in self.hosts}
        near = () if len(self.hosts) == len(sites) else (NEAR,)
        return (*near, "across-sites") if len(sites) > 1 else near

    def delay_seconds(self, placement: str) -> float:
        """Return one way, of the longest path that messages take with ranks placed so."""
        delays = [path.delay_seconds for path in self.paths if not math.isnan(path.delay_seconds)]
        return (min if placement == NEAR else max)(delays, default=0.0)

    def byte_seconds(self, placement: str) -> float:
        """Return what a byte takes on the slowest path with ranks placed so, by what was measured."""
        rates = [path.rate_bits_per_second for path in self.paths if path.rate_bits_per_second > 0]
        return 8 / (max if placement == NEAR else min)(rates) if rates else 0.0

    def unbound_byte_seconds(self, placement: str) -> float:
        """Return the same at the best rate of any path, as where no limit of the hosts holds it back."""
        rates = [path.rate_bits_per_second for path in self.paths if path.rate_bits_per_second > 0]
        return 8 / max(rates) if rates else 0.0

    def product_bytes(self, placement: str) -> float:
        """Return what is on the way both ways of the longest path, ranks placed so, at the best rate of any."""
        rates = [path.rate_bits_per_second for path in self.paths if path.rate_bits_per_second > 0]
        return max(rates, default=0.0) * 2 * self.delay_seconds(placement) / 8

    @property
    def settings(self) -> Settings:
        """In force on the hosts."""
        return self.topology.nodes[0].settings if self.topology and self.topology.nodes else ()


Make = Callable[[Implementation, Mapping[str, Benchmark], Target, TuneSpec], Iterable[Sequence[Search]]]
"""Groups of searches, asked one group after the other."""


@dataclass(frozen=True, slots=True)
class Stage:
    """Questions that are asked together, since their answers do not touch one another."""

    name: str
    searches: Make
    where_changed: str = ""
    """Only for implementations of which those before it have set a knob whose name starts so."""
    follows: bool = False
    """What it asks depends on what those before it have found."""


def _knobs(
    implementation: Implementation, menu: Mapping[str, Benchmark], target: Target, spec: TuneSpec
) -> Iterable[Sequence[Search]]:
    """Socket buffers, connections and transports, all against the default in one race."""
    tried = KNOBS_BETWEEN_HOSTS if target.topology else KNOBS_WITHIN_HOST
    candidates: dict[str, Tuning] = {}
    for knob in family_named(implementation.family).knobs(implementation):
        if knob.name in tried and knob.name in spec.knobs:
            candidates.update(candidates_of(knob, _values(knob, target)))
    cells = [
        cell_of(target, implementation.id, "pingpong", size, placement)
        for placement in target.placements
        for size in KNOB_SIZES
    ]
    if spec.collectives and (ranks := len(target.hosts)) > 2:
        contended = (
            cell_of(target, implementation.id, CONTENTION_OPERATION, size, NEAR) for size in CONTENTION_SIZES
        )
        cells += [replace(cell, ranks=ranks) for cell in contended]
    if candidates:
        calls = spec.application.calls_at(cells) if spec.application else ()
        yield [SettingSearch(", ".join(tried), candidates, cells, spec.criteria, calls=calls)]


def _collective_knobs(
    implementation: Implementation, menu: Mapping[str, Benchmark], target: Target, spec: TuneSpec
) -> Iterable[Sequence[Search]]:
    """What decides how all collectives are done: tried with those that are tuned, on as many ranks as any is."""
    ranks = max(
        (collective.ranks for collective in spec.collectives), default=sum(host.slots for host in target.hosts)
    )
    wanted = [collective for collective in spec.collectives if collective.ranks == ranks] or [
        Collective(CONTENTION_OPERATION, ranks)
    ]
    candidates: dict[str, Tuning] = {}
    acted_on: set[str] = set()
    for knob in family_named(implementation.family).knobs(implementation):
        what = knobs.described(knob.name)
        own = {
            collective.operation
            for collective in wanted
            if collective.operation in (what.operations or (collective.operation,))
        }
        has_work = own and (ranks > len(target.hosts) or not what.on_shared_hosts)
        if knob.name in OF_COLLECTIVES and knob.name in spec.knobs and has_work:
            candidates.update(candidates_of(knob))
            acted_on |= own
    cells = [
        replace(cell_of(target, implementation.id, collective.operation, size, placement), ranks=ranks)
        for collective in wanted
        if collective.operation in acted_on
        for placement in distinct_placements(target, spec, ranks)
        for size in (collective.sizes_bytes if menu[collective.operation].sized else (0,))
        if menu[collective.operation].supported
    ]
    if not cells:
        return
    calls = spec.application.calls_at(cells) if spec.application else ()
    yield [SettingSearch(", ".join(OF_COLLECTIVES), candidates, cells, spec.criteria, calls=calls)]


def _values(knob: Knob, target: Target) -> tuple[str, ...]:
    """Which values are worth a trial."""
    if tried := knobs.described(knob.name).tried:
        return tuple(value for value in tried if knob.least <= int(value) <= (knob.most or 1 << 30))
    if knob.name == knobs.SOCKET_BUFFERS:
        now = [int(value.split()[-1]) for name, value in target.settings if name == TCP_RMEM]
        needed = str(needed_bytes(target.paths, min(now, default=1 << 30)) or 4 * MIB)
        return tuple(
            value for value in ("auto", needed) if value != "auto" or "auto" in (knob.default, *knob.values)
        )
    return knob.values


def _eager(
    implementation: Implementation, menu: Mapping[str, Benchmark], target: Target, spec: TuneSpec
) -> Iterable[Sequence[Search]]:
    """The threshold between the eager and the rendezvous protocol, with early and late receivers."""
    wanted, sizes = (THRESHOLDS[0], EAGER_SIZES) if target.topology else (THRESHOLDS[1], EAGER_SIZES_SHM)
    for knob in family_named(implementation.family).knobs(implementation):
        if knob.name == wanted and wanted in spec.knobs:
            names = [name for name in ("pingpong", "late_receiver") if menu[name].supported]
            templates = [
                cell_of(target, implementation.id, name, 0, placement)
                for name in names
                for placement in target.placements
            ]
            yield [ThresholdSearch(
                knob, templates, sizes, spec.criteria, eager_memory_bytes=spec.eager_memory_bytes,
                peers=max(sum(host.slots for host in target.hosts) - 1, 1),
            )]  # fmt: skip


def _algorithms(
    implementation: Implementation, menu: Mapping[str, Benchmark], target: Target, spec: TuneSpec
) -> Iterable[Sequence[Search]]:
    """Which algorithm each collective operation should use at which size.

    Between hosts messages take longer than the starts of launches, so each operation at each number of ranks has
    its own launches: if there is no time for all, some are answered. Within a host operations share launches.
    """
    family = family_named(implementation.family)
    known = family.algorithms(implementation)
    groups: defaultdict[object, list[Search]] = defaultdict(list)
    made: list[AlgorithmSearch] = []
    refused: dict[str, list[str]] = {}
    for collective in spec.collectives:
        choices, why = own_choices(
            implementation,
            collective.operation,
            collective.ranks,
            known.get(collective.operation, ()),
            spec.found.settings,
        )
        placements = distinct_placements(target, spec, collective.ranks)
        scope = family.choice_scope(implementation, collective.operation) if choices else "by size"
        if spec.schedules:
            more, why_none = schedule_choices(
                implementation,
                collective.operation,
                collective.ranks,
                menu,
                target.topology,
                target.hosts,
                placements,
            )
            choices, why = [*choices, *more], why_none or why
        if not choices:
            refused.setdefault(why, []).append(f"{collective.operation} at {collective.ranks} ranks")
            continue
        template = replace(
            cell_of(target, implementation.id, collective.operation, 0, "block"), ranks=collective.ranks
        )
        threshold = THRESHOLDS[0] if target.topology else THRESHOLDS[1]
        sizes = with_switches(implementation, threshold, spec.found.settings, collective.sizes_bytes)
        sizes = sizes if menu[collective.operation].sized else (0,)
        cells = [replace(template, size_bytes=size) for size in sizes]
        made.append(AlgorithmSearch(
            template, choices, sizes, placements, spec.criteria,
            scope=scope, earlier=tuple(made), calls=spec.application.calls_at(cells) if spec.application else (),
        ))  # fmt: skip
        groups[collective if target.topology else collective.ranks].append(made[-1])
    left_alone = [_left_alone(family.title, names, why) for why, names in refused.items()]
    return [*groups.values(), *([left_alone] if left_alone else [])]


def _left_alone(title: str, names: Sequence[str], why: str) -> NothingToAsk:
    because = why or f"{title} has no selectable algorithms"
    return NothingToAsk("algorithms", f"{', '.join(names)}: left as they are: {because}")


def _survey(
    implementation: Implementation, menu: Mapping[str, Benchmark], target: Target, spec: TuneSpec
) -> Iterable[Sequence[Search]]:
    """All that the stages behind it would try between two ranks: does anything gain much over the longest path?"""
    stages = [*_eager(implementation, menu, target, spec), *_knobs(implementation, menu, target, spec)]
    candidates = {label: tuning for own in stages for search in own for label, tuning in search.ends().items()}
    cells = [cell_of(target, implementation.id, "pingpong", size, target.placements[-1]) for size in SURVEY_SIZES]
    if candidates and target.topology:
        yield [SurveySearch(SURVEY, candidates, cells, spec.criteria)]


STAGES = (
    Stage(SURVEY, _survey),
    Stage("eager", _eager),
    Stage("buffers", _knobs),
    Stage("eager-again", _eager, where_changed="transport"),
    Stage("hierarchy", _collective_knobs),
    Stage(ALGORITHMS, _algorithms, follows=True),
)
"""In this order, each on top of what those before it have found.

The survey is for those who have no time for all: what gains most is validated first. Of the others the threshold
comes first, or a transport that sends eagerly by default would win against one that could too, and that has less
overhead. Another transport has another threshold.
"""


def distinct_placements(target: Target, spec: TuneSpec, ranks: int) -> tuple[str, ...]:
    """Return those of the spec that put so many ranks in different ways."""
    ways = {place(word, target.hosts, ranks): word for word in reversed(spec.placements)}
    return tuple(word for word in spec.placements if word in ways.values())


def spread_of(target: Target, placements: Iterable[str], ranks: int, groups: int = 1) -> Spread:
    """Return the one way in which each group of neighbouring ranks lies on nodes in all of these placements."""
    placed = [place(word, target.hosts, ranks) for word in placements]
    size = ranks // groups
    nodes = {len({*hosts[first : first + size]}) for hosts in placed for first in range(0, ranks, size)}
    return "one-per-node" if nodes == {size} else "single-node" if nodes == {1} else "any"


def cell_of(target: Target, implementation: str, benchmark: str, size_bytes: int, placement: str) -> Cell:
    """Return a cell of two ranks on the target."""
    return Cell(implementation, benchmark, size_bytes, 2, testbed=target.testbed, placement=placement)
