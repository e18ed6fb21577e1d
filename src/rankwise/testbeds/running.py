"""Testbeds that are up: their folders, starting and stopping them, and what a killed Rankwise left.

One folder each below `runtime_folder()`: NAME for one that stays up, NAME-PID for one that lives within a run.
`rankwise-nodes` supervises it and dies with whoever started it if it is attached.
"""

from __future__ import annotations

import atexit
import contextlib
import fcntl
import json
import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import psutil

from rankwise.core import paths, process, signals, units
from rankwise.core.errors import HostError, InputError
from rankwise.core.network import Topology
from rankwise.testbeds import supervisor
from rankwise.testbeds.network_file import network_text

_NODE_BYTES = 8 << 20
"""Memory of an idle node: its agent, namespaces, NIC and a few TCP connections."""

_LONGEST_NAME = 100
"""Bytes: no socket's path could be longer anyway."""

TAKEN_DOWN = "the testbed was taken down"
"""Why a testbed ended that nobody is to bring back."""

_STATE = "state.json"
_children: dict[Path, subprocess.Popen[bytes]] = {}
"""Supervisors that this process started: whoever stops one must reap it."""


@dataclass(frozen=True, slots=True)
class Running:
    """A running testbed is what its folder says of it."""

    name: str
    attached: bool
    supervisor: str
    """`process.identity` of rankwise-nodes."""
    owner: str
    """`process.identity` of who started it."""
    started_at: float
    """Seconds since the epoch."""
    folder: Path
    nodes: tuple[str, ...]

    @property
    def is_up(self) -> bool:
        """Return whether its supervisor runs, and with it all the rest."""
        return process.is_alive(self.supervisor)


def start(topology: Topology, attached: bool) -> Path:
    """Bring a testbed up; its folder. `attached`: it ends when this thread does, and lives in NAME-PID.

    Raises InputError for a description that makes no sense or a name that is taken, HostError for what this host
    lacks. Nothing is left behind then.
    """
    _check_memory(topology)
    text = network_text(topology)
    command = supervisor.command()
    made: list[Path] = []
    try:
        with _folders_locked() as parent:
            _clear(parent)
            folder = parent / _folder_name(parent, topology.name, attached)
            if folder.exists():
                raise InputError(
                    f"testbed {topology.name} is already up", f"rankwise testbed down {topology.name}, or use it"
                )
            made.append(folder)
            with signals.signals_wait():
                child = _launch(topology, text, command, folder, attached)
        supervisor.wait_until_ready(child, folder)
    except BaseException:
        for folder in made:
            stop(folder)
        raise
    return folder


def stop(folder: Path) -> None:
    """Take a testbed down and remove its folder; nothing happens if it is gone.

    Raises InputError, and removes nothing, for any path that is not directly below `runtime_folder()`.
    """
    with _folders_locked() as parent:
        _stop(parent, folder)


def is_testbed_folder(parent: Path, folder: Path) -> bool:
    """Return whether it is directly below `parent`, by name and really: what is stopped is removed for good."""
    named = folder.is_absolute() and folder.parent == parent and not folder.name.startswith(".")
    return named and folder.resolve() == parent.resolve() / folder.name


def running() -> list[Running]:
    """Return the testbeds of this user that are up, by name."""
    with _folders_locked() as parent:
        return [testbed for testbed in _all(parent) if testbed.is_up]


def clear_left_over() -> list[str]:
    """Remove what testbeds left whose supervisor is gone; the names of their folders.

    Where there can be no testbed nothing is left of any: whoever wants one is told why there is none.
    """
    with contextlib.suppress(HostError), _folders_locked() as parent:
        return _clear(parent)
    return []


def why_ended(folder: Path, patience_seconds: float = 0.0) -> str:
    """Return why this testbed is no longer up, '' if it is; look again for so long before believing that."""
    deadline = time.monotonic() + patience_seconds
    while True:
        with contextlib.suppress(FileNotFoundError):
            return (folder / "ended").read_text().strip()
        state = _read(folder)
        if state is None or not state.is_up:
            with _folders_locked():  # it may be being removed, file by file: then wait until it is gone
                with contextlib.suppress(FileNotFoundError):  # it may have been written since
                    return (folder / "ended").read_text().strip()
                return "its supervisor was ended" if folder.exists() else TAKEN_DOWN
        if time.monotonic() >= deadline:
            return ""
        time.sleep(0.01)


def warnings_of(folder: Path) -> tuple[str, ...]:
    """Return the settings that the kernel refused when it came up, one sentence each."""
    with contextlib.suppress(OSError):
        return tuple((folder / "warnings").read_text().splitlines())
    return ()


def has_text(folder: Path, text: str) -> bool:
    """Return whether this testbed was started from this network file."""
    with contextlib.suppress(OSError):
        return (folder / "network").read_text() == text
    return False


