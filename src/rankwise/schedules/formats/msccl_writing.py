"""Writes schedules as MSCCL's XML: a thread block for each peer and tag, and one for local steps.

A thread block carries out its steps one behind the other, which a schedule does not ask for. All are written in
one order in which everything can happen on all ranks, so that no blocks wait for one another in a circle.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from rankwise.core.errors import InputError
from rankwise.schedules.fixed import FixedSchedule
from rankwise.schedules.formats.msccl import BUFFERS, OPERATIONS
from rankwise.schedules.matching import order
from rankwise.schedules.model import IN_PLACE, NOWHERE, Kind, Place, Schedule, Step


def to_msccl(fixed: FixedSchedule) -> str:
    """Return the schedule as XML.

    Raises InputError for operations that MSCCL has no name for, and FaultyError for schedules that are wrong.
    """
    names = {ours: theirs for theirs, ours in reversed(OPERATIONS.items())}
    if fixed.operation not in names:
        raise InputError(f"MSCCL has no {fixed.operation}", "export it as json or goal")
    channels = 1 + max((step.tag for schedule in fixed.schedules for step in schedule.steps), default=0)
    algo = ElementTree.Element("algo", {
        "name": fixed.name or fixed.operation, "proto": "Simple", "nchannels": str(channels),
        "nchunksperloop": str(fixed.chunks * (1 if _one_block(fixed.operation) else fixed.ranks)),
        "ngpus": str(fixed.ranks), "coll": names[fixed.operation], **_calls(fixed.operation),
        "minBytes": "0", "maxBytes": "0",
    })  # fmt: skip
    problem = fixed.problem()
    happens = _order(fixed.schedules)
    for schedule in fixed.schedules:
        gpu = ElementTree.SubElement(algo, "gpu", {
            "id": str(schedule.rank), "i_chunks": str(problem.input_length(schedule.rank)),
            "o_chunks": str(problem.output_length(schedule.rank)), "s_chunks": str(schedule.scratch),
        })  # fmt: skip
        _write_blocks(gpu, schedule, happens[schedule.rank])
    ElementTree.indent(algo)
    return ElementTree.tostring(algo, encoding="unicode") + "\n"


def _one_block(operation: str) -> bool:
    return operation in {"bcast", "reduce", "allreduce"}


def _calls(operation: str) -> dict[str, str]:
    """Schedules that serve MPI_IN_PLACE were proved for both; the root's block of a broadcast is its input."""
    return {
        "inplace": str(int(operation in IN_PLACE or operation == "bcast")),
        "outofplace": str(int(operation != "bcast")),
    }


def _order(schedules: Sequence[Schedule]) -> list[list[int]]:
    """Of each rank its steps, in one order of all that happens."""
    numbers: list[list[int]] = [[] for _ in schedules]
    for rank, at, other_rank, other_at in order(schedules).events:
        numbers[rank].append(at)
        if other_at >= 0:
            numbers[other_rank].append(other_at)
    return numbers


def _write_blocks(gpu: Element, schedule: Schedule, numbers: Sequence[int]) -> None:
    """Steps of a block are in order, and each may wait for one step of another block: more need a nop each."""
    places: dict[int, tuple[int, int]] = {}
    blocks: dict[tuple[Kind, int, int], tuple[int, Element, list[int]]] = {}
    waited = {earlier for step in schedule.steps for earlier in step.after}
    for number in numbers:
        step = schedule.steps[number]
        key = (step.kind, step.peer, step.tag) if step.peer >= 0 else (Kind.COPY, -1, 0)
        if key not in blocks:
            block = ElementTree.SubElement(gpu, "tb", {
                "id": str(len(blocks)), "send": str(step.peer if step.kind is Kind.SEND else -1),
                "recv": str(step.peer if step.kind is Kind.RECEIVE else -1), "chan": str(step.tag),
            })  # fmt: skip
            blocks[key] = (len(blocks), block, [])
        name, block, own = blocks[key]
        others = [places[earlier] for earlier in step.after if earlier not in own]
        for other in others[:-1] if step.length else others:
            _write_step(block, Step(Kind.COPY, -1, 0, NOWHERE, NOWHERE, 0), other, True)
        if step.length or not others:
            _write_step(block, step, others[-1] if others else (-1, -1), number in waited)
        places[number] = (name, len(block) - 1)
        own.append(number)


def _write_step(block: Element, step: Step, after: tuple[int, int], waited: bool) -> None:
    kinds = {Kind.SEND: "s", Kind.RECEIVE: "r", Kind.COPY: "cpy", Kind.REDUCE: "re"}
    source = step.target if step.kind is Kind.RECEIVE else step.source
    target = step.source if step.kind is Kind.SEND else step.target
    ElementTree.SubElement(block, "step", {
        "s": str(len(block)), "type": kinds[step.kind] if step.length or step.peer >= 0 else "nop",
        **dict(_buffer("src", source)), **dict(_buffer("dst", target)), "cnt": str(step.length),
        "depid": str(after[0]), "deps": str(after[1]), "hasdep": str(int(waited)),
    })  # fmt: skip


def _buffer(which: str, place: Place) -> Iterator[tuple[str, str]]:
    yield f"{which}buf", {memory: letter for letter, memory in BUFFERS.items()}[place.memory]
    yield f"{which}off", str(place.offset)
