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


def show(asked: Asked) -> Shown:
    """Return a schedule and what it sends. Raises InputError, also where its messages do not match."""
    if _is_file(asked):
        fixed = _from_file(asked)
        problem = fixed.problem()
        if asked.network:
            problem = Problem(fixed.operation, fixed.ranks, fixed.root, fixed.chunks, network=asked.network)
        made, title, description = fixed.schedules, fixed.name or Path(asked.what[0]).name, fixed.description
        per_element = asked.size_bytes / fixed.chunks
    else:
        one = _algorithm(asked)
        problem = _problem(one, asked)
        made, title, description = generator.schedules(one, problem), one.id, one.description
        per_element = 1.0
    try:
        return Shown(title, description, problem, made, traffic(problem, made), per_element)
    except FaultyError as error:
        raise InputError(f"{title}: {error}", "`rankwise schedule verify` lists all faults") from error


def verify(asked: Asked) -> tuple[str, Proof]:
    """Return what was looked at and its proof."""
    if _is_file(asked):
        fixed, proof = proved(_from_file(asked))
        order = "" if fixed.operation not in REDUCING else (
            ", for operations that commute" if fixed.commutative else ", the order of the ranks kept"
        )  # fmt: skip
        counts = f"counts that are multiples of {fixed.chunks}" if fixed.multiple else "any count"
        return f"{fixed.name or asked.what[0]}: {fixed.operation} on {fixed.ranks} ranks, {counts}{order}", proof
    one = _algorithm(asked)
    problem = _problem(one, asked)
    return f"{one.id} on {problem.ranks} ranks, {problem.count} bytes", prove(
        problem, generator.schedules(one, problem)
    )


def export(asked: Asked, form: Format, chunks: int = 0) -> str:
    """Return a schedule in a format. Raises InputError for one that is wrong, or that the format does not keep."""
    if _is_file(asked):
        fixed = _from_file(asked)
    else:
        one = _algorithm(asked)
        fixed = fixed_of(one, _problem(one, asked, chunks or asked.count() or DEFAULT_RANKS))
    fixed, proof = proved(fixed)
    if not proof.right:
        raise InputError(f"{fixed.name}: {proof.faults[0]}", "`rankwise schedule verify` lists all faults")
    if form == "goal":
        return goal_of(fixed.schedules, max(1, asked.size_bytes // fixed.chunks))
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


def _is_file(asked: Asked) -> bool:
    if len(asked.what) == 2:
        return False
    if len(asked.what) != 1:
        raise InputError("no schedule given", "give an operation and an algorithm, or a file")
    if asked.what[0] in OPERATIONS:
        names = ", ".join(one.name for one in algorithms(asked.what[0]))
        raise InputError(f"no algorithm given for {asked.what[0]}", f"give one of {names}")
    return True


def _from_file(asked: Asked) -> FixedSchedule:
    return read(Path(asked.what[0]), asked.count(), asked.root, asked.name)


def _algorithm(asked: Asked) -> Algorithm:
    return generator.algorithm(*asked.what)


def _problem(one: Algorithm, asked: Asked, count: int = 0) -> Problem:
    """An element is a byte; `count`: a chunk."""
    return Problem(
        one.operation, asked.count() or DEFAULT_RANKS, asked.root, count or asked.size_bytes,
        commutative=not asked.ordered, segment=asked.segment_bytes, fan_out=asked.fan_out, lanes=asked.lanes,
        element_bytes=1, network=asked.network,
    )  # fmt: skip
