"""Runs external commands: always with a time limit, never leaving a process behind.

Output goes to temporary files, not pipes: a daemon that keeps stdout open (lamd) cannot make us wait, and a
full pipe cannot make it wait. Every process started here carries MARK in its environment, so that descendants
which left the process group (orted, lamd, hydra proxies) are still found and ended by their id.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import select
import shlex
import signal
import subprocess
import tempfile
import time
import uuid
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO

import psutil

from rankwise.core.errors import HostError
from rankwise.core.jobs import Command, LaunchSteps, Outcome
from rankwise.core.records import Environment
from rankwise.core.signals import signals_wait

MARK = "RANKWISE_LAUNCH"
GRACE_SECONDS = 2.0
"""How long a process may take to end after SIGTERM, and a finished program after its last words."""

STEP_LIMIT_SECONDS = 30.0
"""For what is run before and after a launcher (lamboot, lamhalt)."""

_POLL_SECONDS = 0.2
_PR_SET_PDEATHSIG = 1
_libc = ctypes.CDLL(None, use_errno=True)


def command_line(command: Command) -> str:
    """Return the command as one would type it, variables first."""
    variables = [f"{name}={shlex.quote(value)}" for name, value in command.environment]
    return " ".join([*variables, shlex.join(command.argv)])


def run(
    argv: Sequence[str],
    limit_seconds: float,
    *,
    environment: Environment = (),
    end_marker: str = "",
    cwd: Path | None = None,
    mark: str = "",
    attached: bool = False,
) -> Outcome:
    """Run one command to its end, or to the limit, and return what it said.

    With `end_marker`, a program that has printed a line starting with it counts as finished: if it still runs
    GRACE_SECONDS later it is ended and `finished_early` is set. A `mark` shared by several calls leaves the
    descendants alive until `end_marked(mark)`. When `attached`, the program has this process's own stdin, stdout
    and stderr, and the outcome has no words. Raises HostError if the program cannot be started.
    """
    command = Command(tuple(argv), environment)
    own_mark = mark or new_mark()
    variables = {**os.environ, **dict(environment), MARK: own_mark}
    started = time.monotonic()
    with tempfile.TemporaryFile() as stdout, tempfile.TemporaryFile() as stderr:
        child: subprocess.Popen[bytes] | None = None
        try:
            with signals_wait():  # a child before its exec bears no mark: an interruption would lose it
                child = _start(argv, variables, cwd, None if attached else (subprocess.DEVNULL, stdout, stderr))
            timed_out, finished_early = _wait(child, started + limit_seconds, stdout, end_marker)
        finally:
            if child and child.poll() is None:
                _end_tree(child)
            if not mark:
                end_marked(own_mark)
        return Outcome(
            command=command_line(command),
            returncode=child.returncode,
            stdout=_read(stdout),
            stderr=_read(stderr),
            seconds=time.monotonic() - started,
            timed_out=timed_out,
            finished_early=finished_early,
        )


def _start(
    argv: Sequence[str],
    variables: dict[str, str],
    cwd: Path | None,
    streams: tuple[int, IO[bytes], IO[bytes]] | None,
) -> subprocess.Popen[bytes]:
    stdin, stdout, stderr = streams or (None, None, None)
    try:
        return subprocess.Popen(
            argv, stdin=stdin, stdout=stdout, stderr=stderr, env=variables, cwd=cwd,
            start_new_session=True, preexec_fn=die_with_parent,  # noqa: PLW1509 - one prctl, no lock taken
        )  # fmt: skip
    except OSError as error:
        raise HostError(
            f"cannot start {argv[0]}: {error.strerror}", "check that it is installed and executable"
        ) from error


def run_steps(steps: LaunchSteps, limit_seconds: float, end_marker: str = "") -> Outcome:
    """Run the steps, all on this host: before, the launcher, then in any case after; nothing is left running.

    A step before the launcher that fails is returned as the outcome, and the launcher is not started.
    """
    mark = new_mark()
    try:
        for command in (*steps.everywhere, *steps.before):
            outcome = run(command.argv, STEP_LIMIT_SECONDS, environment=command.environment, mark=mark)
            if outcome.returncode != 0:
                return outcome
        return run(
            steps.main.argv, limit_seconds, environment=steps.main.environment, end_marker=end_marker, mark=mark,
            attached=steps.attached,
        )  # fmt: skip
    finally:
        for command in (*steps.after, *steps.everywhere_after):
            run(command.argv, STEP_LIMIT_SECONDS, environment=command.environment, mark=mark)
        end_marked(mark)


def die_with_parent() -> None:
    """Ask the kernel, in a new child, for SIGTERM when this thread dies, even by kill -9.

    Launchers pass it on to their ranks.
    """
    _libc.prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)


def _wait(child: subprocess.Popen[bytes], deadline: float, stdout: IO[bytes], marker: str) -> tuple[bool, bool]:
    """Wait for the child; return (timed out, ended after its marker).

    Asleep on its pidfd, with few wake-ups: the cores belong to what is measured.
    """
    said_all_at: float | None = None
    descriptor = os.pidfd_open(child.pid)
    try:
        ended = select.poll()
        ended.register(descriptor, select.POLLIN)
        while not ended.poll(_POLL_SECONDS * 1000):
            now = time.monotonic()
            if marker and said_all_at is None and _has_line(stdout, marker):
                said_all_at = now
            if said_all_at is not None and now - said_all_at > GRACE_SECONDS:
                return False, True
            if now > deadline:
                return True, False
    finally:
        os.close(descriptor)
    child.wait()
    return False, False


def _has_line(stdout: IO[bytes], marker: str, tail_bytes: int = 4096) -> bool:
    size = os.fstat(stdout.fileno()).st_size
    start = max(0, size - tail_bytes)
    tail = os.pread(stdout.fileno(), tail_bytes, start)
    return (b"\n" + tail).rfind(b"\n" + marker.encode()) >= 0


def _read(stream: IO[bytes]) -> str:
    stream.seek(0)
    return stream.read().decode(errors="replace")


def _end_tree(child: subprocess.Popen[bytes]) -> None:
    """End a child, which may pass the signal on to its own, then whatever of these is still there."""
    descendants: list[int] = []
    with contextlib.suppress(psutil.NoSuchProcess):
        descendants = [descendant.pid for descendant in psutil.Process(child.pid).children(recursive=True)]
    child.terminate()
    try:
        child.wait(GRACE_SECONDS)
    except subprocess.TimeoutExpired:
        child.kill()
        child.wait()
    end_processes(descendants)


def new_mark() -> str:
    """Return a mark for one launch: with this process and its start, a later Rankwise can tell it is gone."""
    return f"{identity(os.getpid())}-{uuid.uuid4().hex}"


def identity(pid: int) -> str:
    """Return `PID-START`, START in clock ticks since boot: a pid alone is given to another process later, and a
    start in wall-clock time changes when the clock is set. Raises OSError if there is no such process.
    """
    return f"{pid}-{_stat(pid)[19]}"


def began() -> float:
    """Return when this process began, in seconds of the monotonic clock."""
    return time.monotonic() - (time.time() - psutil.Process().create_time())


def is_alive(owner: str) -> bool:
    """Return whether the process with this `identity` still runs (a zombie does not)."""
    try:
        pid = int(owner.partition("-")[0])
        return identity(pid) == owner and _stat(pid)[0] != "Z"
    except (OSError, ValueError):
        return False


def _stat(pid: int) -> list[str]:
    """The fields of /proc/PID/stat from the third (state) on; the second may contain spaces and brackets."""
    return Path(f"/proc/{pid}/stat").read_text(errors="replace").rpartition(")")[2].split()


def _marked(everywhere: bool) -> Iterator[tuple[int, str]]:
    """Every marked process, (pid, mark). Not `everywhere`: without those in containers and emulated nodes,
    whose marks may name owners by process ids that mean another process here.
    """
    here = Path("/proc/self/ns/pid").readlink()
    prefix = f"{MARK}=".encode()
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and int(entry.name) != os.getpid():
            with contextlib.suppress(OSError):
                if not everywhere and (entry / "ns" / "pid").readlink() != here:
                    continue
                for variable in (entry / "environ").read_bytes().split(b"\0"):
                    if variable.startswith(prefix):
                        yield int(entry.name), variable[len(prefix) :].decode()


def end_marked(mark: str) -> None:
    """End every process that descends from the calls made with this mark, also within emulated nodes."""
    end_processes([pid for pid, own_mark in _marked(everywhere=True) if own_mark == mark])


def own_descendants() -> list[int]:
    """Return the ids of all that descends from what this process has started, also within emulated nodes."""
    owner = f"{identity(os.getpid())}-"
    return [pid for pid, mark in _marked(everywhere=True) if mark.startswith(owner)]


def end_orphans() -> list[int]:
    """End what a Rankwise that was killed (kill -9) has left running; return the process ids."""
    orphans = []
    for pid, mark in _marked(everywhere=False):
        owner, _, _ = mark.rpartition("-")
        if not is_alive(owner):
            orphans.append(pid)
    end_processes(orphans)
    return orphans


def end_processes(pids: Sequence[int]) -> None:
    """SIGTERM, then SIGKILL after GRACE_SECONDS, to these processes by id."""
    processes = []
    for pid in pids:
        with contextlib.suppress(psutil.Error):
            processes.append(psutil.Process(pid))
    for process in processes:
        with contextlib.suppress(psutil.Error):
            process.terminate()
    for process in _still_alive_after(GRACE_SECONDS, processes):
        with contextlib.suppress(psutil.Error):
            process.kill()
    _still_alive_after(GRACE_SECONDS, processes)


def _still_alive_after(seconds: float, processes: Sequence[psutil.Process]) -> list[psutil.Process]:
    """Wait until all have ended; return those that have not. A zombie has: reaping it may be another's task."""
    deadline = time.monotonic() + seconds
    while (alive := [process for process in processes if _runs(process)]) and time.monotonic() < deadline:
        time.sleep(0.01)
    return alive


def _runs(process: psutil.Process) -> bool:
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False