@contextlib.contextmanager
def _folders_locked() -> Iterator[Path]:
    """While folders are made and removed: none is half made for anyone else to see."""
    parent = paths.runtime_folder()
    with (parent / ".lock").open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield parent


def _folder_name(parent: Path, name: str, attached: bool) -> str:
    if not name or name.startswith(".") or "/" in name or len(os.fsencode(name)) > _LONGEST_NAME:
        raise InputError(
            f"'{name}' cannot name a testbed", f"use letters, digits and '-', at most {_LONGEST_NAME}"
        )
    if not attached:
        return name
    own = f"{name}-{os.getpid()}"
    taken = sum(1 for folder in parent.iterdir() if folder.name == own or folder.name.startswith(f"{own}-"))
    return f"{own}-{taken + 1}" if taken else own


def _launch(
    topology: Topology, text: str, command: list[str], folder: Path, attached: bool
) -> subprocess.Popen[bytes]:
    """Start the supervisor over a new folder, and write down who it is."""
    try:
        _make(folder, text)
        child = supervisor.start(command, folder, attached)
        _children[folder] = child
        _write_state(folder, child.pid, topology, attached)
    except OSError as error:
        raise HostError(
            f"cannot bring the testbed up in {folder}: {error.strerror}", f"make room: df {folder.parent}"
        ) from error
    return child


def _make(folder: Path, text: str) -> None:
    # an ordinary user's nodes obey whoever can reach their sockets; root's ask who it is, and serve nobody, too
    folder.mkdir(mode=0o700)
    folder.chmod(0o755 if os.geteuid() == 0 else 0o700)
    (folder / "network").write_text(text)


def _write_state(folder: Path, pid: int, topology: Topology, attached: bool) -> None:
    state = {
        "name": topology.name,
        "attached": attached,
        "supervisor": process.identity(pid),
        "owner": process.identity(os.getpid()),
        "started_at": time.time(),
        "nodes": [node.name for node in topology.nodes],
    }
    (folder / _STATE).write_text(json.dumps(state))


def _stop(parent: Path, folder: Path) -> None:
    if not is_testbed_folder(parent, folder):
        raise InputError(f"'{folder}' is not the folder of a testbed", f"one of those in {parent}")
    state = _read(folder)
    child = _children.pop(folder, None)
    if state is not None and state.is_up:
        with contextlib.suppress(OSError):  # a run that uses it is to learn this, and not to bring it back
            (folder / "ended").write_text(TAKEN_DOWN)
        process.end_processes([int(state.supervisor.partition("-")[0])])
    elif child is not None and child.poll() is None:
        process.end_processes([child.pid])
    elif state is None:  # killed before it could write down whom it had started
        process.end_processes(_supervisors_over(folder))
    if child is not None:
        if child.stdout is not None:
            child.stdout.close()
        child.wait(supervisor.READY_LIMIT_SECONDS)
    shutil.rmtree(folder, ignore_errors=True)


@atexit.register
def _stop_own() -> None:
    """What an interruption came between, before anyone knew that it was up."""
    for folder in list(_children):
        state = _read(folder)
        if state is None or state.attached:
            stop(folder)


def _supervisors_over(folder: Path) -> list[int]:
    """The process ids of rankwise-nodes for this folder, and of its agents, which are forks of it."""
    option = ["--folder", str(folder)]
    pids = []
    for candidate in psutil.process_iter():
        with contextlib.suppress(psutil.Error):
            if any(option == [*pair] for pair in pairwise(candidate.cmdline())):
                pids.append(candidate.pid)
    return pids


def _clear(parent: Path) -> list[str]:
    """An attached testbed that broke is left to its owner, who wants to know why, while that one lives."""
    cleared = []
    for folder in _folders(parent):
        state = _read(folder)
        if state is None or not (state.is_up or (state.attached and process.is_alive(state.owner))):
            _stop(parent, folder)
            cleared.append(folder.name)
    return cleared


def _folders(parent: Path) -> list[Path]:
    return sorted(folder for folder in parent.iterdir() if folder.is_dir() and is_testbed_folder(parent, folder))


def _all(parent: Path) -> Iterator[Running]:
    for folder in _folders(parent):
        state = _read(folder)
        if state is not None:
            yield state


def _read(folder: Path) -> Running | None:
    try:
        state = json.loads((folder / _STATE).read_text())
        return Running(**{**state, "folder": folder, "nodes": tuple(state["nodes"])})
    except (OSError, ValueError, TypeError, KeyError):
        return None


def _check_memory(topology: Topology) -> None:
    queues = sum(link.queue_bytes for link in topology.links)
    needed, available = len(topology.nodes) * _NODE_BYTES + queues, psutil.virtual_memory().available
    if needed > available:
        raise HostError(
            f"{len(topology.nodes)} nodes and the queues of their links need about {units.format_size(needed)}, "
            f"and {units.format_size(available)} of memory are free",
            "fewer nodes, or shorter queues",
        )
