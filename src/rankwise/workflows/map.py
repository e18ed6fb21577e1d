"""Mapping: where the ranks of a program that sends so much should run."""

from __future__ import annotations

import math
import shutil
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from rankwise.analysis.map.cost import DISTANCES, PACKAGE_DISTANCES, Machine, cost, machine_of
from rankwise.analysis.map.gain import Gain
from rankwise.analysis.map.matrix import MOST_RANKS
from rankwise.analysis.map.placing import NOW, Placed, Problem, place_ranks
from rankwise.analysis.map.topology import packages_of
from rankwise.analysis.map.writing import HEADER, PERMUTATION, WRITERS, Mapped, use
from rankwise.analysis.recordings import base as recordings
from rankwise.analysis.trace.reading import started_by
from rankwise.core.errors import InputError, UnknownNameError
from rankwise.core.jobs import Host
from rankwise.core.units import decimal_number, short, whole_number
from rankwise.measurement.placement import place
from rankwise.testbeds.base import TestbedKind
from rankwise.workflows.map_time import Predicted, map_by_time
from rankwise.workflows.predict import platforms

FORMATS = tuple(WRITERS)


@dataclass(frozen=True, slots=True)
class MapRequest:
    """What is to be placed, and on what."""

    recording: Path
    """Of who sends how much to whom."""
    testbed: TestbedKind | None
    """None: on the platform's nodes, with as many slots on each as the ranks need."""
    placement: str = "block"
    """Where the ranks are now: the placement that others are set beside."""
    distances: tuple[float, ...] = ()
    """Of a package if there is a topology, a node, a site, and all; none: DISTANCES or PACKAGE_DISTANCES."""
    pinned: tuple[tuple[int, str], ...] = ()
    """Ranks that stay on these hosts."""
    seconds: float = 30.0
    by_time: bool = False
    """Look for the shortest predicted time, beginning with what costs least."""
    platform: Path | None = None
    """What `rankwise fit` has measured, for predictions; None: the testbed as it is described."""
    topology: Path | None = None
    """The file of `lstopo` on one host, to which the others are alike: its packages are a level of their own."""
    permuting: bool = False
    """Only the slots that have a rank now: what a program can reach that reorders its ranks."""


@dataclass(frozen=True, slots=True)
class MapResult:
    """Each rank's host now and in the cheapest placement, and what the others that were tried cost."""

    now: tuple[str, ...]
    hosts: tuple[str, ...]
    costs: tuple[tuple[str, float], ...]
    """Of every placement that was tried, the cheapest first: bytes times distance."""
    cost_now: float
    cost: float
    seconds: float
    notices: tuple[str, ...] = field(default=())
    predicted: tuple[tuple[str, float], ...] = field(default=())
    """Seconds that placements are predicted to take, the shortest first; none unless that was asked for."""
    cores: tuple[int, ...] = ()
    """Of each rank on its host, in hwloc's order, where a topology was given."""
    gain: Gain | None = None
    """By predicted time, with its band; None unless that was asked for."""

    @property
    def ratio(self) -> float:
        """The cost as a share of what it is now."""
        return self.cost / self.cost_now if self.cost_now else 1.0


def parse_distances(text: str) -> tuple[float, ...]:
    """Read `1:10:100`: of a node, a site, and all; or four, a package first. Raises InputError."""
    distances = tuple(decimal_number(word) or 0.0 for word in text.split(":"))
    if len(distances) not in {3, 4} or min(distances) <= 0:
        raise InputError(
            f"'{short(text)}' are not valid distances", "write 1:10:100, of a node, a site, and all sites"
        )
    if list(distances) != sorted(distances):
        raise InputError(f"the distances {short(text)} must increase", "node, then site, then others")
    return distances


def parse_pins(text: str) -> tuple[tuple[int, str], ...]:
    """Read `0=rennes-1,5=nancy-2`: ranks that stay where they are. Raises InputError."""
    pins = []
    for word in text.split(","):
        rank, equals, host = word.partition("=")
        number = whole_number(rank)
        if not equals or number is None or not host:
            raise InputError(
                f"'{short(word)}' does not pin a rank to a host", "write RANK=HOST, several with commas"
            )
        pins.append((number, host))
    return tuple(pins)


