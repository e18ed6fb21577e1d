"""Coupled models in a site and across two: the same pattern twice, so that what the long way costs is told."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from rankwise.core.coupled import PATTERNS, CoupledResult, Pattern
from rankwise.core.errors import InputError, UnknownNameError
from rankwise.core.jobs import Host
from rankwise.measurement.placement import ON_HOSTS, place
from rankwise.testbeds.base import TestbedKind
from rankwise.workflows import apps
from rankwise.workflows.apps import AppsRequest
from rankwise.workflows.events import Events

FEWEST_RANKS = 2


@dataclass(frozen=True, slots=True)
class Places:
    """The hosts of the ranks, in a site and across two: the first half is one model, the rest the other."""

    within: tuple[str, ...]
    across: tuple[str, ...] = ()
    """None where the testbed has one site."""


def patterns(names: Sequence[str]) -> tuple[Pattern, ...]:
    """Return the patterns of these names; none: all. Raises UnknownNameError."""
    known = {pattern.name: pattern for pattern in PATTERNS}
    for name in names:
        if name not in known:
            raise UnknownNameError("pattern", name, known)
    return tuple(known[name] for name in dict.fromkeys(names)) or PATTERNS


def places(testbed: TestbedKind, ranks: int = 0) -> Places:
    """Return where the models run; `ranks` 0: as many as the smaller one of the two sites has slots.

    Raises InputError for fewer than two ranks.
    """
    if ranks and ranks < FEWEST_RANKS:
        raise InputError("two models cannot run on 1 rank", "give 2 ranks or more: -n")
    sites = [hosts for hosts in _by_site(testbed.hosts()) if _slots(hosts)]
    first, *others = sorted(sites, key=lambda site: len(site) < 2) or [[]]  # a site of several hosts, if any
    second = others[0] if others else first
    ranks = ranks or max(FEWEST_RANKS, min(_slots(first), _slots(second)))
    ones = (ranks + 1) // 2
    within = _apart(first, ones, ranks - ones)
    if not others:
        return Places(within)
    return Places(within, place("block", first, ones) + place("block", second, ranks - ones))


def run_coupled(
    chosen: Sequence[Pattern], request: AppsRequest, where: Places, events: Events
) -> tuple[CoupledResult, ...]:
    """Run each pattern with each implementation, in a site and across two; a run that fails has its reason.

    Raises what `apps.run_apps` raises.
    """
    request = replace(request, names=("coupled",), class_name="", ranks=len(where.within))
    implementations, programs = apps.ready(request, events)
    requests = [replace(request, options=pattern.options) for pattern in chosen]
    for coupled_request in requests:
        apps.that_can_run(
            ("coupled",),
            coupled_request,
            request.ranks,
            implementations[0],
            programs[implementations[0].id],
            events,
        )

    def measured() -> Iterator[CoupledResult]:
        for pattern, pattern_request in zip(chosen, requests, strict=True):
            for implementation in implementations:
                update(f"{pattern.name} with {implementation.id}")
                results = [
                    apps.launch(
                        replace(pattern_request, placement=ON_HOSTS + "+".join(hosts)), request.ranks, "coupled",
                        implementation, programs[implementation.id],
                    )
                    for hosts in filter(None, (where.within, where.across))
                ]  # fmt: skip
                yield CoupledResult(pattern, *results)

    with events.busy(f"bringing up {request.testbed.name}") as update, request.testbed:
        return tuple(measured())


def _by_site(hosts: Sequence[Host]) -> list[list[Host]]:
    return [[host for host in hosts if host.site == site] for site in dict.fromkeys(host.site for host in hosts)]


def _slots(hosts: Sequence[Host]) -> int:
    return sum(host.slots for host in hosts)


def _apart(hosts: Sequence[Host], ones: int, others: int) -> tuple[str, ...]:
    """Each model on hosts of its own if there are two hosts, so that a network is between them too."""
    if len(hosts) < 2:
        return place("block", hosts, ones + others)
    half = (len(hosts) + 1) // 2
    return place("block", hosts[:half], ones) + place("block", hosts[half:], others)
