"""The libraries of MPI and its transports that running processes have really loaded, as the kernel shows them."""

from __future__ import annotations

import contextlib
import functools
import re
import sys
import threading
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Self

from rankwise.core import answers, process
from rankwise.core.answers import Stamp
from rankwise.core.errors import HostError
from rankwise.core.rank_differences import Given, given_to
from rankwise.core.records import Library

Mapped = Mapping[str, frozenset[str]]
"""By process (`123`, or `HOST 123`): the paths of its libraries that count here; empty ones are left out."""
NAMES = r"lib(?:mpi|mpich|mpi_abi|lam|fabric|ucp|pmix)(?:-[0-9a-f]+)?\.so[0-9.]*"
"""An MPI library itself, libfabric, UCX, PMIx; wheels may add a checksum to the name."""
_FILE = re.compile(rf"/\S*/{NAMES}$", re.MULTILINE)
_MPI = re.compile(r"lib(?:mpi|mpich|mpi_abi|lam)(?:-[0-9a-f]+)?\.so[0-9.]*")
_NUMBER = re.compile(r"\d+\.\d[\w.]*")
_KIND = re.compile(r"lib(\w+?)(?:-[0-9a-f]+)?\.so")

_FIRST_SECONDS, _LONGEST_SECONDS = 0.3, 30.0
_ASK_SECONDS = 10.0
_ASK_VERSION = """
import ctypes, sys
kind, library = sys.argv[1], ctypes.CDLL(sys.argv[2])
numbers = [ctypes.c_uint() for _ in range(3)]
if kind == "fabric":
    version = library.fi_version()
    print(f"{version >> 16}.{version & 0xffff}")
elif kind == "ucp":
    library.ucp_get_version(*map(ctypes.byref, numbers))
    print(".".join(str(one.value) for one in numbers))
elif kind == "pmix":
    library.PMIx_Get_version.restype = ctypes.c_char_p
    print(library.PMIx_Get_version().decode())
else:
    text, length = ctypes.create_string_buffer(8192), ctypes.c_int()
    library.MPI_Get_library_version(text, ctypes.byref(length))
    print(text.value.decode(errors="replace"))
"""


def mapped_here() -> Mapped:
    """Return the libraries of everything that descends from what this process has started on this host.

    Also of what runs within emulated nodes.
    """
    mapped = {}
    for pid in process.own_descendants():
        with contextlib.suppress(OSError):
            files = frozenset(_FILE.findall(Path(f"/proc/{pid}/maps").read_text(errors="replace")))
            if files:
                mapped[str(pid)] = files
    return mapped


def given_here(processes: Iterable[str]) -> dict[str, Given]:
    """Return what each of these processes of this host has got from whatever started it."""
    given = {}
    for pid in processes:
        with contextlib.suppress(OSError):
            given[pid] = given_to(pid)
    return given


def mpi_libraries(files: Iterable[str]) -> list[str]:
    """Return those that are an MPI itself, none of its helpers."""
    return sorted(file for file in files if _MPI.fullmatch(Path(file).name))


def is_named(file: str) -> bool:
    """Return whether the file is one of those that count here, by its name."""
    return _FILE.fullmatch(file) is not None


def described(files: Iterable[str]) -> tuple[Library, ...]:
    """Return what each of these files is: its kind (`mpi`, `fabric`) and the version that it tells when asked."""
    return tuple(Library(_kind(file), file, _version(file)) for file in sorted(set(files)))


def _kind(file: str) -> str:
    match = _KIND.match(Path(file).name)
    return match[1] if match else ""


def _version(file: str) -> str:
    """What the file says of itself; '' where it is not here, or says nothing."""
    return _asked(file, answers.stamp(Path(file))) if Path(file).exists() else ""


@functools.cache
def _asked(file: str, _changed: Stamp) -> str:
    """In a process of its own: what a library does when it is loaded must not happen here."""
    with contextlib.suppress(HostError):
        line = [sys.executable, "-c", _ASK_VERSION, _kind(file), file]
        outcome = answers.ask(line, _ASK_SECONDS, about=[Path(file)])
        number = _NUMBER.search(outcome.stdout)
        return number[0] if number and outcome.returncode == 0 else ""
    return ""


class Watch:
    """Within a watch, `look` is asked ever more seldom, until ranks are there and have loaded all that they will.

    `found` is what it said last of processes that have an MPI. With `seen`, each such answer is passed on at once.
    """

    def __init__(
        self, look: Callable[[], Mapped], seen: Callable[[Mapped], None] = lambda _: None,
        first_seconds: float = _FIRST_SECONDS, given: Callable[[Iterable[str]], Mapping[str, Given]] | None = None,
    ) -> None:  # fmt: skip
        self.found: Mapped = {}
        self.given: Mapping[str, Given] = {}
        """What each of these processes has got, if `given` reads it."""
        self._given = given
        self._look = look
        self._seen = seen
        self._first_seconds = first_seconds
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True, name="mapped libraries")

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._over.set()
        self._thread.join()

    def _watch(self) -> None:
        pause = self._first_seconds
        while not self._over.wait(pause):
            pause = min(2 * pause, _LONGEST_SECONDS)
            with contextlib.suppress(HostError):
                now = {name: files for name, files in self._look().items() if mpi_libraries(files)}
                if now:
                    before, self.found = self.found, now
                    if self._given:
                        self.given = self._given(now)
                    self._seen(now)
                    if now == before:
                        return
