"""What is started where, how, and how it ended: hosts, a job, the steps of a launch, an outcome; no behaviour."""

from __future__ import annotations

from dataclasses import dataclass, field

from rankwise.core.network import EmulatorFigures, LinkCounters, Settings
from rankwise.core.records import Environment, Notice


@dataclass(frozen=True, slots=True)
class Host:
    """A machine of a testbed. `slots` is how many ranks it takes before it is oversubscribed."""

    name: str
    slots: int
    site: str = ""


@dataclass(frozen=True, slots=True)
class Command:
    """One external command and the variables it gets on top of the caller's environment."""

    argv: tuple[str, ...]
    environment: Environment = ()


@dataclass(frozen=True, slots=True)
class LocalStart:
    """The launcher starts all processes on this host by itself."""


@dataclass(frozen=True, slots=True)
class RemoteShellStart:
    """The launcher reaches every host from every host by a program that is called like ssh."""

    program: str
    """Called as `PROGRAM HOST COMMAND...`."""


ProcessStart = LocalStart | RemoteShellStart
"""How a testbed wants processes to be started on its hosts."""


@dataclass(frozen=True, slots=True)
class Job:
    """What is to be started on how many ranks."""

    program: tuple[str, ...]
    ranks: int
    oversubscribed: bool = False
    hosts: tuple[str, ...] = ()
    """The host of each rank, in rank order. Empty: all on this one."""
    start: ProcessStart = field(default=LocalStart())
    environment: Environment = ()
    """Variables that every rank must see."""
    launcher_arguments: tuple[str, ...] = ()
    """Further arguments for mpiexec: the user's own (`--launcher`), or a profile's."""
    files: tuple[str, ...] = ()
    """Files of this host that every rank must find under the same path."""
    folder: str = ""
    """Where every rank has to begin: the user's own, for programs of theirs. '': it does not matter."""
    skips_fabrics: bool = False
    """Messages go by shared memory or TCP, for its hosts have nothing else: what looks for other networks may be
    left out, unless somebody has said what is to be looked for."""

    @property
    def remote_shell(self) -> str:
        """The program called like ssh that starts processes on the hosts; '' where they are started otherwise."""
        return self.start.program if isinstance(self.start, RemoteShellStart) else ""


@dataclass(frozen=True, slots=True)
class LaunchSteps:
    """A launch as data: what is run `before`, the launcher itself, what is run `after` in any case.

    `yielding` names how waiting ranks give up the core when oversubscribed, '' if they need not.
    """

    main: Command
    before: tuple[Command, ...] = ()
    after: tuple[Command, ...] = ()
    yielding: str = ""
    everywhere: tuple[Command, ...] = ()
    """Run on every host of the job before `before`: what must be there on each (folders, copies of files)."""
    everywhere_after: tuple[Command, ...] = ()
    """Run on every host of the job in any case, after `after`."""
    files: tuple[str, ...] = ()
    """Files of this host that the steps use: hosts that do not share its file system get copies."""
    settings: Settings = ()
    """Kernel settings that every host gets for this launch only."""
    attached: bool = False
    """The launcher has this process's own stdin, stdout and stderr; the outcome then has no words."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """How an external command ended. `finished_early`: it had said all and was ended by us while it hung."""

    command: str
    returncode: int
    stdout: str
    stderr: str
    seconds: float
    timed_out: bool = False
    finished_early: bool = False
    broken: str = ""
    """Why the testbed itself failed during the run (a node or the link emulator ended); '' if it did not."""
    links: tuple[LinkCounters, ...] = ()
    emulator: EmulatorFigures | None = None
    notices: tuple[Notice, ...] = ()
