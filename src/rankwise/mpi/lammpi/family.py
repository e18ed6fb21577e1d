"""LAM/MPI 7: a daemon on each host, booted before the job and halted after it.

It refuses to run as root, so as root everything runs as `nobody`. Each launch has a folder of its own on every
host: it holds the session (two at once do not meet) and copies of what runs (which may lie where only root can
read). Hosts may share the file system: what is done everywhere is right whether or not another did it before.
"""

from __future__ import annotations

import os
import re
import secrets
import shlex
import tempfile
from collections.abc import Sequence
from pathlib import Path

from rankwise.core.errors import HostError
from rankwise.core.jobs import Command, Job, LaunchSteps
from rankwise.core.records import Environment, Implementation
from rankwise.core.tuning import Knob, Native, ReadBack, Tuning
from rankwise.mpi import preload
from rankwise.mpi.family import Ask, Family, files_of
from rankwise.mpi.lammpi import settings

NOBODY = 65534
_CLOSED = (
    "warning: as root LAM/MPI runs programs as nobody, which may not enter {}: this one begins in a folder of "
    "its own; start it in a folder that others may enter, or as an ordinary user"
)
_VERSION = re.compile(r"LAM/MPI: (\S+)")
_PREPARE = (
    'umask 077; folder=$1; shift; here=$(uname -n); mkdir "$folder" 2>/dev/null && { [ -z "$0" ] || '
    f'chown -h {NOBODY}:{NOBODY} "$folder"; }}; [ ! -L "$folder" ] && [ -d "$folder" ] && $0 test -O "$folder" || '
    '{ echo "$folder cannot be made, or another user has made it" >&2; exit 1; }; for file; do $0 sh -c '
    '\'cat >"$0.$1" && chmod 700 "$0.$1" && mv -f "$0.$1" "$0"\' '
    '"$folder/${file##*/}" "$here" <"$file" || exit; done'
)
"""Makes the folder $1, and copies the other arguments into it as the user of the ranks, whose links root would
follow otherwise; $0: the words that make a command that user's, if any."""
_HALT = (
    'here=$(uname -n); for session in lam-*@"$here"-*; do [ -d "$session" ] || continue; '
    'cat "$session/lam-registry" | while read -r kind id; do ipcrm "-$kind" "$id"; done; '
    'kill -KILL "$(cat "$session/lam-killfile")"; rm -rf "$session"; done; '
    'ls -d lam-*@* >/dev/null 2>&1 || rm -rf "$0"'
)
"""Does at once what lamhalt needs three seconds for: remove System V objects that the job left, end the daemon,
which would take a second to end by itself. The last host to do so removes the folder $0."""
_AGENT = """#!/bin/sh
host=$1
shift
[ "$1" = -n ] && shift
exec {remote_shell} "$host" "{variables}; $*" </dev/null
"""
"""What LAM/MPI reaches other hosts with: it tells its daemons there neither the folder nor what to load."""
_RPI = re.compile(r"selected RPI module (\w+)")


