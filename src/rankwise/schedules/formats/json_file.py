"""Schedules as JSON: for people and programs, one step a line, version 1.

{"format": "rankwise schedule", "version": 1, "operation": "bcast", "ranks": 2, "root": 0, "chunks": 1,
 "schedules": [
  {"rank": 0, "scratch": 0, "steps": [
    {"do": "send", "peer": 1, "tag": 0, "from": ["input", 0], "chunks": 1}]},
  {"rank": 1, "scratch": 0, "steps": [
    {"do": "receive", "peer": 0, "tag": 0, "to": ["output", 0], "chunks": 1, "after": []}]}]}
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Annotated, Any, Literal

import msgspec

from rankwise.core.errors import InputError
from rankwise.schedules.fixed import FixedSchedule
from rankwise.schedules.formats.text import KINDS, MEMORIES
from rankwise.schedules.model import NOWHERE, OPERATIONS, Kind, Memory, Place, Schedule, Step

FORMAT, VERSION = "rankwise schedule", 1
_Count = Annotated[int, msgspec.Meta(ge=0, le=1 << 40)]
_Place = tuple[Literal["input", "output", "scratch"], _Count]
_REMEDY = "`rankwise schedule export bcast binomial -n 4 --format json` shows what a file looks like"


class _Step(msgspec.Struct, forbid_unknown_fields=True):
    do: Literal["send", "receive", "copy", "reduce"]
    chunks: _Count
    peer: _Count | None = None
    tag: _Count = 0
    source: _Place | None = msgspec.field(default=None, name="from")
    target: _Place | None = msgspec.field(default=None, name="to")
    after: list[_Count] = []


class _Schedule(msgspec.Struct, forbid_unknown_fields=True):
    rank: int
    steps: list[_Step]
    scratch: _Count = 0


class _File(msgspec.Struct, forbid_unknown_fields=True):
    format: str
    version: int
    operation: str
    ranks: Annotated[int, msgspec.Meta(ge=1)]
    schedules: list[_Schedule]
    root: _Count = 0
    chunks: Annotated[int, msgspec.Meta(ge=1)] = 1
    name: str = ""
    description: str = ""


def from_json(text: str, file: str) -> FixedSchedule:
    """Return the schedule of a JSON text. Raises InputError that names the file, the rank and the step."""
    try:
        _check_version(msgspec.json.decode(text), file)
        parsed = msgspec.json.decode(text, type=_File)
    except (msgspec.DecodeError, RecursionError) as error:
        raise InputError(f"{file}: {_where(str(error))}", _REMEDY) from error
    if parsed.operation not in OPERATIONS:
        raise InputError(f"{file}: unknown operation '{parsed.operation}'", f"known: {', '.join(OPERATIONS)}")
    if parsed.root >= parsed.ranks or not _are_all(parsed.schedules, parsed.ranks):
        raise InputError(
            f"{file}: its schedules are not those of ranks 0 to {parsed.ranks - 1}, or its root is not among them",
            "give each rank a schedule, in their order",
        )
    made = tuple(
        Schedule(
            schedule.rank,
            tuple(_step(file, schedule.rank, at, raw) for at, raw in enumerate(schedule.steps)),
            schedule.scratch,
        )
        for schedule in parsed.schedules
    )
    return FixedSchedule(
        parsed.operation, parsed.ranks, parsed.root, parsed.chunks, made, parsed.name, parsed.description
    )


def _are_all(schedules: Sequence[_Schedule], ranks: int) -> bool:
    """Whether there is one for each rank, in order."""
    return len(schedules) == ranks and all(schedule.rank == place for place, schedule in enumerate(schedules))


def _check_version(parsed: Any, file: str) -> None:
    if not isinstance(parsed, dict) or parsed.get("format") != FORMAT:
        raise InputError(f"{file} is not a schedule: its 'format' is not '{FORMAT}'", _REMEDY)
    if parsed.get("version") != VERSION:
        raise InputError(
            f"{file} is of version {parsed.get('version')}, and this Rankwise reads version {VERSION}",
            "update Rankwise, or export the schedule again",
        )


def _where(message: str) -> str:
    """msgspec's `$.schedules[1].steps[2].peer` in words."""
    match = re.search(r" - at `\$\.schedules\[(\d+)\](?:\.steps\[(\d+)\])?(.*?)`$", message)
    if not match:
        return message
    step = f", step {match[2]}" if match[2] else ""
    field = f" of '{match[3].lstrip('.')}'" if match[3] else ""
    return f"rank {match[1]}{step}: {message[: match.start()]}{field}"


def _step(file: str, rank: int, number: int, raw: _Step) -> Step:
    kind = Kind[raw.do.upper()]
    fields = {"peer": raw.peer, "from": raw.source, "to": raw.target}
    needed = {Kind.SEND: {"peer", "from"}, Kind.RECEIVE: {"peer", "to"}}.get(kind, {"from", "to"})
    given = {name for name, value in fields.items() if value is not None}
    if given != needed:
        raise InputError(
            f"{file}: rank {rank}, step {number}: a {raw.do} has {' and '.join(sorted(needed))}, "
            f"not {' and '.join(sorted(given)) or 'neither'}",
            _REMEDY,
        )
    peer = -1 if raw.peer is None else raw.peer
    return Step(kind, peer, raw.tag, _place(raw.source), _place(raw.target), raw.chunks, tuple(raw.after))


def _place(raw: tuple[str, int] | None) -> Place:
    return Place(Memory[raw[0].upper()], raw[1]) if raw else NOWHERE


def to_json(fixed: FixedSchedule) -> str:
    """Return the schedule as JSON with one step a line."""
    head = {
        "format": FORMAT, "version": VERSION, "name": fixed.name, "description": fixed.description,
        "operation": fixed.operation, "ranks": fixed.ranks, "root": fixed.root, "chunks": fixed.chunks,
    }  # fmt: skip
    ranks = ",\n".join(_rank(schedule) for schedule in fixed.schedules)
    return f'{json.dumps(head, indent=1)[:-2]},\n "schedules": [\n{ranks}\n ]\n}}\n'


def _rank(schedule: Schedule) -> str:
    steps = ",\n".join(map(_line, schedule.steps))
    return f'  {{"rank": {schedule.rank}, "scratch": {schedule.scratch}, "steps": [\n{steps}\n  ]}}'


def _line(step: Step) -> str:
    """As json.dumps would write it, in a fifth of the time: there may be hundreds of thousands."""
    kind, peer, tag, source, target, length, after = step
    message = f', "peer": {peer}, "tag": {tag}' if peer >= 0 else ""
    begin = f', "from": ["{MEMORIES[source[0]]}", {source[1]}]' if kind != Kind.RECEIVE else ""
    end = f', "to": ["{MEMORIES[target[0]]}", {target[1]}]' if kind != Kind.SEND else ""
    waits = f', "after": {list(after)}' if after else ""
    return f'   {{"do": "{KINDS[kind]}"{message}{begin}{end}, "chunks": {length}{waits}}}'
