"""Makes schedules by the algorithms of csrc/schedules, which are compiled once, by the host's C compiler."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterator
from contextlib import contextmanager
from ctypes import POINTER, c_char_p, c_size_t
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from rankwise.artifacts import builder, compiler
from rankwise.artifacts.builder import Artifact
from rankwise.core import registry
from rankwise.core.errors import InputError, UnknownNameError
from rankwise.schedules.model import OPERATIONS, Problem, Schedule
from rankwise.schedules.structures import (
    CAlgorithm,
    CProblem,
    CSchedule,
    c_problem,
    check_layout,
    steps_of,
)  # fmt: skip

SOURCES = Path(__file__).parent.parent / "csrc" / "schedules"
FLAGS = ("-std=gnu99", "-O2")
_ERROR_BYTES = 500


class RefusedError(InputError):
    """An algorithm cannot do this problem, and says why."""


@dataclass(frozen=True, slots=True)
class Algorithm:
    """One algorithm as its C file describes it."""

    operation: str
    name: str
    description: str
    commutative_only: str
    """Why; '' where it keeps the order of the ranks."""
    segmented: bool
    fans: bool
    lanes: bool
    for_networks: bool
    needs_all_counts: bool
    equal_blocks: bool

    @property
    def id(self) -> str:
        """Return the name of its benchmark: `allreduce.ring`."""
        return f"{self.operation}.{self.name}"


def source_files() -> list[Path]:
    """Return the C files of our algorithms and of those of plug-in folders, in a fixed order."""
    folders = [SOURCES, *registry.plugin_folders("csrc/schedules")]
    return [path for folder in folders for path in sorted(folder.glob("*.c"))]


def algorithms(operation: str = "") -> tuple[Algorithm, ...]:
    """Return all algorithms, or those of one operation, by operation and name.

    Raises HostError where there is no C compiler, UnknownNameError for the operation.
    """
    if operation and operation not in OPERATIONS:
        raise UnknownNameError("operation", operation, OPERATIONS)
    return tuple(candidate for candidate, _ in _registered(_library()) if operation in {"", candidate.operation})


def algorithm(operation: str, name: str) -> Algorithm:
    """Return one algorithm. Raises UnknownNameError with the nearest names."""
    by_name = {candidate.name: candidate for candidate in algorithms(operation)}
    if name not in by_name:
        raise UnknownNameError(f"algorithm of {operation}", name, by_name)
    return by_name[name]


def schedules(chosen: Algorithm, problem: Problem) -> tuple[Schedule, ...]:
    """Return the schedule of every rank. Raises RefusedError with the algorithm's reason."""
    library = _library()
    return tuple(_made(library, chosen, problem, rank) for rank in range(problem.ranks))


def schedule(chosen: Algorithm, problem: Problem, rank: int) -> Schedule:
    """Return the schedule of one rank; those of the others are not made. Raises RefusedError."""
    return _made(_library(), chosen, problem, rank)


@contextmanager
def laid_out(chosen: Algorithm, problem: Problem) -> Iterator[Any]:
    """Hold the schedules of all ranks as C has them, an array of CSchedule. Raises RefusedError."""
    library = _library()
    pointer = dict(_registered(library))[chosen]
    made = (CSchedule * problem.ranks)()
    network, alone = c_problem(problem, 0, all_counts=False).network, replace(problem, network=None)
    try:
        for rank, schedule in enumerate(made):
            raw_problem = c_problem(alone, rank, chosen.needs_all_counts)
            raw_problem.network = network  # the same for all
            library.make_schedule(ctypes.byref(schedule), pointer, ctypes.byref(raw_problem))
            _check(schedule, chosen.id)
        yield made
    finally:
        for schedule in made:
            library.free_schedule(ctypes.byref(schedule))


def _made(library: ctypes.CDLL, chosen: Algorithm, problem: Problem, rank: int) -> Schedule:
    pointer = dict(_registered(library))[chosen]
    with _schedule(library) as made:
        raw_problem = c_problem(problem, rank, chosen.needs_all_counts)
        library.make_schedule(ctypes.byref(made), pointer, ctypes.byref(raw_problem))
        return _copied(made, rank, chosen.id)


def schedules_of_file(path: Path, problem: Problem) -> tuple[Schedule, ...]:
    """Return what C makes of a schedule file (csrc/schedules/schedule_file.h) for a problem, for every rank.

    Raises InputError in the words of the reader, RefusedError where the file does not serve the problem.
    """
    library = _library()
    error = ctypes.create_string_buffer(_ERROR_BYTES)
    pointer = library.read_schedule(os.fsencode(path), os.fsencode(path.name), error, _ERROR_BYTES)
    if not pointer:
        raise InputError(error.value.decode(errors="replace"), "`rankwise schedule export` writes such files")
    try:
        return tuple(_of_file(library, pointer, problem, rank, path.name) for rank in range(problem.ranks))
    finally:
        library.free_read_schedule(pointer)


def _of_file(library: ctypes.CDLL, pointer: Any, problem: Problem, rank: int, name: str) -> Schedule:
    with _schedule(library) as made:
        library.make_schedule(ctypes.byref(made), pointer, ctypes.byref(c_problem(problem, rank, True)))
        return _copied(made, rank, name)


@contextmanager
def _schedule(library: ctypes.CDLL) -> Iterator[CSchedule]:
    made = CSchedule()
    try:
        yield made
    finally:
        library.free_schedule(ctypes.byref(made))


def _copied(made: CSchedule, rank: int, name: str) -> Schedule:
    _check(made, name)
    return Schedule(rank, steps_of(made), made.scratch)


def _check(made: CSchedule, name: str) -> None:
    if made.failure:
        raise RefusedError(
            f"{name} has no schedule for this: {made.failure.decode()}",
            "`rankwise schedule list` shows what each algorithm can do",
        )


def _library() -> ctypes.CDLL:
    """The compiled algorithms. Other folders of plug-ins are another library; files are looked at once."""
    return _loaded(os.environ.get(registry.PLUGIN_VARIABLE, ""), os.environ.get("CC", ""))


@cache
def _loaded(_plugins: str, _compiler: str) -> ctypes.CDLL:
    artifact = Artifact("schedules.so", tuple(source_files()), "shared object", (SOURCES,), FLAGS)
    library = ctypes.CDLL(str(builder.build(artifact, compiler.of_host())))
    check_layout(library)
    library.first_algorithm.restype = POINTER(CAlgorithm)
    library.make_schedule.argtypes = [POINTER(CSchedule), POINTER(CAlgorithm), POINTER(CProblem)]
    library.read_schedule.argtypes = [c_char_p, c_char_p, c_char_p, c_size_t]
    library.read_schedule.restype = POINTER(CAlgorithm)
    library.free_read_schedule.argtypes = [POINTER(CAlgorithm)]
    for function in (library.make_schedule, library.free_schedule, library.free_read_schedule):
        function.restype = None
    return library


@cache
def _registered(library: ctypes.CDLL) -> tuple[tuple[Algorithm, Any], ...]:
    registered = []
    pointer = library.first_algorithm()
    while pointer:
        raw = pointer.contents
        name, description, only = (
            (text or b"").decode() for text in (raw.name, raw.description, raw.commutative_only)
        )
        described = Algorithm(
            OPERATIONS[raw.operation], name, description, only, raw.segmented, raw.fans, raw.lanes,
            raw.for_networks, raw.needs_all_counts, raw.equal_blocks,
        )  # fmt: skip
        registered.append((described, pointer))
        pointer = raw.next
    return tuple(registered)
