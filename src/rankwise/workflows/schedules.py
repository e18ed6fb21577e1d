"""Collective algorithms as data: list them, look at what they send, prove them, write them in other formats."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from rankwise.core.errors import HostError, InputError
from rankwise.schedules import generator
from rankwise.schedules.fixed import FixedSchedule, fixed_of, proved
from rankwise.schedules.formats.goal import goal_of
from rankwise.schedules.formats.json_file import to_json
from rankwise.schedules.formats.msccl import from_msccl
from rankwise.schedules.formats.msccl_writing import to_msccl
from rankwise.schedules.formats.reading import read
from rankwise.schedules.formats.text import text_of
from rankwise.schedules.generator import Algorithm
from rankwise.schedules.layout import parse_sites
from rankwise.schedules.matching import FaultyError
from rankwise.schedules.model import OPERATIONS, REDUCING, Network, Problem
from rankwise.schedules.prover import Proof, prove
from rankwise.schedules.traffic import Shown, traffic

__all__ = [
    "FORMATS", "Asked", "Format", "Shown", "algorithms", "export", "parse_sites", "show", "verify", "write",
]  # fmt: skip

Format = Literal["json", "goal", "msccl", "text"]
FORMATS: tuple[Format, ...] = ("json", "goal", "msccl", "text")
DEFAULT_RANKS = 8


@dataclass(frozen=True, slots=True)
class Asked:
    """Which schedule: an operation and its algorithm, or a file; and for what."""

    what: tuple[str, ...]
    ranks: int = 0
    root: int = 0
    size_bytes: int = 1 << 20
    """Of a block."""
    segment_bytes: int = 0
    fan_out: int = 0
    lanes: int = 0
    network: Network | None = None
    ordered: bool = False
    """The operation of the reduction does not commute."""
    name: str = ""
    """Which schedule of a Python file."""

    def count(self) -> int:
        """Return the number of ranks."""
        here = len(self.network.groups[0]) if self.network else 0
        if self.ranks and here and self.ranks != here:
            raise InputError(f"{self.ranks} ranks do not match --sites, which has {here}", "leave one of them out")
        return self.ranks or here


def algorithms(operation: str = "") -> tuple[Algorithm, ...]:
    """Return what there is, by operation and name."""
    return generator.algorithms(operation)


def show(request: Asked) -> Shown:
    """Return a schedule and what it sends. Raises InputError, also where its messages do not match."""
    if _is_file(request):
        fixed = _from_file(request)
        problem = fixed.problem()
        if request.network:
            problem = Problem(fixed.operation, fixed.ranks, fixed.root, fixed.chunks, network=request.network)
        made, title, description = fixed.schedules, fixed.name or Path(request.what[0]).name, fixed.description
        per_element = request.size_bytes / fixed.chunks
    else:
        algorithm = _algorithm(request)
        problem = _problem(algorithm, request)
        made, title, description = generator.schedules(algorithm, problem), algorithm.id, algorithm.description
        per_element = 1.0
    try:
        return Shown(title, description, problem, made, traffic(problem, made), per_element)
    except FaultyError as error:
        raise InputError(f"{title}: {error}", "`rankwise schedule verify` lists all faults") from error


def verify(request: Asked) -> tuple[str, Proof]:
    """Return what was looked at and its proof."""
    if _is_file(request):
        fixed, proof = proved(_from_file(request))
        order = "" if fixed.operation not in REDUCING else (
            ", for operations that commute" if fixed.commutative else ", the order of the ranks kept"
        )  # fmt: skip
        counts = f"counts that are multiples of {fixed.chunks}" if fixed.multiple else "any count"
        return f"{fixed.name or request.what[0]}: {fixed.operation} on {fixed.ranks} ranks, {counts}{order}", proof
    algorithm = _algorithm(request)
    problem = _problem(algorithm, request)
    return f"{algorithm.id} on {problem.ranks} ranks, {problem.count} bytes", prove(
        problem, generator.schedules(algorithm, problem)
    )


def export(request: Asked, form: Format, chunks: int = 0) -> str:
    """Return a schedule in a format. Raises InputError for one that is wrong, or that the format does not keep."""
    if _is_file(request):
        fixed = _from_file(request)
    else:
        algorithm = _algorithm(request)
        fixed = fixed_of(algorithm, _problem(algorithm, request, chunks or request.count() or DEFAULT_RANKS))
    fixed, proof = proved(fixed)
    if not proof.right:
        raise InputError(f"{fixed.name}: {proof.faults[0]}", "`rankwise schedule verify` lists all faults")
    if form == "goal":
        return goal_of(fixed.schedules, max(1, request.size_bytes // fixed.chunks))
    text = {"json": to_json, "msccl": to_msccl, "text": text_of}[form](fixed)
    if form == "msccl":  # its thread blocks put steps in an order that they did not have
        again, proof = proved(from_msccl(text, fixed.name, fixed.root))
        if not proof.right:
            reason = f"{again.name} cannot be written as MSCCL: {proof.faults[0]}"
            raise InputError(reason, "export it as json or goal")
    return text


def write(path: Path, text: str) -> None:
    """Write a text into a file. Raises HostError."""
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise HostError(f"cannot write {path}: {error.strerror}", "give another place for it") from error


def _is_file(request: Asked) -> bool:
    if len(request.what) == 2:
        return False
    if len(request.what) != 1:
        raise InputError("no schedule given", "give an operation and an algorithm, or a file")
    if request.what[0] in OPERATIONS:
        names = ", ".join(algorithm.name for algorithm in algorithms(request.what[0]))
        raise InputError(f"no algorithm given for {request.what[0]}", f"give one of {names}")
    return True


def _from_file(request: Asked) -> FixedSchedule:
    return read(Path(request.what[0]), request.count(), request.root, request.name)


def _algorithm(request: Asked) -> Algorithm:
    return generator.algorithm(*request.what)


def _problem(algorithm: Algorithm, request: Asked, count: int = 0) -> Problem:
    """An element is a byte; `count`: a chunk."""
    return Problem(
        algorithm.operation, request.count() or DEFAULT_RANKS, request.root, count or request.size_bytes,
        commutative=not request.ordered, segment=request.segment_bytes, fan_out=request.fan_out,
        lanes=request.lanes, element_bytes=1, network=request.network,
    )  # fmt: skip