def map_ranks(request: MapRequest) -> MapResult:
    """Find where the ranks of a communication matrix cost least.

    Raises InputError for a recording that cannot be read, ranks that do not fit, hosts that do not exist.
    """
    began = time.monotonic()
    recording = recordings.read(request.recording)
    traffic = recording.need_traffic()
    trace = recording.need_calls() if request.by_time else None
    matrix = traffic.matrix
    if matrix.ranks > MOST_RANKS:
        raise InputError(f"{recording.path} has {matrix.ranks} ranks", f"at most {MOST_RANKS} can be placed")
    hosts = request.testbed.hosts() if request.testbed else _hosts_of(request.platform, matrix.ranks)
    now = place(request.placement, hosts, matrix.ranks)
    if request.permuting:
        used = Counter(now)
        hosts = tuple(replace(host, slots=used[host.name]) for host in hosts)
    machine = _machine(hosts, request)
    if matrix.ranks > len(machine.node_of):
        raise InputError(
            f"{matrix.ranks} ranks do not fit into the {len(machine.node_of)} slots of the testbed",
            "take a testbed with more slots, or trace the program with fewer ranks",
        )
    numbers = {name: number for number, name in enumerate(machine.names)}
    pinned = _pinned(request.pinned, numbers, matrix.ranks, hosts)
    problem = Problem(matrix.weights(), machine, np.array([numbers[name] for name in now]), pinned)
    placed = place_ranks(problem, request.seconds / 2 if request.by_time else request.seconds)
    chosen = next(placement for placement in placed if not pinned or placement.start != NOW).slots
    timed: Predicted | None = None
    if trace:
        left = max(began + request.seconds - time.monotonic(), request.seconds / 2)
        blocks = machine.slots_of(np.array([numbers[name] for name in place("block", hosts, matrix.ranks)]))
        starts = [*placed, Placed(blocks, cost(problem.weights, machine, blocks), "block")]
        testbed = request.testbed.name if request.testbed else ""
        timed = map_by_time(problem, starts, trace, request.platform, testbed, left)
        chosen = timed.chosen.slots
    return MapResult(
        now, tuple(machine.names[node] for node in machine.node_of[chosen[: matrix.ranks]]),
        tuple((placement.start, placement.cost) for placement in placed),
        next(placement.cost for placement in placed if placement.start == NOW),
        cost(problem.weights, machine, chosen), time.monotonic() - began,
        (*(notice.message for notice in traffic.notices), *(timed.notices if timed else ())),
        tuple((placement.start, placement.seconds) for placement in timed.timed) if timed else (),
        tuple(machine.core_of[chosen[: matrix.ranks]].tolist()) if request.topology else (),
        timed.gain if timed else None,
    )  # fmt: skip


def _hosts_of(platform: Path | None, ranks: int) -> tuple[Host, ...]:
    """The platform's nodes as hosts, each for an equal share of the ranks. Raises InputError without it."""
    sites = platforms.find(platform, "").platform.sites
    slots = math.ceil(ranks / sum(len(site.nodes) for site in sites))
    return tuple(Host(node, slots, site.name) for site in sites for node in site.nodes)


def _machine(hosts: Sequence[Host], request: MapRequest) -> Machine:
    packages = packages_of(request.topology) if request.topology else ()
    distances = request.distances or (PACKAGE_DISTANCES if packages else DISTANCES)
    if len(distances) != (4 if packages else 3):
        given = "with" if packages else "without"
        raise InputError(
            f"{len(distances)} distances were given {given} --lstopo",
            "give four with a topology: of a package, a node, a site, and all sites; else three",
        )
    return machine_of(hosts, distances, packages)


def _pinned(
    pins: Sequence[tuple[int, str]], numbers: dict[str, int], ranks: int, hosts: Sequence[Host]
) -> dict[int, int]:
    for rank, name in pins:
        if name not in numbers:
            raise UnknownNameError("host", name, [host.name for host in hosts])
        if rank >= ranks:
            raise InputError(f"cannot pin rank {rank}: the matrix has {ranks} ranks", "count ranks from 0")
    return {rank: numbers[name] for rank, name in pins}


def write(result: MapResult, form: str, path: Path, recording: Path) -> str:
    """Write the placement for a launcher, and return how it is used; LAM/MPI's schema starts what was recorded.

    Beside a permutation goes the header that reads it. Raises InputError where it cannot be written.
    """
    mapped = Mapped(result.hosts, result.now, result.cores, started_by(recording))
    try:
        path.write_text(WRITERS[form](mapped))
        if form == PERMUTATION:
            shutil.copyfile(HEADER, path.with_name(HEADER.name))
    except OSError as error:
        raise InputError(f"cannot write {path}: {error.strerror}", "give a file that may be written") from error
    return use(form, mapped, path)
