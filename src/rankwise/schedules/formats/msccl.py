"""Reads MSCCL's XML (Cowan et al., MSCCLang, ASPLOS 2023) as schedules in chunks, and writes it.

A GPU is a rank, and its thread blocks carry out their steps in order; a step may also wait for one of another
block. Between two GPUs messages of a channel arrive in the order in which they are sent.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
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
_BUFFERS = {"i": Memory.INPUT, "o": Memory.OUTPUT, "s": Memory.SCRATCH}
_MOST = 1 << 24
_REMEDY = "give a file as msccl-tools writes it"


@dataclass(slots=True)
class _Gpu:
    """A rank that is being read."""

    rank: int
    file: str
    chunks: int
    scratch: int
    input_written: Place | None = None
    """Where INPUT was copied to, because a file in place writes to it."""
    steps: list[Step] = field(default_factory=list)
    ends: dict[tuple[int, int], int] = field(default_factory=dict)
    """Of a thread block's step the step of ours that ends it."""
    wires: dict[tuple[Kind, int, int], int] = field(default_factory=lambda: defaultdict(int))

    def fail(self, where: str, reason: str) -> InputError:
        """Return the error for a place in the file."""
        return InputError(f"{self.file}: rank {self.rank}{where}: {reason}", _REMEDY)

    def add(self, kind: Kind, source: Place, target: Place, length: int, after: set[int]) -> int:
        """Add a step that is no message."""
        self.steps.append(Step(kind, -1, 0, source, target, length, tuple(sorted(after))))
        return len(self.steps) - 1

    def message(self, kind: Kind, peer: int, channel: tuple[int, int], place: Place, length: int,
                after: set[int]) -> int:  # fmt: skip
        """Add a message; its tag says its channel and how many it has had before."""
        number, channels = channel
        sequence = self.wires[kind, peer, number]
        self.wires[kind, peer, number] += 1
        source, target = (place, NOWHERE) if kind is Kind.SEND else (NOWHERE, place)
        tag = sequence * channels + number
        self.steps.append(Step(kind, peer, tag, source, target, length, tuple(sorted(after))))
        return len(self.steps) - 1


def from_msccl(text: str, file: str, root: int = 0) -> FixedSchedule:
    """Return the schedule of an XML text. Raises InputError that names the file, the rank and the step."""
    try:
        algo = ElementTree.fromstring(text)
    except (ElementTree.ParseError, ValueError) as error:
        raise InputError(f"{file} is no XML: {error}", _REMEDY) from error
    coll = algo.get("coll", "")
    if algo.tag != "algo" or coll not in OPERATIONS:
        raise InputError(
            f"{file}: '{algo.tag}' of collective '{coll}', where an algo of {', '.join(OPERATIONS)} is read",
            _REMEDY,
        )
    operation = OPERATIONS[coll]
    found = algo.findall("gpu")
    ranks = sorted(found, key=lambda gpu: _number(gpu, "id", file, "a gpu"))
    if [gpu.get("id") for gpu in ranks] != [str(rank) for rank in range(len(ranks))] or not 0 <= root < len(ranks):
        raise InputError(f"{file}: its gpus are not numbered from 0 on, or rank {root} is not among them", _REMEDY)
    chunks = _block_chunks(operation, ranks, root, file)
    channels = 1 + max((_number(tb, "chan", file, "a tb", 0) for tb in algo.iter("tb")), default=0)
    made = tuple(_schedule(operation, gpu, chunks, channels, file) for gpu in ranks)
    return FixedSchedule(operation, len(ranks), root, chunks, made, algo.get("name", ""), "read from MSCCL's XML")


def _number(of: Element, name: str, file: str, where: str, default: int | None = None, least: int = 0) -> int:
    text = of.get(name, "" if default is None else str(default))
    try:
        number = int(text) if len(text) < 12 else _MOST + 1
    except ValueError:
        number = least - 1
    if not least <= number <= _MOST:
        raise InputError(f'{file}: {where} has {name}="{text[:20]}"', f"write a number from {least} on")
    return number


def _block_chunks(operation: str, gpus: list[Element], root: int, file: str) -> int:
    """Chunks of a block: MSCCL tells those of whole buffers, which may be 0 where a file works in place."""
    ranks = len(gpus)
    own = {"bcast": "i_chunks", "reduce": "i_chunks", "allreduce": "i_chunks", "gather": "i_chunks",
           "allgather": "i_chunks", "reduce_scatter": "o_chunks", "scatter": "o_chunks"}.get(operation, "")  # fmt: skip
    gpu = gpus[root]
    whole = "i_chunks" if operation in {"reduce_scatter", "scatter", "alltoall"} else "o_chunks"
    chunks = _number(gpu, own, file, f"gpu {root}", 0) if own else 0
    blocks = 1 if operation in {"bcast", "reduce", "allreduce"} else ranks
    chunks = chunks or _number(gpu, whole, file, f"gpu {root}", 0) // blocks
    if not chunks:
        raise InputError(f"{file}: gpu {root} says neither its i_chunks nor its o_chunks", _REMEDY)
    return chunks


