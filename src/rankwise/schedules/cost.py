"""What a schedule would take on a network: an estimate, to choose between schedules before any is measured.

A small simulation of events (`csrc/schedule_cost/cost.h` tells its rules): LogGP's overhead for each message
(Alexandrov, Ionescu, Schauser and Scheiman, JPDC 44(1), 1997), and interfaces and links that are shared, each
serving its messages in order. It knows neither congestion control nor loss. What the network does not say of
itself is taken from `CostModel`.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from ctypes import POINTER, c_double
from dataclasses import astuple, dataclass
from functools import cache
from pathlib import Path
from typing import Any

from rankwise.artifacts import builder, compiler
from rankwise.artifacts.builder import Artifact
from rankwise.core.errors import InputError
from rankwise.schedules import generator, structures
from rankwise.schedules.generator import Algorithm
from rankwise.schedules.model import Problem, Schedule
from rankwise.schedules.structures import c_problem

_FOLDER = Path(__file__).parent.parent / "csrc" / "schedule_cost"


@dataclass(frozen=True, slots=True)
class CostModel:
    """What is assumed where the network does not say; seconds, bytes, bytes a second."""

    overhead_seconds: float = 3e-6
    """Of a rank's CPU for each message that it sends or receives."""
    near_seconds: float = 30e-6
    """Delay between nodes of a site."""
    local_seconds: float = 1e-6
    """Delay between ranks of a node."""
    far_seconds: float = 5e-3
    """Delay between sites."""
    node_bytes_per_second: float = 117.5e6
    """Of a node's interface, in each direction: TCP on 1 Gbit/s."""
    memory_bytes_per_second: float = 4e9
    """Of copies, reductions and messages within a node, for each rank."""
    eager_bytes: float = 65536.0
    """A longer message waits until its receiver is ready, and costs a round trip more."""


class _CostModel(ctypes.Structure):
    _fields_ = tuple(
        (name, c_double)
        for name in ("overhead", "near_delay", "local_delay", "far_delay", "node_rate", "memory_rate", "eager")
    )


def seconds_of(algorithm: Algorithm, problem: Problem, model: CostModel | None = None) -> float:
    """Return the time of an algorithm until the last rank is done, for elements of problem.element_bytes bytes.

    Raises RefusedError where the algorithm has no schedule for the problem.
    """
    with generator.laid_out(algorithm, problem) as made:
        return _estimate(made, problem, model)


def seconds(problem: Problem, schedules: Sequence[Schedule], model: CostModel | None = None) -> float:
    """Return the time of the schedules of all ranks, likewise. Raises InputError if some step cannot end."""
    return _estimate(structures.laid_out(schedules), problem, model)


def _estimate(made: Any, problem: Problem, model: CostModel | None) -> float:
    estimate: float = _library().estimate_seconds(
        made, problem.ranks, c_problem(problem, 0, all_counts=False).network, float(problem.element_bytes or 1),
        ctypes.byref(_CostModel(*astuple(model or CostModel()))),
    )  # fmt: skip
    if estimate < 0:
        raise InputError("not all steps of the schedule can end", "`rankwise schedule verify` shows which and why")
    return estimate


@cache
def _library() -> ctypes.CDLL:
    sources = (_FOLDER / "cost.c", _FOLDER / "simulation.c")
    artifact = Artifact(
        "schedule_cost.so", sources, "shared object", (_FOLDER, generator.SOURCES), generator.FLAGS
    )
    library = ctypes.CDLL(str(builder.build(artifact, compiler.of_host())))
    library.estimate_seconds.restype = c_double
    library.estimate_seconds.argtypes = [
        ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p, c_double, POINTER(_CostModel)
    ]  # fmt: skip
    return library
