"""Reads MSCCL's XML (Cowan et al., MSCCLang, ASPLOS 2023) as schedules in chunks.

A GPU is a rank, and its thread blocks carry out their steps in order; a step may also wait for one of another
block. Between two GPUs messages of a channel arrive in the order in which they are sent.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import NamedTuple
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from rankwise.core.errors import InputError
from rankwise.schedules.fixed import FixedSchedule
from rankwise.schedules.model import NOWHERE, Kind, Memory, Place, Schedule, Step

OPERATIONS = {
    "allreduce": "allreduce", "allgather": "allgather", "reduce_scatter": "reduce_scatter", "alltoall": "alltoall",
    "broadcast": "bcast", "reduce": "reduce", "gather": "gather", "scatter": "scatter",
    "reducescatter": "reduce_scatter",
}  # fmt: skip
"""MSCCL's names and ours."""
_TYPES = {"s", "r", "rcs", "rrc", "rrs", "rrcs", "cpy", "re", "nop"}
_RECEIVES = {"r", "rcs", "rrc", "rrs", "rrcs"}
_SENDS = {"s", "rcs", "rrs", "rrcs"}
_REDUCES = {"rrc", "rrs", "rrcs"}
BUFFERS = {"i": Memory.INPUT, "o": Memory.OUTPUT, "s": Memory.SCRATCH}
_MOST = 1 << 24
_REMEDY = "give a file as msccl-tools writes it"


class _Where(NamedTuple):
    """A place in a file, for messages."""

    file: str
    rank: int = -1
    block: int = -1
    step: int = -1

    def fail(self, reason: str) -> InputError:
        """Return the error for this place."""
        named = zip(("rank", "tb", "step"), self[1:], strict=True)
        place = ", ".join(f"{name} {number}" for name, number in named if number >= 0)
        return InputError(f"{self.file}: {place}{': ' * bool(place)}{reason}", _REMEDY)

    def number(self, of: Element, name: str, default: int | None = None) -> int:
        """Return an attribute as a number: from 0 on, or the default."""
        text = of.get(name, "" if default is None else str(default))
        if text == str(default):
            return int(text)
        if not text.isdecimal() or len(text) > 8 or int(text) > _MOST:
            raise self.fail(f'{name}="{text[:20]}" is no number from 0 to {_MOST}')
        return int(text)


@dataclass(slots=True)
class _Gpu:
    """A rank that is being read."""

    where: _Where
    chunks: int
    scratch: int
    channels: dict[int, int]
    """Each channel's place among them."""
    input_at: Place = NOWHERE
    """OUTPUT where a file in place writes to its input, which is copied there first."""
    steps: list[Step] = field(default_factory=list)
    ends: dict[tuple[int, int], set[int]] = field(default_factory=dict)
    """Of a thread block's step the steps of ours that end it, for other thread blocks."""
    goes_on: dict[int, set[int]] = field(default_factory=dict)
    """What a thread block's next step waits for: not for a send, which leaves its data in a buffer."""
    sent: list[tuple[Place, int, int]] = field(default_factory=list)
    """What is sent, its length and the number of its step."""
    wires: dict[tuple[Kind, int, int], int] = field(default_factory=lambda: defaultdict(int))
    spare: dict[int, tuple[int, int]] = field(default_factory=dict)
    """Of a thread block its scratch memory for what it receives and reduces: start and length."""

    def add(self, kind: Kind, source: Place, target: Place, length: int, after: set[int]) -> set[int]:
        """Add a step that is no message; return it alone."""
        after = after | self._still_sent(target, length)
        self.steps.append(Step(kind, -1, 0, source, target, length, tuple(sorted(after))))
        return {len(self.steps) - 1}

    def message(self, kind: Kind, wire: tuple[int, int], place: Place, length: int, after: set[int]) -> set[int]:
        """Add a message on a wire, a peer and a channel; its tag says how many have come before.

        Return what its thread block's next step waits for.
        """
        sequence = self.wires[kind, *wire]
        self.wires[kind, *wire] += 1
        tag = sequence * len(self.channels) + self.channels[wire[1]]
        if kind is Kind.SEND:
            self.sent.append((place, length, len(self.steps)))
            self.steps.append(Step(kind, wire[0], tag, place, NOWHERE, length, tuple(sorted(after))))
            return after
        after = after | self._still_sent(place, length)
        self.steps.append(Step(kind, wire[0], tag, NOWHERE, place, length, tuple(sorted(after))))
        return {len(self.steps) - 1}

    def _still_sent(self, place: Place, length: int) -> set[int]:
        """The sends of what is written now."""
        return {
            number
            for source, elements, number in self.sent
            if source.memory is place.memory
            and source.offset < place.offset + length
            and place.offset < source.offset + elements
        }

    def spare_for(self, block: int, like: Place, count: int) -> Place:
        """Return scratch memory of a thread block at the like place within a block of the data."""
        shift = like.offset % self.chunks
        needed = _whole(shift + count, self.chunks)
        start, length = self.spare.get(block, (0, 0))
        if needed > length:
            start, self.scratch = self.scratch, self.scratch + needed
            self.spare[block] = (start, needed)
        return Place(Memory.SCRATCH, start + shift)

    def place(self, where: _Where, step: Element, which: str) -> Place:
        """Return the source or the target of a step."""
        buffer, offset = step.get(f"{which}buf", ""), where.number(step, f"{which}off")
        if buffer not in BUFFERS:
            raise where.fail(f"there is no buffer '{buffer}': write i, o or s")
        if buffer == "i":
            return Place(self.input_at.memory, self.input_at.offset + offset)
        return Place(BUFFERS[buffer], offset)