def _schedule(operation: str, gpu: Element, chunks: int, channels: int, file: str) -> Schedule:
    rank = int(gpu.get("id", "0"))
    made = _Gpu(rank, file, chunks, _number(gpu, "s_chunks", file, f"gpu {rank}", 0))
    made.scratch = -(-made.scratch // chunks) * chunks
    blocks = {_number(tb, "id", file, f"rank {rank}: a tb"): tb for tb in gpu.findall("tb")}
    _in_place(operation, made, blocks)
    todo = {number: list(tb.findall("step")) for number, tb in blocks.items()}
    done = dict.fromkeys(blocks, 0)
    spare: dict[int, tuple[int, int]] = {}
    while any(done[number] < len(steps) for number, steps in todo.items()):
        before = len(made.ends)
        for number, steps in todo.items():
            while done[number] < len(steps) and _can(made, steps[done[number]], file):
                _lower(made, (number, done[number]), blocks[number], steps[done[number]], channels, spare)
                done[number] += 1
        if len(made.ends) == before:
            stuck = next(number for number, steps in todo.items() if done[number] < len(steps))
            raise made.fail(
                f", tb {stuck}, step {done[stuck]}", "it waits for a step that is not there, or for itself"
            )
    return Schedule(rank, tuple(made.steps), made.scratch)


def _in_place(operation: str, made: _Gpu, blocks: dict[int, Element]) -> None:
    """A file in place may write to its input, which is never written here: it works on a copy in OUTPUT."""
    for tb in blocks.values():
        for step in tb.findall("step"):
            writes = step.get("type") in {"r", "rcs", "rrc", "rrcs", "cpy", "re"}
            if writes and step.get("dstbuf") == "i" and made.input_written is None:
                if operation not in {"allreduce", "allgather"}:
                    raise made.fail("", f"it writes to the input, which {operation} only reads")
                start = made.rank * made.chunks if operation == "allgather" else 0
                made.input_written = Place(Memory.OUTPUT, start)
                made.add(Kind.COPY, Place(Memory.INPUT, 0), made.input_written, made.chunks, set())


def _can(made: _Gpu, step: Element, file: str) -> bool:
    block = _number(step, "depid", file, f"rank {made.rank}: a step", -1, least=-1)
    return (
        block < 0 or (block, _number(step, "deps", file, f"rank {made.rank}: a step", -1, least=-1)) in made.ends
    )


def _place(made: _Gpu, step: Element, which: str, where: str) -> Place:
    buffer = step.get(f"{which}buf", "")
    if buffer not in _BUFFERS:
        raise made.fail(where, f"there is no buffer '{buffer}': write i, o or s")
    offset = _number(step, f"{which}off", made.file, f"rank {made.rank}{where}")
    if buffer == "i" and made.input_written is not None:
        return Place(Memory.OUTPUT, made.input_written.offset + offset)
    return Place(_BUFFERS[buffer], offset)


def _lower(
    made: _Gpu, at: tuple[int, int], tb: Element, step: Element, channels: int, spare: dict[int, tuple[int, int]]
) -> None:
    """One step of a thread block as steps of ours."""
    where = f", tb {at[0]}, step {at[1]}"
    name, count = step.get("type", ""), _number(step, "cnt", made.file, f"rank {made.rank}{where}", 1)
    if name not in _TYPES:
        raise made.fail(where, f"there is no type '{name}' of steps: write {', '.join(sorted(_TYPES))}")
    after = {made.ends[at[0], at[1] - 1]} if at[1] else ({0} if made.input_written is not None else set())
    block = int(step.get("depid", -1))
    if block >= 0:
        after.add(made.ends[block, int(step.get("deps", -1))])
    if name == "nop":
        made.ends[at] = made.add(Kind.COPY, NOWHERE, NOWHERE, 0, after)
        return
    source, target = _place(made, step, "src", where), _place(made, step, "dst", where)
    channel = (_number(tb, "chan", made.file, f"rank {made.rank}{where}", 0), channels)
    peers = {
        kind: _number(tb, attribute, made.file, f"rank {made.rank}, tb {at[0]}")
        for kind, attribute, users in ((Kind.SEND, "send", _SENDS), (Kind.RECEIVE, "recv", _RECEIVES))
        if name in users
    }
    if name in {"cpy", "re"}:
        kind = Kind.COPY if name == "cpy" else Kind.REDUCE
        last = made.add(kind, source, target, count if source != target else 0, after)
    elif name == "s":
        last = made.message(Kind.SEND, peers[Kind.SEND], channel, source, count, after)
    else:
        reduces = name in {"rrc", "rrs", "rrcs"}
        into = _spare(made, at[0], source, count, spare) if reduces else target
        last = made.message(Kind.RECEIVE, peers[Kind.RECEIVE], channel, into, count, after)
        if name == "rrs":
            last, target = made.add(Kind.REDUCE, source, into, count, {last}), into
        elif reduces:
            if source != target:
                last = made.add(Kind.COPY, source, target, count, {last})
            last = made.add(Kind.REDUCE, into, target, count, {last})
        if name in _SENDS:
            last = made.message(Kind.SEND, peers[Kind.SEND], channel, target, count, {last})
    made.ends[at] = last


def _spare(made: _Gpu, block: int, like: Place, count: int, spare: dict[int, tuple[int, int]]) -> Place:
    """Scratch memory of a thread block for what it receives and reduces, at the like place within a block."""
    shift = like.offset % made.chunks
    needed = -(-(shift + count) // made.chunks) * made.chunks
    start, length = spare.get(block, (0, 0))
    if needed > length:
        start, made.scratch = made.scratch, made.scratch + needed
        spare[block] = (start, needed)
    return Place(Memory.SCRATCH, start + shift)


def to_msccl(fixed: FixedSchedule) -> str:
    """Return the schedule as MSCCL's XML: a thread block for each peer that is sent to or heard, and one for the rest.

    Raises InputError for operations that MSCCL has no name for.
    """
    names = {ours: theirs for theirs, ours in reversed(OPERATIONS.items())}
    if fixed.operation not in names:
        raise InputError(f"MSCCL has no {fixed.operation}", "export it as json or goal")
    channels = 1 + max((step.tag for one in fixed.schedules for step in one.steps), default=0)
    algo = ElementTree.Element("algo", {
        "name": fixed.name or fixed.operation, "proto": "Simple", "nchannels": str(channels),
        "nchunksperloop": str(fixed.chunks * (1 if _one_block(fixed.operation) else fixed.ranks)),
        "ngpus": str(fixed.ranks), "coll": names[fixed.operation], "inplace": "0", "outofplace": "1",
        "minBytes": "0", "maxBytes": "0",
    })  # fmt: skip
    problem = fixed.problem()
    for schedule in fixed.schedules:
        gpu = ElementTree.SubElement(algo, "gpu", {
            "id": str(schedule.rank), "i_chunks": str(problem.input_length(schedule.rank)),
            "o_chunks": str(problem.output_length(schedule.rank)), "s_chunks": str(schedule.scratch),
        })  # fmt: skip
        _write_blocks(gpu, schedule)
    ElementTree.indent(algo)
    return ElementTree.tostring(algo, encoding="unicode") + "\n"


def _one_block(operation: str) -> bool:
    return operation in {"bcast", "reduce", "allreduce"}


def _write_blocks(gpu: Element, schedule: Schedule) -> None:
    """Steps of a block are in order, and each may wait for one step of another block: more need a nop each."""
    places: dict[int, tuple[int, int]] = {}
    blocks: dict[tuple[Kind, int, int], tuple[int, Element, list[int]]] = {}
    waited = {one for step in schedule.steps for one in step.after}
    for number, step in enumerate(schedule.steps):
        key = (step.kind, step.peer, step.tag) if step.peer >= 0 else (Kind.COPY, -1, 0)
        if key not in blocks:
            block = ElementTree.SubElement(gpu, "tb", {
                "id": str(len(blocks)), "send": str(step.peer if step.kind is Kind.SEND else -1),
                "recv": str(step.peer if step.kind is Kind.RECEIVE else -1), "chan": str(step.tag),
            })  # fmt: skip
            blocks[key] = (len(blocks), block, [])
        name, block, mine = blocks[key]
        others = [places[one] for one in step.after if one not in mine]
        for other in others[:-1] if step.length else others:
            _write_step(block, Step(Kind.COPY, -1, 0, NOWHERE, NOWHERE, 0), other, True)
        if step.length or not others:
            _write_step(block, step, others[-1] if others else (-1, -1), number in waited)
        places[number] = (name, len(block) - 1)
        mine.append(number)


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
    yield f"{which}buf", {memory: letter for letter, memory in _BUFFERS.items()}[place.memory]
    yield f"{which}off", str(place.offset)
