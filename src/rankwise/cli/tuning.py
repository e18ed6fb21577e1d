"""The stages of a search for settings, and what each asks of which implementation."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from rankwise.analysis.tune.buffers import buffer_settings, needed_bytes
from rankwise.analysis.tune.evidence import Rigour
from rankwise.analysis.tune.race import KnobRace, variants_of
from rankwise.analysis.tune.racing import AlgorithmSearch, choices_of
from rankwise.analysis.tune.search import Search
from rankwise.analysis.tune.threshold import ThresholdSearch
from rankwise.core.network import PathFigures, Settings, Topology
from rankwise.core.records import Benchmark, Cell, Host, Implementation
from rankwise.core.tuning import Knob, Tuning
from rankwise.mpi.family import family_named

KIB, MIB = 1 << 10, 1 << 20
RACED = ("socket-buffers", "links", "transport")
THRESHOLDS = ("eager-threshold", "eager-threshold-shm")
HOSTS = "tcp-limits"
POINT_TO_POINT = (HOSTS, *RACED, *THRESHOLDS)
"""The knobs that matter between two ranks."""
COLLECTIVES = ("bcast", "reduce", "allreduce", "allgather", "alltoall", "gather", "scatter", "reduce_scatter")
HOSTS_SIZES = (MIB, 16 * MIB)
KNOB_SIZES = (1, 64 * KIB, MIB, 4 * MIB)
EAGER_SIZES = (4 * KIB, 64 * KIB, 256 * KIB, MIB, 16 * MIB)
PROOF_SIZES = (1, 6 * KIB, 96 * KIB, 384 * KIB, 3 * MIB // 2, 6 * MIB)
"""Between those of the searches; no larger, or a proof would take longer than what it proves."""
COLLECTIVE_SIZES = (64, 4 * KIB, 64 * KIB, MIB)
SEGMENTS = (8 * KIB, 64 * KIB)
LINKS = ("2", "4")


@dataclass(frozen=True, slots=True)
class Collective:
    """An operation, for communicators of this size, and the message sizes that are tried first."""

    operation: str
    ranks: int
    sizes_bytes: tuple[int, ...] = COLLECTIVE_SIZES


@dataclass(frozen=True, slots=True)
class Wish:
    """What is to be tuned. `knobs`: of POINT_TO_POINT; `collectives`: of COLLECTIVES."""

    knobs: tuple[str, ...]
    collectives: tuple[Collective, ...]
    eager_memory_bytes: int = 1 << 30
    rigour: Rigour = field(default=Rigour())


@dataclass(frozen=True, slots=True)
class Place:
    """Where it is tuned, and what was measured of it."""

    testbed: str
    topology: Topology | None
    hosts: tuple[Host, ...]
    paths: tuple[PathFigures, ...] = ()

    @property
    def placements(self) -> tuple[str, ...]:
        """Of pairs: within a site and between sites, or just on this host."""
        if self.topology is None or len(self.hosts) == 1:
            return ("block",)
        sites = {host.site for host in self.hosts}
        near = () if len(self.hosts) == len(sites) else ("one-per-node",)
        return (*near, "across-sites") if len(sites) > 1 else near

    @property
    def settings(self) -> Settings:
        """In force on the hosts."""
        return self.topology.nodes[0].settings if self.topology and self.topology.nodes else ()


Make = Callable[[Implementation, Mapping[str, Benchmark], Place, Wish], Iterable[Search]]


@dataclass(frozen=True, slots=True)
class Stage:
    """Questions that are asked together, since their answers do not touch one another."""

    name: str
    share: float
    """Of the time, beside those of the other stages that have anything to ask."""
    searches: Make


def host_search(place: Place, implementation: str, wish: Wish) -> KnobRace | None:
    """Whether larger limits of TCP's buffers are worth it, by raw TCP; None where nothing can be raised.

    `implementation` only carries the baseline.
    """
    links = HOSTS in wish.knobs and place.topology is not None and place.topology.links
    raised = buffer_settings(place.paths, place.settings) if links else ()
    if not raised:
        return None
    name = "tcp-limits=" + "/".join(value.split()[-1] for _, value in raised)
    cells = [_cell(place, implementation, "tcp_pingpong", size, place.placements[-1]) for size in HOSTS_SIZES]
    return KnobRace("TCP buffer limits", {name: Tuning(host_settings=raised)}, cells, wish.rigour)


def _knobs(
    implementation: Implementation, menu: Mapping[str, Benchmark], place: Place, wish: Wish
) -> Iterable[Search]:
    """Socket buffers, connections and transports, all against the default in one race."""
    if place.topology is None:
        return
    variants: dict[str, Tuning] = {}
    for knob in family_named(implementation.family).knobs(implementation):
        if knob.name in RACED and knob.name in wish.knobs:
            variants.update(variants_of(knob, _values(knob, place)))
    cells = [
        _cell(place, implementation.id, "pingpong", size, placement)
        for placement in place.placements
        for size in KNOB_SIZES
    ]
    if variants:
        yield KnobRace("socket buffers, links, transport", variants, cells, wish.rigour)


def _values(knob: Knob, place: Place) -> tuple[str, ...]:
    """Which values are worth a trial."""
    if knob.name == "links":
        return tuple(value for value in LINKS if knob.least <= int(value) <= (knob.most or 1 << 30))
    if knob.name == "socket-buffers":
        now = [int(value.split()[-1]) for name, value in place.settings if name.endswith("tcp_rmem")]
        needed = str(needed_bytes(place.paths, min(now, default=1 << 30)) or 4 * MIB)
        return tuple(
            value for value in ("auto", needed) if value != "auto" or "auto" in (knob.default, *knob.values)
        )
    return knob.values


def _eager(
    implementation: Implementation, menu: Mapping[str, Benchmark], place: Place, wish: Wish
) -> Iterable[Search]:
    """The threshold between the eager and the rendezvous protocol, with early and late receivers."""
    wanted = THRESHOLDS[place.topology is None]
    for knob in family_named(implementation.family).knobs(implementation):
        if knob.name == wanted and wanted in wish.knobs:
            names = [name for name in ("pingpong", "late_receiver") if menu[name].supported]
            templates = [
                _cell(place, implementation.id, name, 0, placement)
                for name in names
                for placement in place.placements
            ]
            yield ThresholdSearch(
                knob, templates, EAGER_SIZES, wish.rigour, eager_memory_bytes=wish.eager_memory_bytes,
                peers=max(sum(host.slots for host in place.hosts) - 1, 1),
            )  # fmt: skip


def _algorithms(
    implementation: Implementation, menu: Mapping[str, Benchmark], place: Place, wish: Wish
) -> Iterable[Search]:
    """Which algorithm each collective operation should use at which size."""
    known = family_named(implementation.family).algorithms(implementation)
    for one in wish.collectives:
        if one.operation in known:
            template = replace(_cell(place, implementation.id, one.operation, 0, "block"), ranks=one.ranks)
            choices = choices_of(known[one.operation], SEGMENTS)
            yield AlgorithmSearch(template, choices, one.sizes_bytes, rigour=wish.rigour)


STAGES = (
    Stage("buffers", 20, _knobs),
    Stage("eager", 20, _eager),
    Stage("algorithms", 35, _algorithms),
)
"""In this order, each on top of what those before it have found."""
HOSTS_SHARE, PROOF_SHARE = 5, 25


def proof_cells(implementation: str, place: Place, wish: Wish, profiles: Sequence[str]) -> list[Cell]:
    """What default and tuned are compared in: sizes between those of the search, other ranks among them."""
    cells: list[Cell] = []
    if wish.knobs:
        cells += [
            _cell(place, implementation, "pingpong", size, placement)
            for placement in place.placements
            for size in PROOF_SIZES
        ]
    for one in wish.collectives:
        for ranks in dict.fromkeys((one.ranks, max(one.ranks - 1, 2))):
            template = replace(_cell(place, implementation, one.operation, 0, "block"), ranks=ranks)
            cells += [replace(template, size_bytes=3 * size // 2) for size in one.sizes_bytes]
    return [replace(cell, profile=profile) for profile in profiles for cell in dict.fromkeys(cells)]


def _cell(place: Place, implementation: str, benchmark: str, size_bytes: int, placement: str) -> Cell:
    return Cell(implementation, benchmark, size_bytes, 2, testbed=place.testbed, placement=placement)
