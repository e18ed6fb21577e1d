"""One job of the user's own, by any implementation, on any testbed."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from rankwise.core import process
from rankwise.core.errors import HostError, InputError
from rankwise.core.jobs import Outcome
from rankwise.core.mapped_libraries import Mapped, Watch
from rankwise.core.records import Implementation
from rankwise.core.tuning import Loaded
from rankwise.measurement.job import build_job
from rankwise.mpi import clients, select
from rankwise.mpi.family import FamilyLauncher
from rankwise.testbeds.base import TestbedKind
from rankwise.testbeds.local import LocalTestbed
from rankwise.workflows import abi
from rankwise.workflows.configurations import ProfileChoice, loader, not_applied, resolve
from rankwise.workflows.events import Events, warn
from rankwise.workflows.host_settings import applied_settings
from rankwise.workflows.overlay import OverlayChoice, overlaid

_FIRST_LOOK_SECONDS = 0.05
"""At what the ranks have loaded: nothing is measured here, and the job may be over soon."""


@dataclass(frozen=True, slots=True)
class Route:
    """Which MPI's functions a program calls, and which MPI carries them out."""

    implementation: Implementation
    """Carries them out, and starts the program."""
    standard: bool = False
    """Calls go by way of the standard ABI."""
    own: Implementation | None = None
    """Whose functions are called then, if not the standard's."""

    @property
    def called(self) -> Implementation | None:
        """Return whose functions the program calls; None: the standard ABI's."""
        return self.own if self.standard else self.implementation


@dataclass(frozen=True, slots=True)
class RunRequest:
    """What is to be run, and where."""

    program: tuple[str, ...]
    ranks: int = 0
    """0: one a slot of the testbed."""
    implementation: str = ""
    """'': the one that the program is linked with; `any`: the first that can run it."""
    testbed: TestbedKind = field(default_factory=LocalTestbed)
    placement: str = "block"
    profile: ProfileChoice = field(default=ProfileChoice())
    overlay: OverlayChoice = field(default=OverlayChoice())
    force: bool = False
    """Load of the profile what this version of the MPI knows."""
    launcher_arguments: tuple[str, ...] = ()
    limit_seconds: float = 86400.0
    prefixes: tuple[Path, ...] = ()
    standard_abi: bool = False
    """Calls go through the standard ABI also where they need not; a program of which nothing shows is of it."""
    linked_to: str = ""
    """The MPI whose functions the program calls, where that does not show: Python, which loads its MPI later."""
    more: Callable[[Loaded, Route, Path], Loaded] = lambda loaded, *_: loaded
    """Adds to what the program loads."""


def run(request: RunRequest, events: Events) -> int:
    """Start the program with this process's own input and output, and return its exit code.

    Raises InputError for a program or implementation that is not there, HostError if the testbed breaks down or
    the time is over.
    """
    implementation = _implementation(request, events)
    program = program_of(request.program, Path(implementation.mpiexec).parent)
    standard, own = _led(request, Path(program[0]), implementation)
    if standard and request.overlay.table:
        raise InputError(
            f"{Path(program[0]).name} is to run through the standard ABI, and the overlay is for programs "
            "linked to the MPI that starts them",
            f"leave out --overlay, or compile the program with {implementation.mpicc}",
        )
    testbed = request.testbed
    ranks = request.ranks or sum(host.slots for host in testbed.hosts())
    configuration, notices = resolve(
        request.profile, implementation, testbed.topology(), ranks=ranks, force=request.force
    )
    around = abi.surroundings(implementation, own, os.environ)
    if own and own != implementation:
        events.say(
            f"{Path(program[0]).name} is linked against {own.id}; its calls are executed by {implementation.id}"
        )
    warn(events, *around.notices, *notices, *not_applied(configuration, request.profile, testbed))
    with events.busy(f"bringing up {testbed.name}"):
        testbed.up()
    try:
        loaded = loader(testbed)(configuration)
        loaded = replace(loaded, environment=(*around.environment, *loaded.environment))
        if standard:
            abi.built(implementation, events, own)
            loaded = abi.loading(loaded, Path(program[0]), implementation, own)
        loaded = overlaid(loaded, request.overlay, implementation, testbed, Path(program[0]), ranks)
        loaded = request.more(loaded, Route(implementation, standard, own), Path(program[0]))
        job = build_job(
            testbed, program, ranks, placement=request.placement, loaded=loaded,
            arguments=request.launcher_arguments, folder=str(Path.cwd()),
        )  # fmt: skip
        steps = FamilyLauncher().steps(implementation, job)
        settings = applied_settings(testbed, loaded.host_settings)
        steps = replace(steps, attached=True, settings=settings)
        refusal = _Refusal(implementation, own)
        with Watch(testbed.mapped, refusal, _FIRST_LOOK_SECONDS, testbed.given) as watch:
            outcome = testbed.run(steps, job.hosts, request.limit_seconds)
    finally:
        testbed.down()
    if not outcome.broken and (unlike := clients.unlike([job], watch.given)):
        raise HostError(unlike, f"check how {implementation.id} starts ranks there, and run it again")
    if not outcome.broken:
        wrong, said = clients.judge(implementation, watch.found, own)
        if wrong:
            raise HostError(
                wrong, f"build it with {implementation.mpicc}, or start it with the MPI that it loads: --mpi"
            )
        warn(events, *said)
    return exit_code(outcome, request.limit_seconds, events)


