"""One job of the user's own over several sites, each with an MPI of its own."""

from __future__ import annotations

import contextlib
import os
import re
import secrets
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from rankwise.artifacts.abi import encryption
from rankwise.core import private
from rankwise.core.errors import HostError, InputError, UnknownNameError
from rankwise.core.jobs import Host, Job, LaunchSteps
from rankwise.core.mapped_libraries import Watch
from rankwise.core.ports import free_port
from rankwise.core.records import Implementation
from rankwise.core.tuning import Loaded
from rankwise.core.units import short
from rankwise.measurement.job import build_job, joined
from rankwise.measurement.placement import ON_HOSTS, place
from rankwise.mpi import clients, preload, select
from rankwise.mpi.family import FamilyLauncher
from rankwise.testbeds.base import TestbedKind
from rankwise.testbeds.local import LocalTestbed
from rankwise.workflows import abi
from rankwise.workflows.events import Events, warn
from rankwise.workflows.relays import Relays, at_home, relays_of
from rankwise.workflows.run import Route, exit_code, program_of

MEETING_SECONDS = 60.0
"""How long processes of one site wait for those of the others to start."""
MOST_RANKS = 10_000
"""Each has a connection to each of the other sites'."""
TURNS = "oversubscribed, times mean little"
"""Of ranks that share cores."""
_LOOPBACK = "127.0.0.1"
_PART = re.compile(r"(?P<site>[A-Za-z0-9][\w.-]*)=(?P<mpi>[\w.-]+):(?P<ranks>[0-9]{1,18})")


@dataclass(frozen=True, slots=True)
class SitePart:
    """A site's part of a joined job, as the user names it."""

    site: str
    implementation: str
    ranks: int


@dataclass(frozen=True, slots=True)
class JoinRequest:
    """What is to be run, and where."""

    program: tuple[str, ...]
    parts: tuple[SitePart, ...]
    testbed: TestbedKind = field(default_factory=LocalTestbed)
    launcher_arguments: tuple[str, ...] = ()
    limit_seconds: float = 86400.0
    prefixes: tuple[Path, ...] = ()
    standard_abi: bool = False
    """The program is of the standard ABI even if that does not show."""
    prefixed: bool = True
    """Each line of output begins with its site."""
    linked_to: str = ""
    """The MPI whose calls the program makes, where that does not show."""
    relayed: bool = False
    """Sites reach one another by their relays alone, which run on the first host of each."""
    encrypted: bool = False
    """Processes of different sites encrypt what they send to one another."""
    progress_thread: bool = False
    """Each process has a thread by which messages make progress while the program computes."""
    representation: str = ""
    """Of data between sites: auto, native or external32; empty: as the environment says, or auto."""
    more: Callable[[Loaded, Route, Path], Loaded] = lambda loaded, *_: loaded
    """Adds to what the program loads on each site."""


def parts_of(text: str) -> tuple[SitePart, ...]:
    """Read `rennes=openmpi-5:4,nancy=mpich-5:4`. Raises InputError."""
    parts = []
    for word in text.split(","):
        match = _PART.fullmatch(word.strip())
        if match is None or not int(match["ranks"]):
            raise InputError(
                f"'{short(word)}' is not a part of a joined job",
                "write SITE=MPI:RANKS, such as rennes=openmpi-5:4",
            )
        parts.append(SitePart(match["site"], match["mpi"], int(match["ranks"])))
    twice = [name for name, count in Counter(part.site for part in parts).items() if count > 1]
    if twice:
        raise InputError(f"site {twice[0]} is named twice", "give each site one MPI and all its ranks")
    if sum(part.ranks for part in parts) > MOST_RANKS:
        raise InputError("too many ranks", f"all sites of a joined job have at most {MOST_RANKS} together")
    return tuple(parts)


