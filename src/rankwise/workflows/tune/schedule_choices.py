"""The schedules that are tried beside an implementation's own algorithms: those that know sites, between sites."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from rankwise.core.errors import BuildError, HostError, InputError
from rankwise.core.jobs import Host
from rankwise.core.network import Topology
from rankwise.core.records import Benchmark, Implementation
from rankwise.core.schedule_names import choice_name
from rankwise.core.tuning import Choice, Decision, Rule, Tuning
from rankwise.measurement.placement import place
from rankwise.schedules.generator import algorithms
from rankwise.schedules.model import OPERATIONS
from rankwise.workflows.overlay import whole_native


def schedule_choices(
    implementation: Implementation, operation: str, ranks: int, menu: Mapping[str, Benchmark],
    topology: Topology | None, hosts: Sequence[Host], placements: Iterable[str],
) -> tuple[list[Choice], str]:  # fmt: skip
    """Return the choices for communicators of `ranks`, and why there are none; '' where none is looked for.

    None are where all ranks are in one site, nor for operations that the overlay does as it does another: a line
    of its table for allgather is for allgatherv too. Segments are left to the algorithms, which know the network.
    """
    site_of = {host.name: host.site for host in hosts}
    if topology is None or operation not in OPERATIONS or any(
        len({site_of[name] for name in place(word, hosts, ranks)}) < 2 for word in placements
    ):  # fmt: skip
        return [], ""
    try:
        found = [
            Choice(choice_name(one.name))
            for one in algorithms(operation)
            if one.for_networks and one.id in menu and menu[one.id].supported
        ]
        for choice in found[:1]:  # can the overlay be built?
            decision = Decision(operation, ranks, (Rule(None, choice),))
            whole_native(implementation, Tuning(decisions=(decision,)), topology)
    except (BuildError, HostError, InputError) as error:
        return [], f"schedules could not be tried: {error}"
    return found, ""
