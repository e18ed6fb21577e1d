"""The choices that are worth a trial, and the sizes to try them at.

They are an implementation's own algorithms and, between sites, the schedules that know sites.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from rankwise.analysis.tune.choices import choices_of
from rankwise.core.errors import BuildError, HostError, InputError
from rankwise.core.jobs import Host
from rankwise.core.network import Topology
from rankwise.core.records import Benchmark, Implementation
from rankwise.core.schedule_names import choice_name
from rankwise.core.tuning import Algorithm, Choice, Decision, Native, Rule, Setting, Tuning
from rankwise.core.units import whole_number
from rankwise.measurement.placement import place
from rankwise.mpi.family import family_named, native_of
from rankwise.schedules.generator import algorithms
from rankwise.schedules.model import OPERATIONS
from rankwise.workflows.overlay import whole_native

SEGMENTS = (8 << 10, 32 << 10, 128 << 10)
"""The first two are with their headers below the usual eager threshold of 64 KiB."""
FANOUTS = (4, 8)
"""Beside the implementation's own: children of a tree, chains, partners of a step."""
SAME_SHARE = 1 / 8
"""Of a size: what differs from it by less is not tried beside it."""
_ABOVE_BYTES = 16
"""By how much a message is longer that is just above a threshold: an element of any type."""


def own_choices(
    implementation: Implementation,
    operation: str,
    ranks: int,
    known: Iterable[Algorithm],
    settings: Sequence[Setting] = (),
) -> tuple[list[Choice], str]:
    """Return the choices that the implementation has words for, and why not for some other; '' if for all.

    Beside these `settings`, with which some may be without effect.
    Of an algorithm what comes to the same words is tried once: a fan-out that is the installation's own is no
    other choice. One of more than there are ranks is none either.
    """
    by_native: dict[tuple[str, Native], Choice] = {}
    why = ""
    for choice in choices_of(known, SEGMENTS, tuple(fanout for fanout in FANOUTS if fanout <= ranks)):
        decision = Decision(operation, ranks, (Rule(None, choice),))
        try:
            native = native_of(implementation, Tuning(tuple(settings), (decision,)))
        except InputError as error:
            why = str(error)
        else:
            by_native.setdefault((choice.algorithm, native), choice)
    return [*by_native.values()], why


def with_switches(
    implementation: Implementation, threshold: str, settings: Iterable[Setting], sizes_bytes: Sequence[int]
) -> tuple[int, ...]:
    """Return the sizes with those at which the implementation's own protocol changes, if between them.

    No choice among algorithms has anything to do with that. It is the largest size that is sent eagerly, and
    one just above it: as was chosen (`settings`), else by default; the knob is called `threshold`. What is as good
    as one of the sizes is left out: both ends of a rule are validated in any case.
    """
    known = (
        knob.default
        for knob in family_named(implementation.family).knobs(implementation)
        if knob.name == threshold
    )
    chosen = [setting.value for setting in settings if setting.knob == threshold]
    switches = {switch for value in (chosen or known) if (switch := whole_number(value)) is not None}
    sizes = sorted(sizes_bytes)
    more = {
        size
        for value in switches
        for size in (value, value + _ABOVE_BYTES)
        if sizes[0] < size < sizes[-1] and min(abs(size - other) for other in sizes) > SAME_SHARE * size
    }
    return tuple(sorted({*sizes, *more}))


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
        choices = [
            Choice(choice_name(algorithm.name))
            for algorithm in algorithms(operation)
            if algorithm.for_networks and algorithm.id in menu and menu[algorithm.id].supported
        ]
        for choice in choices[:1]:  # can the overlay be built?
            decision = Decision(operation, ranks, (Rule(None, choice),))
            whole_native(implementation, Tuning(decisions=(decision,)), topology)
    except (BuildError, HostError, InputError) as error:
        return [], f"schedules could not be tried: {error}"
    return choices, ""
