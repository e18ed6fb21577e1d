"""Joined jobs among the variants of a comparison: each stands where an implementation would."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from rankwise.core.configuration import Configuration, plain
from rankwise.core.errors import HostError, InputError
from rankwise.core.jobs import Job
from rankwise.core.programs import MPI, Program
from rankwise.core.records import Cell, Implementation, Launch, Plan, Segment
from rankwise.measurement.launch import Launching, refused, settings_of, told
from rankwise.measurement.part import LaunchPart
from rankwise.measurement.workload import Workload
from rankwise.testbeds.base import TestbedKind
from rankwise.workflows.events import Events
from rankwise.workflows.joined import Joining, JoinRequest, SitePart, parts_of, prepare

FAMILY = "joined"
"""Of what stands for a joined job among implementations."""
RELAYED = "relayed"
"""As its source, where sites reach one another by relays."""
ENCRYPTED = "encrypted"
"""The same where they encrypt what they send to one another."""


@dataclass(frozen=True, slots=True)
class JoinedVariant:
    """A joined job on each testbed, by the testbed's name."""

    joinings: Mapping[str, Joining]

    @property
    def any(self) -> Joining:
        """That of the first testbed: implementations and numbers of ranks are the same on all."""
        return next(iter(self.joinings.values()))

    @property
    def ranks(self) -> int:
        """The ranks of all sites."""
        return sum(part.ranks for part in self.any.request.parts)

    @property
    def implementation(self) -> Implementation:
        """What stands for it: its name says which MPI has how many ranks on which site."""
        each = zip(self.any.request.parts, self.any.implementations, strict=True)
        name = ",".join(f"{part.site}={implementation.id}:{part.ranks}" for part, implementation in each)
        request = self.any.request
        source = RELAYED if request.relayed else ENCRYPTED if request.encrypted else FAMILY
        return Implementation(name, FAMILY, "", "", "", "", source=source, status="works")

    @property
    def configurations(self) -> tuple[Configuration, ...]:
        """Those of its sites: each MPI as it is installed."""
        return tuple(map(plain, dict.fromkeys(self.any.implementations)))


def prepared(
    program: Program, several: Iterable[Sequence[SitePart]], testbeds: Sequence[TestbedKind], events: Events,
    prefixes: tuple[Path, ...] = (), launcher_arguments: tuple[str, ...] = (), *, relayed: bool = False,
    encrypted: bool = False,
) -> tuple[JoinedVariant, ...]:  # fmt: skip
    """Return these joined jobs of a program, ready to be started on all these testbeds.

    Raises InputError for what cannot be joined, as one program for each MPI.
    """
    variants = []
    for parts in several:
        if program.build or MPI in program.arguments[0]:
            raise InputError(
                "a joined job has one program for all sites, and this one is another for each MPI",
                "compile it once for the standard ABI (mpicc_abi), and leave out --build and {mpi}",
            )
        request = JoinRequest(
            program.arguments, tuple(parts), launcher_arguments=launcher_arguments, prefixes=prefixes,
            prefixed=False, relayed=relayed, encrypted=encrypted,
        )  # fmt: skip
        variants.append(
            JoinedVariant(
                {testbed.name: prepare(replace(request, testbed=testbed), events) for testbed in testbeds}
            )
        )
    return tuple(variants)


def stored(
    program: Program, implementations: Iterable[Implementation], testbeds: Sequence[TestbedKind], events: Events,
    plan: Plan, *, relayed: bool, encrypted: bool,
) -> tuple[JoinedVariant, ...]:  # fmt: skip
    """Return those among the implementations of a stored run, found anew."""
    names = [parts_of(implementation.id) for implementation in implementations if implementation.family == FAMILY]
    return prepared(
        program, names, testbeds, events, launcher_arguments=plan.launcher_arguments, relayed=relayed,
        encrypted=encrypted,
    )  # fmt: skip


def not_merely_parts(implementations: Sequence[Implementation], cells: Iterable[Cell]) -> list[Implementation]:
    """Return those of a run without the ones of which joined jobs consist and that are not measured alone."""
    measured = {cell.implementation for cell in cells}
    is_joined = any(implementation.family == FAMILY for implementation in implementations)
    return [implementation for implementation in implementations if not is_joined or implementation.id in measured]


def ranks_of(jobs: Iterable[Sequence[SitePart]], wanted_ranks: tuple[int, ...]) -> tuple[int, ...]:
    """Return the numbers of ranks of all variants: those of the joined jobs. Raises InputError if they differ."""
    counts = tuple(dict.fromkeys(sum(part.ranks for part in parts) for parts in jobs))
    if counts and (len(counts) > 1 or not set(wanted_ranks) <= set(counts)):
        several = " and ".join(str(count) for count in dict.fromkeys((*counts, *wanted_ranks)))
        raise InputError(
            f"{several} ranks cannot be compared: different problems",
            "give all joined jobs as many ranks, and leave out -n",
        )
    return counts or wanted_ranks


def launch(
    variant: JoinedVariant, launching: Launching, workload: Workload, cells: Sequence[Cell], plan: Plan,
    seconds_per_cell: float = 0.0, *, verifying: bool = False, informed: Callable[[Job], Job] = lambda job: job,
) -> Launch:  # fmt: skip
    """Start the workload's program once on all sites of the joined job, and return what came of it.

    `informed` adds to each site's job what the program has to know before its arguments. Every failure is in the
    record.
    """
    joining = variant.joinings[cells[0].testbed]
    each = zip(joining.request.parts, joining.implementations, strict=True)
    segments = tuple(
        Segment(implementation.id, part.ranks, plain(implementation).id, joining.program[0])
        for part, implementation in each
    )
    try:
        with joining.start() as (jobs, combine):
            parts = [
                LaunchPart(
                    implementation, plain(implementation),
                    workload.arm(informed(job), cells, plan, seconds_per_cell, verifying=verifying),
                )
                for implementation, job in zip(joining.implementations, jobs, strict=True)
            ]  # fmt: skip
            return launching.start(parts, cells, settings_of(cells[0].options), workload, combine)
    except (HostError, InputError) as error:
        return refused(segments, cells, told(error), "failed")
