"""Makes schedules by the algorithms of csrc/schedules, which are compiled once, by the host's C compiler."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from ctypes import POINTER, c_bool, c_char_p, c_double, c_int, c_int64, c_void_p
from dataclasses import dataclass
from functools import cache
from itertools import accumulate
from pathlib import Path
from typing import Any

from rankwise.artifacts import builder, compiler
from rankwise.artifacts.builder import Artifact
from rankwise.core import registry
from rankwise.core.errors import InputError, UnknownNameError
from rankwise.schedules.model import OPERATIONS, Kind, Memory, Place, Problem, Schedule, Step

SOURCES = Path(__file__).parent.parent / "csrc" / "schedules"
FLAGS = ("-std=gnu99", "-O2")
_MEMORIES, _KINDS = tuple(Memory), tuple(Kind)


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


class _Network(ctypes.Structure):
    _fields_ = (
        ("ranks", c_int), ("levels", c_int), ("group", POINTER(c_int)), ("sites", c_int),
        ("delay_seconds", POINTER(c_double)), ("bytes_per_second", POINTER(c_double)),
        ("node_bytes_per_second", c_double),
    )  # fmt: skip


class _Problem(ctypes.Structure):
    _fields_ = (
        ("operation", c_int), ("rank", c_int), ("ranks", c_int), ("root", c_int), ("count", c_int64),
        ("counts", POINTER(c_int64)), ("send_counts", POINTER(c_int64)), ("commutative", c_bool),
        ("segment", c_int64), ("fan_out", c_int), ("lanes", c_int), ("element_bytes", c_int64),
        ("network", POINTER(_Network)),
    )  # fmt: skip


class _Algorithm(ctypes.Structure):
    pass


_Algorithm._fields_ = (  # it has a pointer to its like
    ("description", c_char_p), ("generate", c_void_p), ("commutative_only", c_char_p), ("segmented", c_bool),
    ("fans", c_bool), ("lanes", c_bool), ("for_networks", c_bool), ("needs_all_counts", c_bool),
    ("equal_blocks", c_bool), ("objection", c_void_p), ("name", c_char_p), ("operation", c_int),
    ("next", POINTER(_Algorithm)),
)  # fmt: skip


class _Place(ctypes.Structure):
    _fields_ = (("memory", c_int), ("offset", c_int64))


class _Step(ctypes.Structure):
    _fields_ = (
        ("kind", c_int), ("peer", c_int), ("tag", c_int), ("source", _Place), ("target", _Place),
        ("length", c_int64), ("first_dependency", c_int), ("dependencies", c_int),
    )  # fmt: skip


class _Schedule(ctypes.Structure):
    _fields_ = (
        ("steps", POINTER(_Step)), ("count", c_int), ("room", c_int), ("dependency", POINTER(c_int)),
        ("dependency_count", c_int), ("dependency_room", c_int), ("scratch", c_int64), ("tags", c_int),
        ("failure", c_char_p),
    )  # fmt: skip


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
    return tuple(one for one, _ in _registered(_library()) if operation in {"", one.operation})


def algorithm(operation: str, name: str) -> Algorithm:
    """Return one algorithm. Raises UnknownNameError with the nearest names."""
    found = {one.name: one for one in algorithms(operation)}
    if name not in found:
        raise UnknownNameError(f"algorithm of {operation}", name, found)
    return found[name]


def schedules(one: Algorithm, problem: Problem) -> tuple[Schedule, ...]:
    """Return the schedule of every rank. Raises RefusedError with the algorithm's reason."""
    library = _library()
    return tuple(_made(library, one, problem, rank) for rank in range(problem.ranks))


def schedule(one: Algorithm, problem: Problem, rank: int) -> Schedule:
    """Return the schedule of one rank; those of the others are not made. Raises RefusedError."""
    return _made(_library(), one, problem, rank)


def _made(library: ctypes.CDLL, one: Algorithm, problem: Problem, rank: int) -> Schedule:
    pointers = dict(_registered(library))
    made = _Schedule()
    library.make_schedule(ctypes.byref(made), pointers[one], ctypes.byref(_problem(one, problem, rank)))
    try:
        if made.failure:
            raise RefusedError(
                f"{one.id} has no schedule for this: {made.failure.decode()}",
                f"`rankwise schedule list {one.operation}` shows what each algorithm can do",
            )
        return Schedule(rank, _steps(made), made.scratch)
    finally:
        library.free_schedule(ctypes.byref(made))


def _steps(made: _Schedule) -> tuple[Step, ...]:
    waits = made.dependency[: made.dependency_count] if made.dependency_count else []
    found = []
    for raw in made.steps[: made.count] if made.count else []:
        source, target, first = raw.source, raw.target, raw.first_dependency
        found.append(
            Step(
                _KINDS[raw.kind], raw.peer, raw.tag,
                Place(_MEMORIES[source.memory], source.offset), Place(_MEMORIES[target.memory], target.offset),
                raw.length, tuple(waits[first : first + raw.dependencies]),
            )
        )  # fmt: skip
    return tuple(found)


