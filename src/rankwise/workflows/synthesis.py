"""Finds a schedule for a testbed, a platform or sites of given sizes, and proves it before anybody gets it."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from rankwise.core.errors import InputError
from rankwise.platforms import platform_file
from rankwise.schedules import prover, synthesis
from rankwise.schedules.cost import CostModel
from rankwise.schedules.fixed import FixedSchedule, of_schedules
from rankwise.schedules.formats.json_file import to_json
from rankwise.schedules.formats.text import text_of
from rankwise.schedules.layout import parse_sites
from rankwise.schedules.model import REDUCING, Network
from rankwise.schedules.network_file import network_of
from rankwise.schedules.synthesis import Synthesis, Wish
from rankwise.workflows.events import Events
from rankwise.workflows.platform_network import measured_network
from rankwise.workflows.testbeds import topology_of

OPERATIONS = synthesis.OPERATIONS


@dataclass(frozen=True, slots=True)
class SynthesisRequest:
    """What a schedule is wanted for."""

    operation: str
    size_bytes: int
    testbed: str = ""
    sites: str = ""
    """As `layout.parse_sites` reads them; '' where a testbed is named, or none."""
    ranks: int = 0
    """0: one for each node."""
    root: int = 0
    platform: Path | None = None


@dataclass(frozen=True, slots=True)
class ProvedSchedule:
    """The schedule, in chunks, and how it was found."""

    synthesis: Synthesis
    schedule: FixedSchedule


def synthesise(request: SynthesisRequest, events: Events) -> ProvedSchedule:
    """Find a schedule and prove it. Raises InputError for what cannot be asked for."""
    network, ranks, model = _network(request)
    if request.root and not 0 <= request.root < ranks:
        raise InputError(
            f"rank {request.root} cannot be the root of {ranks} ranks", f"the ranks are 0 to {ranks - 1}"
        )
    with events.busy(f"looking for a schedule of {request.operation} on {ranks} ranks"), _without_collector():
        wish = Wish(request.operation, ranks, request.size_bytes, request.root, network)
        synthesised = synthesis.synthesise(wish, model)
        proof = prover.prove(synthesised.problem, synthesised.schedules)
    if not proof.right:
        raise RuntimeError(f"{synthesised.best.name} is wrong: {proof.faults[0]}")
    made = of_schedules(
        synthesised.problem,
        synthesised.schedules,
        f"{request.operation}-{ranks}",
        f"found: {synthesised.best.name}",
    )
    return ProvedSchedule(synthesised, replace(made, commutative=request.operation in REDUCING))


@contextmanager
def _without_collector() -> Iterator[None]:
    """Look for no cycles: the many steps form none, and looking takes a fifth to a third of the time."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def write(proved: ProvedSchedule, file: Path) -> None:
    """Write the schedule: JSON to a file that ends so, else the text that the harness and the overlay read."""
    text = to_json(proved.schedule) if file.suffix == ".json" else text_of(proved.schedule)
    try:
        file.write_text(text, encoding="utf-8")
    except OSError as error:
        raise InputError(
            f"{file} cannot be written: {error.strerror}", "name a file in a folder that you may write to"
        ) from error


def _network(request: SynthesisRequest) -> tuple[Network | None, int, CostModel]:
    if sum(map(bool, (request.testbed, request.sites, request.platform))) > 1:
        raise InputError("--testbed, --platform and --sites are mutually exclusive", "give one of them")
    if request.sites:
        network = parse_sites(request.sites)
        ranks = len(network.groups[0])
        if request.ranks not in {0, ranks}:
            raise InputError(f"--sites {request.sites} has {ranks} ranks, not {request.ranks}", "leave -n out")
        return network, ranks, CostModel()
    if request.platform:
        measured = measured_network(platform_file.read(request.platform), request.ranks, request.size_bytes)
        return measured.network, measured.ranks, measured.model
    if request.testbed:
        topology = topology_of(request.testbed)
        ranks = request.ranks or len(topology.nodes)
        return network_of(topology, ranks), ranks, CostModel()
    if request.ranks < 1:
        raise InputError(
            "neither a number of ranks nor a network is given", "give -n, --sites, --testbed or --platform"
        )
    return None, request.ranks, CostModel()