@dataclass(frozen=True, slots=True)
class Joining:
    """A joined job that can be started, also several times: all that it loads is there."""

    request: JoinRequest
    program: tuple[str, ...]
    implementations: tuple[Implementation, ...]
    """Each site's."""
    owns: tuple[Implementation | None, ...]
    """The MPI whose functions the program calls, as each site has it; None: the standard ABI."""
    placed: tuple[tuple[str, ...], ...]
    """The host of each rank, site by site."""

    @property
    def routes(self) -> tuple[Route, ...]:
        """Which MPI's functions the program calls on each site, and which MPI carries them out."""
        each = zip(self.implementations, self.owns, strict=True)
        return tuple(Route(implementation, standard=True, own=own) for implementation, own in each)

    @property
    def hosts(self) -> tuple[str, ...]:
        """The host of each rank, in the order of MPI_COMM_WORLD."""
        return tuple(name for names in self.placed for name in names)

    @contextlib.contextmanager
    def start(self) -> Iterator[tuple[list[Job], Callable[[Sequence[LaunchSteps]], LaunchSteps]]]:
        """Yield the job of each site, and what makes one launch of theirs; the testbed is up.

        What the launch reads is there within. Raises HostError for relays that are not there.
        """
        request, testbed = self.request, self.request.testbed
        crowded = testbed.oversubscribed(self.hosts)
        key = secrets.token_hex(16)
        with _relays(request, self.placed, key) as relays, private.secret(f"{key}\n") as key_file:
            jobs = [replace(job, oversubscribed=crowded) for job in _jobs(self, relays, key_file)]

            def combine(several: Sequence[LaunchSteps]) -> LaunchSteps:
                if request.relayed:
                    several = [
                        at_home(testbed, site_steps, hosts[0])
                        for site_steps, hosts in zip(several, self.placed, strict=True)
                    ]
                names = [part.site for part in request.parts]
                steps = joined(several, names, prefixed=request.prefixed, relays=relays.commands)
                return replace(steps, files=(*steps.files, *relays.files))

            yield jobs, combine


def prepare(request: JoinRequest, events: Events) -> Joining:
    """Find what the job needs, and compile what is not there yet.

    Raises InputError for a program, site or implementation that is not there or cannot be joined, HostError,
    BuildError.
    """
    if request.encrypted:
        with events.busy("compiling what encrypts (kept for next time)"):
            encryption.build()
    program = program_of(request.program)
    _check_program(request, Path(program[0]))
    implementations = _implementations(request, events)
    placed = _placed(request)
    called = Path(program[0])
    owns = [abi.linked_to(called, mpi, request.prefixes, request.linked_to) for mpi in implementations]
    for implementation, own in dict.fromkeys(zip(implementations, owns, strict=True)):
        abi.built(implementation, events, own)
    return Joining(request, program, tuple(implementations), tuple(owns), tuple(placed))


def run_joined(request: JoinRequest, events: Events) -> int:
    """Start the program on all sites with this process's own input and output, and return its exit code.

    Raises InputError for a program, site or implementation that is not there or cannot be joined, HostError if the
    testbed breaks down or the time is over.
    """
    return run_prepared(prepare(request, events), events)


def run_prepared(joining: Joining, events: Events) -> int:
    """Do the same for what is prepared already. Raises HostError as `run_joined` does."""
    warn(events, *crowded(joining))
    request, testbed = joining.request, joining.request.testbed
    with events.busy(f"bringing up {testbed.name}"):
        testbed.up()
    try:
        with joining.start() as (jobs, combine):
            launcher = FamilyLauncher()
            several = [
                launcher.steps(implementation, job)
                for implementation, job in zip(joining.implementations, jobs, strict=True)
            ]
            steps = replace(combine(several), attached=True)
            with Watch(testbed.mapped, given=testbed.given) as watch:
                outcome = testbed.run(steps, joining.hosts if jobs[0].hosts else (), request.limit_seconds)
    finally:
        testbed.down()
    if not outcome.broken and (unlike := clients.unlike(jobs, watch.given)):
        raise HostError(unlike, "check how the MPIs of the sites start ranks there, and run it again")
    return exit_code(outcome, request.limit_seconds, events)


def _check_program(request: JoinRequest, program: Path) -> None:
    if reason := preload.ignored_by(program):
        raise InputError(
            f"{program.name} {reason}: the loader ignores LD_PRELOAD, and with it what joins the sites",
            "link it dynamically, and install it without special rights",
        )
    if not (request.standard_abi or request.linked_to or select.asks_for(program)):
        raise InputError(
            f"{program.name} is not visibly linked to an MPI, so it is unclear whose functions it calls",
            "for Python, give what its mpi4py was built for: --abi, the standard ABI; --linked-to MPI, that one",
        )