def _problem(one: Algorithm, problem: Problem, rank: int) -> _Problem:
    """The problem as this rank calls it: it knows what a rank of an MPI program would."""
    count, counts = problem.count, problem.counts
    send_counts: tuple[int, ...] = ()
    if problem.matrix:
        column = tuple(row[rank] for row in problem.matrix)
        whole = tuple(entry for row in problem.matrix for entry in row)
        counts, send_counts = whole if one.needs_all_counts else column, problem.matrix[rank]
    elif counts and one.operation in {"gather", "scatter"} and rank != problem.root and not one.needs_all_counts:
        count, counts = counts[rank], ()
    return _Problem(
        OPERATIONS.index(problem.operation), rank, problem.ranks, problem.root, count,
        _array(c_int64, counts), _array(c_int64, send_counts), problem.commutative, problem.segment,
        problem.fan_out, problem.lanes, problem.element_bytes, _network(problem),
    )  # fmt: skip


def _network(problem: Problem) -> Any:
    network = problem.network
    if network is None:
        return None
    flat = [group for level in network.groups for group in level]
    delays = [delay for row in network.delay_seconds for delay in row]
    rates = [rate for row in network.bytes_per_second for rate in row]
    return ctypes.pointer(
        _Network(
            problem.ranks, len(network.groups), _array(c_int, flat), network.sites, _array(c_double, delays),
            _array(c_double, rates), network.node_bytes_per_second,
        )
    )  # fmt: skip


def _array(of: Any, values: Sequence[float]) -> Any:
    """A pointer to C's copy of the values, which keeps it alive; NULL for none."""
    return ctypes.cast((of * len(values))(*values), POINTER(of)) if values else None


def _library() -> ctypes.CDLL:
    """The compiled algorithms; each set of sources is another library."""
    return _loaded(tuple(map(compiler.stamp, source_files())))


@cache
def _loaded(sources: tuple[compiler.Stamp, ...]) -> ctypes.CDLL:
    paths = tuple(Path(path) for path, *_ in sources)
    artifact = Artifact("schedules.so", paths, "shared object", (SOURCES,), FLAGS)
    library = ctypes.CDLL(str(builder.build(artifact, compiler.of_host())))
    described = (_Problem, _Algorithm, _Network, _Schedule, _Step)
    expected = [*map(ctypes.sizeof, described), len(OPERATIONS)]
    layout = list((c_int64 * len(expected)).in_dll(library, "schedule_layout"))
    if layout != expected:
        raise TypeError(f"the structures of csrc/schedules are {layout} bytes long here, described as {expected}")
    library.first_algorithm.restype = POINTER(_Algorithm)
    library.make_schedule.restype = library.free_schedule.restype = None
    library.make_schedule.argtypes = [POINTER(_Schedule), POINTER(_Algorithm), POINTER(_Problem)]
    return library


@cache
def _registered(library: ctypes.CDLL) -> tuple[tuple[Algorithm, Any], ...]:
    found = []
    pointer = library.first_algorithm()
    while pointer:
        raw = pointer.contents
        name, description, only = (
            (text or b"").decode() for text in (raw.name, raw.description, raw.commutative_only)
        )
        one = Algorithm(
            OPERATIONS[raw.operation], name, description, only, raw.segmented, raw.fans, raw.lanes,
            raw.for_networks, raw.needs_all_counts, raw.equal_blocks,
        )  # fmt: skip
        found.append((one, pointer))
        pointer = raw.next
    return tuple(found)


@contextmanager
def laid_out(one: Algorithm, problem: Problem) -> Iterator[Any]:
    """Hold the schedules of all ranks as C has them, an array of its `Schedule`. Raises RefusedError."""
    library = _library()
    pointer = dict(_registered(library))[one]
    made = (_Schedule * problem.ranks)()
    try:
        for rank in range(problem.ranks):
            library.make_schedule(ctypes.byref(made[rank]), pointer, ctypes.byref(_problem(one, problem, rank)))
            if made[rank].failure:
                raise RefusedError(f"{one.id} has no schedule for this: {made[rank].failure.decode()}")
        yield made
    finally:
        for schedule in made:
            library.free_schedule(ctypes.byref(schedule))


def lay_out(schedules: Sequence[Schedule]) -> Any:
    """Return schedules as C has them, as `laid_out` does; the array keeps its memory alive."""
    made = (_Schedule * len(schedules))()
    for one, schedule in zip(made, schedules, strict=True):
        waits = [number for step in schedule.steps for number in step.after]
        first = accumulate((len(step.after) for step in schedule.steps), initial=0)
        steps = [
            _Step(step.kind, step.peer, step.tag, step.source, step.target, step.length, begin, len(step.after))
            for step, begin in zip(schedule.steps, first, strict=False)
        ]
        one.steps, one.count = (_Step * len(steps))(*steps), len(steps)
        one.dependency, one.dependency_count = (c_int * len(waits))(*waits), len(waits)
        one.scratch = schedule.scratch
    return made


def network_of(problem: Problem) -> Any:
    """Return a pointer to the problem's network as C has it, or None."""
    return _network(problem)
