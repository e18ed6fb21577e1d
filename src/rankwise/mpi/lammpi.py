"""LAM/MPI 7: a daemon on each host, booted before the job and halted after it.

It refuses to run as root, so as root everything runs as `nobody`, in a folder of its own that holds the session
(two at once do not meet) and copies of what runs (which may lie where only root can read).
"""

from __future__ import annotations

import os
import re
import secrets
import tempfile
from pathlib import Path

from rankwise.core.records import Command, Environment, Implementation, Job, LaunchSteps
from rankwise.mpi import preload
from rankwise.mpi.family import Ask, Family, host_slots

NOBODY = 65534
_VERSION = re.compile(r"LAM/MPI: (\S+)")
_HALT_HERE = (
    'cat lam-*/lam-registry | while read kind id; do ipcrm "-$kind" "$id"; done; '
    'kill -KILL "$(cat lam-*/lam-killfile)"'
)
"""Does at once what lamhalt needs three seconds for: remove System V objects that the job left, end the daemon,
which would take a second to end by itself."""
_RPI = re.compile(r"selected RPI module (\w+)")


class LamMpi(Family):
    """LAM/MPI, the ancestor of Open MPI: MPI-1 and most of MPI-2."""

    name = "lammpi"
    title = "LAM/MPI"
    compilers = ("mpicc", "mpicc.lam")
    launchers = ("mpirun",)  # its mpiexec boots by itself and cannot be told where
    debian_packages = ("lam-runtime", "lam4-dev")
    probe = ("-ssi", "rpi_verbose", "level:1")

    def identify(self, compiler: Path, ask: Ask) -> str:
        """A wrapper that links liblam is LAM's; laminfo beside it knows the version."""
        if "-llam" not in ask(compiler, "-showme").split():
            return ""
        match = _VERSION.search(ask(compiler.with_name("laminfo"), "-version", "lam", "full"))
        return match[1] if match else "unknown"

    def transports(self, output: str) -> tuple[str, ...]:
        """The RPI module."""
        return tuple(dict.fromkeys(_RPI.findall(output)))

    def steps(self, implementation: Implementation, job: Job) -> LaunchSteps:
        """Make the folder and the boot schema, boot, run, halt, remove the folder. LAM's ranks block."""
        folder = session_folder()
        program = str(folder / Path(job.program[0]).name)
        mended, hosts = str(folder / "vectors.so"), str(folder / "hosts")
        schema = host_slots(job.hosts, " cpu=") or [f"localhost cpu={job.ranks}"]
        owner = ("-o", str(NOBODY), "-g", str(NOBODY)) if _is_root() else ()
        environment = preload.loading(Path(mended), job.environment)
        session = (
            ("HOME", str(folder)),
            ("LAM_MPI_SESSION_PREFIX", str(folder)),
            ("LAM_MPI_SESSION_SUFFIX", folder.name),
            ("LD_PRELOAD", mended),
            *((("LAMRSH", job.remote_shell),) if job.remote_shell else ()),
        )
        tool = Path(implementation.mpiexec).with_name
        boot = [str(tool("lamboot")), *(["-x"] if job.hosts else []), hosts]
        halt = [str(tool("lamhalt"))] if job.hosts else ["sh", "-c", _HALT_HERE]
        start = [
            implementation.mpiexec, "-w", "-np", str(job.ranks), "-x", ",".join(name for name, _ in environment),
            *job.launcher_arguments, program, *job.program[1:],
        ]  # fmt: skip
        library = str(preload.build("lammpi_vectors.c", implementation))
        return LaunchSteps(
            before=(
                Command(("install", "-d", "-m", "700", *owner, str(folder))),
                Command(("install", "-m", "755", job.program[0], program)),
                Command(("install", "-m", "755", library, mended)),
                Command(("sh", "-c", 'printf "%s\\n" "$@" >"$0"', hosts, *schema)),
                _as_user(folder, boot, session),
            ),
            main=_as_user(folder, start, (*session, *environment)),
            after=(
                _as_user(folder, halt, session),
                Command(("rm", "-rf", str(folder))),
            ),
            yielding="blocks by itself" if job.oversubscribed else "",
        )


def session_folder() -> Path:
    """A new name for the folder of one launch; nothing is made yet."""
    return Path(tempfile.gettempdir()) / f"rankwise-lam-{secrets.token_hex(4)}"


def _is_root() -> bool:
    return os.geteuid() == 0


def _as_user(folder: Path, argv: list[str], environment: Environment) -> Command:
    """`argv` in the folder, and if we are root as an unprivileged user."""
    user = ("setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups") if _is_root() else ()
    return Command((*user, "env", "-C", str(folder), *argv), environment)