def _implementations(request: JoinRequest, events: Events) -> list[Implementation]:
    """Each site's. Raises InputError if a name means several."""
    by_name = {}
    with events.busy("looking for MPI implementations") as update:
        for name in dict.fromkeys(part.implementation for part in request.parts):
            meant, _ = select.working(
                [name], request.prefixes, lambda mpi_name: update(f"testing that {mpi_name} works")
            )
            if len(meant) > 1:
                raise InputError(
                    f"'{name}' could be any of {', '.join(implementation.id for implementation in meant)}",
                    "name one of them",
                )
            by_name[name] = meant[0]
    return [by_name[part.implementation] for part in request.parts]


def _placed(request: JoinRequest) -> list[tuple[str, ...]]:
    """The host of each rank, site by site; on this host alone, sites are but names."""
    hosts = request.testbed.hosts()
    if request.testbed.topology() is None:
        return [(hosts[0].name,) * part.ranks for part in request.parts]
    return [place("block", _hosts_of(part.site, hosts), part.ranks) for part in request.parts]


def crowded(joining: Joining) -> Iterator[str]:
    """Yield a word on each site with more ranks than slots, or on this host where all sites are on it."""
    request, placed = joining.request, joining.placed
    hosts = request.testbed.hosts()
    groups: list[tuple[str, Sequence[Host], int]]
    if request.testbed.topology() is None:
        groups = [(hosts[0].name, hosts, sum(len(names) for names in placed))]
    else:
        groups = [
            (f"site {part.site}", _hosts_of(part.site, hosts), len(names))
            for part, names in zip(request.parts, placed, strict=True)
        ]
    for name, those, ranks in groups:
        if ranks > (slots := sum(host.slots for host in those)):
            yield f"{name} has {ranks} ranks on {slots} slot{'s' if slots > 1 else ''}: {TURNS}"


def _hosts_of(site: str, hosts: Sequence[Host]) -> list[Host]:
    site_hosts = [host for host in hosts if host.site == site]
    if not site_hosts:
        raise UnknownNameError("site", site, {host.site for host in hosts})
    return site_hosts


def _relays(
    request: JoinRequest, placed: Sequence[tuple[str, ...]], key: str
) -> contextlib.AbstractContextManager[Relays]:
    """Those of the job, if it is to have any."""
    if not request.relayed:
        return contextlib.nullcontext(Relays())
    local = request.testbed.topology() is None
    hosts = [_LOOPBACK if local else names[0] for names in placed]
    return relays_of(request.testbed, [part.site for part in request.parts], hosts, key)


def _jobs(joining: Joining, relays: Relays, key_file: Path) -> Iterator[Job]:
    """The job of each site, with what it loads."""
    request, program, placed = joining.request, joining.program, joining.placed
    meeting = _LOOPBACK if request.testbed.topology() is None else placed[0][0]
    where = f"{meeting}/{free_port()}"
    ranks = ",".join(str(part.ranks) for part in request.parts)
    names = ",".join(part.site for part in request.parts)
    for number, (route, hosts) in enumerate(zip(joining.routes, placed, strict=True)):
        implementation, own = route.implementation, route.own
        around = abi.surroundings(implementation, own, os.environ)
        loaded = abi.loading(Loaded(around.environment), Path(program[0]), implementation, own)
        by = "/{}/{}".format(*relays.places[number]) if relays.places else ""
        loaded = abi.joining(
            loaded, f"{where}/{number}/{ranks}/{names}/{MEETING_SECONDS:.0f}{by}",
            progress_thread=request.progress_thread, key_file=key_file, encrypted=request.encrypted,
            representation=request.representation,
        )  # fmt: skip
        loaded = request.more(loaded, route, Path(program[0]))
        yield build_job(
            request.testbed, program, len(hosts), placement=f"{ON_HOSTS}{'+'.join(hosts)}", loaded=loaded,
            arguments=request.launcher_arguments, folder=str(Path.cwd()),
        )  # fmt: skip