def from_msccl(text: str, file: str, root: int = 0) -> FixedSchedule:
    """Return the schedule of an XML text. Raises InputError that names the file, the rank and the step."""
    where = _Where(file)
    try:
        algo = ElementTree.fromstring(text)
    except (ElementTree.ParseError, ValueError) as error:
        raise InputError(f"{file} is no XML: {error}", _REMEDY) from error
    coll = algo.get("coll", "")
    if algo.tag != "algo" or coll not in OPERATIONS:
        known = ", ".join(OPERATIONS)
        raise where.fail(f"<{algo.tag} coll='{coll}'>, where an algo is read that is one of {known}")
    gpus = sorted(algo.findall("gpu"), key=lambda gpu: where.number(gpu, "id"))
    if [int(gpu.get("id", "")) for gpu in gpus] != list(range(len(gpus))) or not 0 <= root < len(gpus):
        raise where.fail(f"its gpus are not numbered from 0 on, or rank {root} is not among them")
    operation = OPERATIONS[coll]
    chunks = _block_chunks(operation, gpus, where._replace(rank=root))
    used = sorted({where.number(tb, "chan", 0) for tb in algo.iter("tb")})
    channels = {channel: place for place, channel in enumerate(used)}
    made = []
    for rank, gpu in enumerate(gpus):
        here = where._replace(rank=rank)
        one = _Gpu(here, chunks, _whole(here.number(gpu, "s_chunks", 0), chunks), channels)
        _read(operation, one, gpu)
        made.append(Schedule(rank, tuple(one.steps), one.scratch))
    return FixedSchedule(operation, len(gpus), root, chunks, tuple(made), algo.get("name", ""), "read from MSCCL")