class LamMpi(Family):
    """LAM/MPI is the ancestor of Open MPI: MPI-1 and most of MPI-2."""

    name = "lammpi"
    title = "LAM/MPI"
    compilers = ("mpicc", "mpicc.lam")
    launchers = ("mpirun",)  # its mpiexec boots by itself and cannot be told where
    debian_packages = ("lam-runtime", "lam4-dev")
    variables = ("LAM_",)
    probe = ("-ssi", "rpi_verbose", "level:1")

    def rank_user(self) -> int:
        """Return that of `nobody` for root's jobs."""
        return NOBODY if _is_root() else os.geteuid()

    def identify(self, compiler: Path, ask: Ask) -> str:
        """Recognise a wrapper that links liblam; laminfo beside it knows the version."""
        if "-llam" not in ask(compiler, "-showme").split():
            return ""
        match = _VERSION.search(ask(compiler.with_name("laminfo"), "-version", "lam", "full"))
        return match[1] if match else "unknown"

    def transports(self, output: str) -> tuple[str, ...]:
        """Return the RPI module."""
        return tuple(dict.fromkeys(_RPI.findall(output)))

    def steps(self, implementation: Implementation, job: Job) -> LaunchSteps:
        """Make the folder and the boot schema, boot, run, halt, remove the folder. LAM's ranks block.

        Programs begin in the user's folder; with a warning in the launch's own if `nobody` may not enter that.
        Raises HostError where `nobody` would have to use a remote shell that is root's own.
        """
        if _is_root() and job.remote_shell and not _is_open(Path(job.remote_shell)):
            raise HostError(
                f"as root LAM/MPI runs as nobody, which may not use {job.remote_shell}",
                "measure LAM/MPI on these hosts as an ordinary user",
            )
        folder = session_folder()
        mend = preload.build(Path(__file__).with_name("vectors.c"), implementation)
        files = files_of(job, mend)
        mended, hosts, agent = str(folder / mend.name), str(folder / "hosts"), str(folder / "agent")
        program = [_copied(word, files, folder) for word in job.program]
        names = list(dict.fromkeys(job.hosts)) or ["localhost"]
        schema = [f"{name} cpu={job.hosts.count(name) or job.ranks}" for name in names]
        environment = preload.loading(Path(mended), _with_copies(job.environment, job.files, folder))
        inside = (("LAM_MPI_SESSION_PREFIX", str(folder)), ("LD_PRELOAD", mended))
        session = (
            ("HOME", str(folder)),
            ("LAM_MPI_SESSION_SUFFIX", folder.name),
            *inside,
            *((("LAMRSH", agent),) if job.remote_shell else ()),
        )
        boot = [str(Path(implementation.mpiexec).with_name("lamboot")), *(["-x"] if job.hosts else []), hosts]
        start = [
            implementation.mpiexec, "-w", *_ranks(job, names), "-x", ",".join(name for name, _ in environment),
            *job.launcher_arguments, *program,
        ]  # fmt: skip
        enters = _is_open(Path(job.folder) if job.folder else Path.cwd())
        if job.folder and not enters:
            start = ["sh", "-c", 'echo "$0" >&2; exec "$@"', _CLOSED.format(job.folder), *start]
        return LaunchSteps(
            everywhere=(Command(("sh", "-c", _PREPARE, shlex.join(_user()), str(folder), *files)),),
            before=(
                _written(hosts, schema),
                *((_written(agent, [_agent(job.remote_shell, inside)], "755"),) if job.remote_shell else ()),
                _as_user(folder, boot, session),
            ),
            main=_as_user("" if enters else folder, start, (*session, *environment)),
            everywhere_after=(_as_user(folder, ["sh", "-c", _HALT, str(folder)], ()),),
            yielding="blocks by itself" if job.oversubscribed else "",
            files=files,
        )

    def knobs(self, implementation: Implementation) -> tuple[Knob, ...]:
        """Return what of this version can be set. Raises HostError where laminfo does not answer."""
        return settings.knobs(implementation)

    def native(self, implementation: Implementation, tuning: Tuning) -> Native:
        """Return `tuning` as variables. Raises InputError for what this version does not have."""
        return settings.native(implementation, tuning)

    def reporting(self, implementation: Implementation) -> Native:
        """Make every rank's transport module report its sizes."""
        return Native(arguments=settings.REPORTING)

    def read_back(self, implementation: Implementation, output: str) -> ReadBack:
        """Return the module and the sizes in force."""
        return settings.read_back(output)


def _with_copies(environment: Environment, files: Sequence[str], folder: Path) -> Environment:
    """The variables with the copies in `folder` in place of these files, which `nobody` may not read."""
    copies = {file: str(folder / Path(file).name) for file in files}
    return tuple(
        (name, ":".join(copies.get(path, path) for path in value.split(":"))) for name, value in environment
    )


def _copied(word: str, files: Sequence[str], folder: Path) -> str:
    """The word of a command line with the copy of a file in place of the file: `FILE` or `NAME=FILE`."""
    name, equals, path = word.rpartition("=")
    return f"{name}{equals}{folder / Path(path).name}" if path in files else word


def _ranks(job: Job, names: list[str]) -> list[str]:
    """`-np 4`, or the node of each rank in turn, `n0,1,1,0`: numbers as in the boot schema."""
    if not job.hosts:
        return ["-np", str(job.ranks)]
    return ["n" + ",".join(str(names.index(host)) for host in job.hosts)]


def _agent(remote_shell: str, variables: Environment) -> str:
    exported = "; ".join(f"export {name}={value}" for name, value in variables)
    return _AGENT.format(remote_shell=remote_shell, variables=exported)


def _written(path: str, lines: list[str], mode: str = "644") -> Command:
    return Command((*_user(), "sh", "-c", 'printf "%s\\n" "$@" >"$0" && chmod ' + mode + ' "$0"', path, *lines))


def session_folder() -> Path:
    """Return a new name for the folder of one launch; nothing is made yet."""
    return Path(tempfile.gettempdir()) / f"rankwise-lam-{secrets.token_hex(4)}"


def _is_root() -> bool:
    return os.geteuid() == 0


def _is_open(place: Path) -> bool:
    """Whether anyone may run this program or enter this folder.

    What is only on other hosts is reached with root's keys, and is not open.
    """
    real = place.resolve()
    try:
        return all(path.stat().st_mode & 0o001 for path in (place, *place.parents, real, *real.parents))
    except OSError:
        return False


def _as_user(folder: Path | str, argv: list[str], environment: Environment) -> Command:
    """`argv` in the folder (where it is started, if that is ''), and if we are root as an unprivileged user."""
    there = ("env", "-C", str(folder)) if folder else ()
    return Command((*_user(), *there, *argv), environment)


def _user() -> tuple[str, ...]:
    return ("setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups") if _is_root() else ()
