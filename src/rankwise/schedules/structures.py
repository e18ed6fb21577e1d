"""The structures of csrc/schedules as ctypes has them, made of our records and read into them."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator, Sequence
from ctypes import POINTER, c_bool, c_char_p, c_double, c_int, c_int64, c_void_p
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankwise.schedules.model import OPERATIONS, Kind, Memory, Place, Problem, Schedule, Step

_MEMORIES, _KINDS = tuple(Memory), tuple(Kind)


class CNetwork(ctypes.Structure):
    """Network of network.h."""

    _fields_ = (
        ("ranks", c_int), ("levels", c_int), ("group", POINTER(c_int)), ("sites", c_int),
        ("delay_seconds", POINTER(c_double)), ("bytes_per_second", POINTER(c_double)),
        ("node_bytes_per_second", c_double), ("sorted", c_void_p),
    )  # fmt: skip


class CProblem(ctypes.Structure):
    """Problem of algorithm.h."""

    _fields_ = (
        ("operation", c_int), ("rank", c_int), ("ranks", c_int), ("root", c_int), ("count", c_int64),
        ("counts", POINTER(c_int64)), ("send_counts", POINTER(c_int64)), ("commutative", c_bool),
        ("segment", c_int64), ("fan_out", c_int), ("lanes", c_int), ("most_chunks", c_int),
        ("element_bytes", c_int64), ("network", POINTER(CNetwork)),
    )  # fmt: skip


class CAlgorithm(ctypes.Structure):
    """Algorithm of algorithm.h."""


CAlgorithm._fields_ = (  # it has a pointer to its like
    ("description", c_char_p), ("generate", c_void_p), ("generate_fixed", c_void_p),
    ("commutative_only", c_char_p), ("segmented", c_bool), ("fans", c_bool), ("lanes", c_bool),
    ("for_networks", c_bool), ("needs_all_counts", c_bool), ("equal_blocks", c_bool), ("even_ranks", c_bool),
    ("objection", c_void_p), ("name", c_char_p), ("operation", c_int), ("next", POINTER(CAlgorithm)),
)  # fmt: skip


class CPlace(ctypes.Structure):
    """Place of schedule.h."""

    _fields_ = (("memory", c_int), ("offset", c_int64))


class CStep(ctypes.Structure):
    """Step of schedule.h."""

    _fields_ = (
        ("kind", c_int), ("peer", c_int), ("tag", c_int), ("source", CPlace), ("target", CPlace),
        ("length", c_int64), ("first_dependency", c_int), ("dependencies", c_int),
    )  # fmt: skip


class CSchedule(ctypes.Structure):
    """Schedule of schedule.h."""

    _fields_ = (
        ("steps", POINTER(CStep)), ("count", c_int), ("room", c_int), ("dependency", POINTER(c_int)),
        ("dependency_count", c_int), ("dependency_room", c_int), ("scratch", c_int64), ("tags", c_int),
        ("failure", c_char_p),
    )  # fmt: skip


def steps_of(made: CSchedule) -> tuple[Step, ...]:
    """Return the steps, copied."""
    if not made.count:
        return ()
    waits = made.dependency[: made.dependency_count] if made.dependency_count else []
    raw = np.frombuffer(ctypes.cast(made.steps, POINTER(CStep * made.count)).contents, dtype=CStep)
    kinds = map(_KINDS.__getitem__, raw["kind"].tolist())
    peers, tags, lengths = (raw[name].tolist() for name in ("peer", "tag", "length"))
    first, number = raw["first_dependency"], raw["dependencies"]
    after = (tuple(waits[begin:end]) for begin, end in zip(first.tolist(), (first + number).tolist(), strict=True))
    sources, targets = _places(raw["source"]), _places(raw["target"])
    return tuple(map(Step, kinds, peers, tags, sources, targets, lengths, after))


def _places(raw: NDArray[Any]) -> Iterator[Place]:
    return map(Place, map(_MEMORIES.__getitem__, raw["memory"].tolist()), raw["offset"].tolist())


def laid_out(schedules: Sequence[Schedule]) -> Any:
    """Return the schedules as C has them: the array keeps its memory alive."""
    made = (CSchedule * len(schedules))()
    for c_schedule, schedule in zip(made, schedules, strict=True):
        if not schedule.steps:
            continue
        kinds, peers, tags, sources, targets, lengths, afters = zip(*schedule.steps, strict=True)
        waits = list(chain.from_iterable(afters))
        raw = np.zeros(len(kinds), dtype=CStep)
        raw["kind"], raw["peer"], raw["tag"], raw["length"] = kinds, peers, tags, lengths
        for name, places in (("source", sources), ("target", targets)):
            raw[name]["memory"], raw[name]["offset"] = zip(*places, strict=True)
        raw["dependencies"] = number = np.fromiter(map(len, afters), dtype=np.int32)
        raw["first_dependency"] = np.cumsum(number) - number
        c_schedule.steps, c_schedule.count = (CStep * len(kinds)).from_buffer(raw.data), len(kinds)
        c_schedule.dependency, c_schedule.dependency_count = (c_int * len(waits))(*waits), len(waits)
        c_schedule.scratch = schedule.scratch
    return made


def c_problem(problem: Problem, rank: int, all_counts: bool) -> CProblem:
    """The problem as this rank calls it: it knows what a rank of an MPI program would."""
    count, counts = problem.count, problem.counts
    send_counts: tuple[int, ...] = ()
    if problem.matrix:
        column = tuple(row[rank] for row in problem.matrix)
        whole = tuple(entry for row in problem.matrix for entry in row)
        counts, send_counts = whole if all_counts else column, problem.matrix[rank]
    elif counts and problem.operation in {"gather", "scatter"} and rank != problem.root and not all_counts:
        count, counts = counts[rank], ()
    return CProblem(
        OPERATIONS.index(problem.operation), rank, problem.ranks, problem.root, count,
        _array(c_int64, counts), _array(c_int64, send_counts), problem.commutative, problem.segment,
        problem.fan_out, problem.lanes, 0, problem.element_bytes, _network(problem),
    )  # fmt: skip


def _network(problem: Problem) -> Any:
    network = problem.network
    if network is None:
        return None
    flat = [group for level in network.groups for group in level]
    delays = [delay for row in network.delay_seconds for delay in row]
    rates = [rate for row in network.bytes_per_second for rate in row]
    return ctypes.pointer(
        CNetwork(
            problem.ranks, len(network.groups), _array(c_int, flat), network.sites, _array(c_double, delays),
            _array(c_double, rates), network.node_bytes_per_second,
        )
    )  # fmt: skip


def _array(of: Any, values: Sequence[float]) -> Any:
    """A pointer to C's copy of the values, which keeps it alive; NULL for none."""
    return ctypes.cast((of * len(values))(*values), POINTER(of)) if values else None


def check_layout(library: ctypes.CDLL) -> None:
    """Raise TypeError where the C compiler lays the structures out otherwise than they are described here."""
    described = (CProblem, CAlgorithm, CNetwork, CSchedule, CStep)
    expected = [*map(ctypes.sizeof, described), len(OPERATIONS)]
    layout = list((c_int64 * len(expected)).in_dll(library, "schedule_layout"))
    if layout != expected:
        raise TypeError(f"the structures of csrc/schedules are {layout} bytes long here, described as {expected}")