def _whole(chunks: int, block: int) -> int:
    """Chunks rounded up to whole blocks."""
    return -(-chunks // block) * block


def _block_chunks(operation: str, gpus: list[Element], where: _Where) -> int:
    """Chunks of a block: MSCCL tells those of whole buffers, which may be 0 where a file works in place."""
    gpu = gpus[where.rank]
    sizes = {"i": where.number(gpu, "i_chunks", 0), "o": where.number(gpu, "o_chunks", 0)}
    inputs = len(gpus) if operation in {"reduce_scatter", "scatter", "alltoall"} else 1
    outputs = len(gpus) if operation in {"allgather", "gather", "alltoall"} else 1
    chunks = sizes["i"] // inputs or sizes["o"] // outputs
    if not chunks:
        raise where.fail("its i_chunks and o_chunks are less than a block")
    return chunks


def _read(operation: str, made: _Gpu, gpu: Element) -> None:
    """The steps of all thread blocks, each when those that it waits for have been read."""
    blocks = {made.where.number(tb, "id"): tb for tb in gpu.findall("tb")}
    todo = {number: tb.findall("step") for number, tb in blocks.items()}
    if any(_writes_input(step) for steps in todo.values() for step in steps):
        _copy_input(operation, made)
    done = dict.fromkeys(blocks, 0)
    left = sum(map(len, todo.values()))
    while left:
        before = left
        for number, steps in todo.items():
            while done[number] < len(steps):
                where = made.where._replace(block=number, step=done[number])
                after = _waits(made, where, steps[done[number]])
                if after is None:
                    break
                sends = len(made.sent)
                made.goes_on[number] = _lower(made, where, blocks[number], after)
                own = {one for _, _, one in made.sent[sends:]}
                made.ends[number, done[number]] = own or made.goes_on[number]
                done[number] += 1
                left -= 1
        if left == before:
            number = next(number for number, steps in todo.items() if done[number] < len(steps))
            stuck = made.where._replace(block=number, step=done[number])
            raise stuck.fail("it waits for a step that is not there, or for itself")


def _writes_input(step: Element) -> bool:
    return step.get("type") in {"r", "rcs", "rrc", "rrcs", "cpy", "re"} and step.get("dstbuf") == "i"


def _copy_input(operation: str, made: _Gpu) -> None:
    """Work on a copy in OUTPUT: here INPUT is never written."""
    if operation not in {"allreduce", "allgather"}:
        raise made.where.fail(f"it writes to the input, which {operation} only reads")
    start = made.where.rank * made.chunks if operation == "allgather" else 0
    made.input_at = Place(Memory.OUTPUT, start)
    made.add(Kind.COPY, NOWHERE, made.input_at, made.chunks, set())


def _waits(made: _Gpu, where: _Where, step: Element) -> set[int] | None:
    """The steps that this one waits for; None if some of them have not been read."""
    first = {0} if made.input_at.memory is Memory.OUTPUT else set()
    after = made.goes_on.get(where.block, first)
    block, other = where.number(step, "depid", -1), where.number(step, "deps", -1)
    if block >= 0:
        if (block, other) not in made.ends:
            return None
        return after | made.ends[block, other]
    return after


def _lower(made: _Gpu, where: _Where, tb: Element, after: set[int]) -> set[int]:
    """One step of a thread block as steps of ours; return those that end it."""
    step = tb.findall("step")[where.step]
    name, count = step.get("type", ""), where.number(step, "cnt", 1)
    if name not in _TYPES:
        raise where.fail(f"there is no type '{name}' of steps: write {', '.join(sorted(_TYPES))}")
    if name == "nop":
        return made.add(Kind.COPY, NOWHERE, NOWHERE, 0, after)
    source, target = made.place(where, step, "src"), made.place(where, step, "dst")
    if name in {"cpy", "re"}:
        kind = Kind.COPY if name == "cpy" else Kind.REDUCE
        return made.add(kind, source, target, count if source != target else 0, after)
    channel = where.number(tb, "chan", 0)
    last = after
    if name in _RECEIVES:
        into = made.spare_for(where.block, source, count) if name in _REDUCES else target
        last = made.message(Kind.RECEIVE, (where.number(tb, "recv"), channel), into, count, last)
        if name == "rrs":
            last, target = made.add(Kind.REDUCE, source, into, count, last), into
        elif name in _REDUCES:
            if source != target:
                last = made.add(Kind.COPY, source, target, count, last)
            last = made.add(Kind.REDUCE, into, target, count, last)
    if name in _SENDS:
        out = source if name == "s" else target
        last = made.message(Kind.SEND, (where.number(tb, "send"), channel), out, count, last)
    return last