def exit_code(outcome: Outcome, limit_seconds: float, events: Events) -> int:
    """Return a job's exit code, and say what was seen of it. Raises HostError if it did not end by itself."""
    if outcome.broken:
        raise HostError(f"the testbed broke down during the run: {outcome.broken}", "run it again")
    warn(events, *outcome.notices)
    if outcome.timed_out:
        raise HostError(
            f"timed out after {limit_seconds:g} s: ended with all its processes", "give a longer --limit"
        )
    if outcome.stderr and outcome.returncode:  # a step before the launcher failed, whose output nobody has seen
        events.say(outcome.stderr.rstrip())
    return outcome.returncode


class _Refusal:
    """Ends a job whose ranks have loaded another MPI than the launcher's: it would run on for nothing."""

    def __init__(self, implementation: Implementation, besides: Implementation | None) -> None:
        self._implementation, self._besides = implementation, besides

    def __call__(self, mapped: Mapped) -> None:
        wrong, _ = clients.judge(self._implementation, mapped, self._besides)
        if wrong:
            process.end_processes([int(name) for name in mapped if name.isdigit()])


def program_of(arguments: tuple[str, ...], own_folder: Path | None = None) -> tuple[str, ...]:
    """Return the program with its full path: it is started in other folders, perhaps on other hosts.

    Programs that come with the implementation, in its `own_folder`, are found there unless PATH has one. Raises
    InputError if there is none.
    """
    if not arguments:
        raise InputError("no program given", "add it after `--`: rankwise run -n 4 -- ./app")
    path = shutil.which(arguments[0]) or (own_folder and shutil.which(arguments[0], path=str(own_folder)))
    if not path:
        raise InputError(f"program not found: {arguments[0]}", "check the path, and that it is executable")
    return (str(Path(path).absolute()), *arguments[1:])


def _led(request: RunRequest, program: Path, implementation: Implementation) -> tuple[bool, Implementation | None]:
    """Whether calls go through the standard ABI, and whose functions the program calls if not that one's."""
    if abi.is_standard(program):
        return True, None
    if not (request.standard_abi or request.linked_to or abi.is_of_another(program, implementation)):
        return False, None
    return True, abi.linked_to(program, implementation, request.prefixes, request.linked_to)


def _implementation(request: RunRequest, events: Events) -> Implementation:
    name = "" if request.implementation == abi.ANY else request.implementation
    program = Path() if name else Path(program_of(request.program)[0])
    with events.busy("looking for MPI implementations") as update:
        implementations, _ = select.working(
            [name] if name else [], request.prefixes, lambda mpi_name: update(f"testing that {mpi_name} works")
        )
    meant = implementations if name else select.linked_with(program, implementations)
    if request.implementation == abi.ANY:
        return _first(program, meant or select.able_to_run(program, implementations))
    if len(meant) == 1:
        return meant[0]
    known = ", ".join(implementation.id for implementation in (meant or implementations))
    if name:
        raise InputError(f"'{name}' could be any of {known}", "name one of them with --mpi")
    if request.standard_abi or abi.is_standard(program):
        raise InputError(
            f"{program.name} is of the standard ABI, which any MPI can run", f"give --mpi any, or one of: {known}"
        )
    raise InputError(f"{program.name} does not show which MPI it was built with", f"name one with --mpi: {known}")


def _first(program: Path, able: Sequence[Implementation]) -> Implementation:
    if not able:
        raise InputError(
            f"{program.name} is linked against {select.asks_for(program)}, which no installed MPI provides",
            "install that one, or compile the program for the standard ABI (mpicc_abi of MPICH 5)",
        )
    return able[0]
