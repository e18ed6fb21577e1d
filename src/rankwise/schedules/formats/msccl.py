"""Reads MSCCL's XML (Cowan et al., MSCCLang, ASPLOS 2023) as schedules in chunks.

    algo = gpu*; gpu = tb*; tb = step*, in attributes all that they say

References: msccl-tools (msccl/language/ir.py), which writes it, and RCCL (src/misc/msccl/msccl_parser.cc), which
runs it; docs/formats.md has what is used and what has no effect. A GPU is a rank, and its thread blocks carry
out their steps in order; a step may also wait for one of another block. Between two GPUs messages of a channel
arrive in the order in which they are sent.

`inplace` and `outofplace` say for which calls a file is; without the second it is for those alone that the
first says, as msccl-tools has it, and without both for all. Here a schedule serves all calls: one for calls in
place works on a copy of its input in the output, one for the others on a copy that is not overwritten.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import NamedTuple
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from rankwise.core.errors import InputError
from rankwise.schedules.fixed import FixedSchedule
from rankwise.schedules.model import IN_PLACE, NOWHERE, Kind, Memory, Place, Problem, Schedule, Step

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
_WRITES = {"r", "rcs", "rrc", "rrcs", "cpy", "re"}
_UNUSED = {"s": "dst", "r": "src", "rcs": "src", "rrs": "dst"}
"""What a step does not touch: msccl-tools writes -1 there."""
EVERY, IN_PLACE_ONLY, OUT_OF_PLACE_ONLY = "for all calls", "for calls in place", "for calls out of place"
_OUTPUT = Place(Memory.OUTPUT, 0)
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
            raise self.fail(f'{name}="{text[:20]}" is not a number from 0 to {_MOST}')
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
    output_at: Place = _OUTPUT
    """Where the buffers i and o are: elsewhere if the file works in place, or never does."""
    begins: frozenset[int] = frozenset()
    """What all thread blocks wait for first: the copy of the input."""
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
            raise where.fail(f"unknown buffer '{buffer}': write i, o or s")
        at = {"i": self.input_at, "o": self.output_at}.get(buffer, Place(Memory.SCRATCH, 0))
        return Place(at.memory, at.offset + offset)


def from_msccl(text: str, file: str, root: int = 0) -> FixedSchedule:
    """Return the schedule of an XML text. Raises InputError that names the file, the rank and the step."""
    where = _Where(file)
    try:
        algo = ElementTree.fromstring(text)
    except (ElementTree.ParseError, ValueError) as error:
        raise InputError(f"{file} is not XML: {error}", _REMEDY) from error
    coll = algo.get("coll", "")
    if algo.tag != "algo" or coll not in OPERATIONS:
        known = ", ".join(OPERATIONS)
        raise where.fail(f"<{algo.tag} coll='{coll}'>, expected an algo that is one of {known}")
    gpus = sorted(algo.findall("gpu"), key=lambda gpu: where.number(gpu, "id"))
    if [int(gpu.get("id", "")) for gpu in gpus] != list(range(len(gpus))) or not 0 <= root < len(gpus):
        raise where.fail(f"its gpus are not numbered from 0 on, or rank {root} is not among them")
    operation = OPERATIONS[coll]
    chunks = _block_chunks(operation, gpus, where._replace(rank=root))
    used = sorted({where.number(tb, "chan", 0) for tb in algo.iter("tb")})
    channels = {channel: place for place, channel in enumerate(used)}
    problem = Problem(operation, len(gpus), root, chunks)
    calls = _calls(algo, where)
    made = []
    for rank, gpu in enumerate(gpus):
        here = where._replace(rank=rank)
        lowered = _Gpu(here, chunks, _whole(here.number(gpu, "s_chunks", 0), chunks), channels)
        _read(problem, calls, lowered, gpu)
        made.append(Schedule(rank, tuple(lowered.steps), lowered.scratch))
    return FixedSchedule(
        operation, len(gpus), root, chunks, tuple(made), algo.get("name", ""), f"read from MSCCL, {calls}"
    )


def _calls(algo: Element, where: _Where) -> str:
    """For which calls a file is."""
    inside = where.number(algo, "inplace", 1)
    outside = where.number(algo, "outofplace", int(not inside or "inplace" not in algo.attrib))
    if not inside and not outside:
        raise where.fail('inplace="0" and outofplace="0": it is for no call')
    return EVERY if inside and outside else IN_PLACE_ONLY if inside else OUT_OF_PLACE_ONLY


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


def _read(problem: Problem, calls: str, made: _Gpu, gpu: Element) -> None:
    """The steps of all thread blocks, each when those that it waits for have been read."""
    blocks = {made.where.number(tb, "id"): tb for tb in gpu.findall("tb")}
    todo = {number: tb.findall("step") for number, tb in blocks.items()}
    written = {step.get("dstbuf") for steps in todo.values() for step in steps if step.get("type") in _WRITES}
    writes = "i" in written
    if calls == IN_PLACE_ONLY and not written & {"i", "o"} and not problem.output_length(made.where.rank):
        made.output_at = NOWHERE  # both are the input, and it is only read
    elif calls == IN_PLACE_ONLY:
        _work_in_place(problem, made)
    elif calls == OUT_OF_PLACE_ONLY and not writes:
        _keep_input(problem, made)
    elif writes and (calls == OUT_OF_PLACE_ONLY or problem.operation not in {"allreduce", "allgather"}):
        raise made.where.fail(f"it writes to the input, which {problem.operation} only reads")
    elif writes:
        _work_in_place(problem, made)
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
                own = {send for _, _, send in made.sent[sends:]}
                made.ends[number, done[number]] = own or made.goes_on[number]
                done[number] += 1
                left -= 1
        if left == before:
            number = next(number for number, steps in todo.items() if done[number] < len(steps))
            stuck = made.where._replace(block=number, step=done[number])
            raise stuck.fail("it waits for a missing step, or for itself")
    _copy_out(problem, made)


def _work_in_place(problem: Problem, made: _Gpu) -> None:
    """The buffers i and o are one: OUTPUT, or where the input is larger a copy of it. Here INPUT is only read."""
    rank = made.where.rank
    length, out = problem.input_length(rank), problem.output_length(rank)
    if not length and not out:
        return
    if problem.operation in {"reduce_scatter", "scatter"} or not out:
        if not length:
            made.input_at = _OUTPUT
            return
        made.input_at = _scratch(made, length)
        made.output_at = Place(Memory.SCRATCH, made.input_at.offset + problem.block_start(rank) * bool(out))
    else:
        start = problem.block_start(rank) if problem.operation in {"allgather", "gather"} else 0
        made.input_at = Place(Memory.OUTPUT, start)
    if length:
        made.begins = frozenset(made.add(Kind.COPY, NOWHERE, made.input_at, length, set()))


def _keep_input(problem: Problem, made: _Gpu) -> None:
    """The steps read a copy of the input, which in place the output would overwrite."""
    length = problem.input_length(made.where.rank)
    if problem.operation in IN_PLACE and length:
        made.input_at = _scratch(made, length)
        made.begins = frozenset(made.add(Kind.COPY, NOWHERE, made.input_at, length, set()))


def _scratch(made: _Gpu, length: int) -> Place:
    start, made.scratch = made.scratch, made.scratch + _whole(length, made.chunks)
    return Place(Memory.SCRATCH, start)


def _copy_out(problem: Problem, made: _Gpu) -> None:
    """What was made in a copy of the input becomes the output, when all is done."""
    length = problem.output_length(made.where.rank)
    if made.output_at.memory is Memory.SCRATCH and length:
        made.add(Kind.COPY, made.output_at, _OUTPUT, length, set(range(len(made.steps))))


def _waits(made: _Gpu, where: _Where, step: Element) -> set[int] | None:
    """The steps that this one waits for; None if some of them have not been read."""
    after = made.goes_on.get(where.block, set(made.begins))
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
        raise where.fail(f"unknown type of step '{name}': write {', '.join(sorted(_TYPES))}")
    if name == "nop":
        return made.add(Kind.COPY, NOWHERE, NOWHERE, 0, after)
    source, target = (
        NOWHERE if _UNUSED.get(name) == which else made.place(where, step, which) for which in ("src", "dst")
    )
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
