"""Schedules written in Python: what a rank does, in the order of the program, chunk by chunk.

    @rankwise.schedule("bcast", chunks=1)
    def chain(rank, ranks):
        if rank > 0:
            rank.receive(rank - 1, rank.data[:])
        if rank + 1 < ranks:
            rank.send(rank + 1, rank.data[:])

Nothing waits but for data: a step begins when those before it that touch the same chunks have ended, one of the
two writing. Messages of a pair of ranks meet in the order of the program.
"""

from __future__ import annotations

import importlib.util
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from rankwise.core.errors import InputError, UnknownNameError
from rankwise.schedules.contract import Alias, alias
from rankwise.schedules.fixed import FixedSchedule, proved
from rankwise.schedules.model import IN_PLACE, NOWHERE, OPERATIONS, Kind, Memory, Place, Problem, Schedule, Step
from rankwise.schedules.prover import Proof
from rankwise.schedules.spans import Spans

_ENDLESS = 1 << 40
_MOST_STEPS = 1 << 20
_SPARE = 3
"""The memory that `recv_reduce` receives into: in the end it stands behind the scratch memory."""


class Chunks(NamedTuple):
    """Chunks of a memory that follow one another: `rank.output[2]`, `rank.input[:]`."""

    memory: int
    start: int
    length: int


@dataclass(frozen=True, slots=True)
class Buffer:
    """A memory of a rank, in chunks: an index or a slice gives some of them."""

    memory: int
    length: int

    def __len__(self) -> int:
        return self.length

    def __getitem__(self, which: int | slice) -> Chunks:
        if isinstance(which, slice):
            if which.step not in {None, 1} or (self.length == _ENDLESS and which.stop is None):
                raise IndexError("a slice is of chunks that follow one another, and has an end")
            start, stop, _ = which.indices(self.length)
            return Chunks(self.memory, start, max(0, stop - start))
        if not -self.length <= which < self.length:
            raise IndexError(f"chunk {which} of {Memory(self.memory).name}, which has {self.length} on this rank")
        return Chunks(self.memory, which % self.length, 1)


class Rank(int):
    """The rank whose steps a function writes: a number, that also sends, receives, copies and reduces."""

    ranks: int
    root: int
    chunks: int
    input: Buffer
    output: Buffer
    scratch: Buffer
    data: Buffer
    """Of bcast: the root's input, the others' output."""
    _steps: list[Step]
    _touched: dict[int, Spans[tuple[int, int]]]
    _messages: dict[tuple[Kind, int], int]
    _spares: dict[int, Chunks]
    _spare: int
    _most_scratch: int
    _heard: tuple[int, ...]
    _alias: Alias | None

    def __new__(cls, number: int, problem: Problem) -> Rank:
        """Return a rank that has done nothing yet."""
        self = int.__new__(cls, number)
        self.ranks, self.root, self.chunks = problem.ranks, problem.root, problem.count
        self.input = Buffer(Memory.INPUT, problem.input_length(number))
        self.output = Buffer(Memory.OUTPUT, problem.output_length(number))
        self.scratch = Buffer(Memory.SCRATCH, _ENDLESS)
        self.data = self.input if problem.operation == "bcast" and number == problem.root else self.output
        self._steps, self._messages, self._spares = [], defaultdict(int), {}
        self._touched = {memory: Spans(_ENDLESS, (-1, 0)) for memory in range(_SPARE + 1)}
        self._spare = self._most_scratch = 0
        self._heard = ()
        self._alias = alias(problem, number) if problem.operation in IN_PLACE else None
        return self

    def send(self, peer: int, what: Chunks | None = None) -> None:
        """Send chunks to a rank; nothing is a signal, which is sent when those received before have come."""
        self._message(Kind.SEND, peer, what)

    def receive(self, peer: int, into: Chunks | None = None) -> None:
        """Receive chunks, or a signal, from a rank."""
        number = self._message(Kind.RECEIVE, peer, into)
        if into is None:
            self._heard = (*self._heard, number)

    def recv_reduce(self, peer: int, into: Chunks, *, behind: bool = False) -> None:
        """Receive chunks and make `into` of them op `into`; `behind`: of `into` op them."""
        spare = self._spare_for(peer, into)
        self._message(Kind.RECEIVE, peer, spare)
        if behind:
            self.reduce(into, spare)
            self.copy(spare, into)
        else:
            self.reduce(spare, into)

    def copy(self, source: Chunks, target: Chunks) -> None:
        """Copy chunks of this rank."""
        self._local(Kind.COPY, source, target)

    def reduce(self, source: Chunks, target: Chunks) -> None:
        """Make `target` of `source` op `target`, in this order."""
        self._local(Kind.REDUCE, source, target)

    def _local(self, kind: Kind, source: Chunks, target: Chunks) -> None:
        if source.length != target.length:
            raise ValueError(f"{source.length} chunks cannot take the place of {target.length}")
        after = self._waits(source, False) | self._waits(target, True)
        self._add(Step(kind, -1, 0, _place(source), _place(target), source.length, _numbers(after)))
        self._touch(source, False)
        self._touch(target, True)

    def _message(self, kind: Kind, peer: int, what: Chunks | None) -> int:
        if not 0 <= peer < self.ranks:
            raise ValueError(f"invalid rank {int(peer)}: the ranks are 0 to {self.ranks - 1}")
        tag = self._messages[kind, int(peer)]
        self._messages[kind, int(peer)] += 1
        writes = kind is Kind.RECEIVE
        chunks = what or Chunks(Memory.INPUT, 0, 0)
        after = _numbers(self._waits(chunks, writes)) if what else self._heard
        source, target = (NOWHERE, _place(chunks)) if writes else (_place(chunks), NOWHERE)
        self._add(Step(kind, int(peer), tag, source, target, chunks.length, after))
        self._touch(chunks, writes)
        return len(self._steps) - 1

    def _spare_for(self, peer: int, like: Chunks) -> Chunks:
        """Memory for what a rank sends, at the like place within a block: its chunks may differ in length."""
        shift = like.start % self.chunks
        needed = -(-(shift + like.length) // self.chunks) * self.chunks
        if int(peer) not in self._spares or self._spares[int(peer)].length < needed:
            self._spares[int(peer)] = Chunks(_SPARE, self._spare, needed)
            self._spare += needed
        return Chunks(_SPARE, self._spares[int(peer)].start + shift, like.length)

    def _where(self, chunks: Chunks) -> tuple[int, int]:
        """Where chunks are with MPI_IN_PLACE, so that what is written is right with it as well."""
        if self._alias and chunks.memory == self._alias[0]:
            return self._alias[1], chunks.start + self._alias[2]
        return chunks.memory, chunks.start

    def _waits(self, chunks: Chunks, writes: bool) -> int:
        """The steps that must have ended before these chunks may be read or written, as bits."""
        bits = 0
        if chunks.length:
            memory, start = self._where(chunks)
            for _, _, (writer, readers) in self._touched[memory].read(start, start + chunks.length):
                bits |= (readers if writes else 0) | (1 << writer if writer >= 0 else 0)
        return bits

    def _touch(self, chunks: Chunks, writes: bool) -> None:
        if not chunks.length:
            return
        memory, start = self._where(chunks)
        end, number, seen = start + chunks.length, len(self._steps) - 1, self._touched[memory]
        if writes:
            seen.write([(start, end, (number, 0))])
        else:
            runs = seen.read(start, end)
            seen.write([(a, b, (writer, readers | 1 << number)) for a, b, (writer, readers) in runs])
        if memory == Memory.SCRATCH:
            self._most_scratch = max(self._most_scratch, end)

    def _add(self, step: Step) -> None:
        if len(self._steps) == _MOST_STEPS:
            raise ValueError(f"there are more than {_MOST_STEPS} steps")
        self._steps.append(step)

    def finished(self) -> Schedule:
        """Return what was written, with all memories in their places."""
        start = -(-self._most_scratch // self.chunks) * self.chunks

        def moved(place: Place) -> Place:
            return Place(Memory.SCRATCH, start + place.offset) if place.memory == _SPARE else place

        steps = tuple(step._replace(source=moved(step.source), target=moved(step.target)) for step in self._steps)
        return Schedule(int(self), steps, start + self._spare)


def _place(chunks: Chunks) -> Place:
    return Place(Memory(chunks.memory) if chunks.memory != _SPARE else chunks.memory, chunks.start)  # type: ignore[arg-type]


def _numbers(bits: int) -> tuple[int, ...]:
    numbers = []
    while bits:
        last = bits & -bits
        numbers.append(last.bit_length() - 1)
        bits ^= last
    return tuple(numbers)


Author = Callable[[Rank, int], object]


@dataclass(frozen=True, slots=True)
class Written:
    """A schedule as a function of the rank and the number of ranks."""

    operation: str
    function: Author
    chunks: int | Callable[[int], int] | None = None

    @property
    def name(self) -> str:
        """Return the function's name."""
        return str(getattr(self.function, "__name__", "schedule"))

    def fixed(self, ranks: int, root: int = 0) -> FixedSchedule:
        """Return the schedule of this many ranks. Raises InputError with the rank whose function failed."""
        chunks = self.chunks(ranks) if callable(self.chunks) else ranks if self.chunks is None else self.chunks
        if chunks < 1:
            raise InputError(f"{self.name} divides blocks into {chunks} chunks", "give at least 1")
        problem = Problem(self.operation, ranks, root, chunks)
        made = tuple(self._schedule(problem, rank) for rank in range(ranks))
        described = (self.function.__doc__ or "").strip().partition("\n")[0]
        return FixedSchedule(self.operation, ranks, root, chunks, made, self.name, described)

    def proof(self, ranks: int, root: int = 0) -> Proof:
        """Return whether it is right on this many ranks, or what is wrong with it."""
        return proved(self.fixed(ranks, root))[1]

    def _schedule(self, problem: Problem, number: int) -> Schedule:
        rank = Rank(number, problem)
        try:
            self.function(rank, problem.ranks)
        except Exception as error:
            raise InputError(
                f"{self.name}: rank {number}, after {len(rank._steps)} steps: {type(error).__name__}: {error}",
                "see docs/schedules.md",
            ) from error
        return rank.finished()


def schedule(operation: str, *, chunks: int | Callable[[int], int] | None = None) -> Callable[[Author], Written]:
    """Make a function (rank, ranks), which writes what a rank does, a schedule of this operation.

    Each block is divided into `chunks` nearly equal parts: a number, or a function of the number of ranks; as
    many as there are ranks if it is left out. Raises UnknownNameError for the operation.
    """
    if operation not in OPERATIONS:
        raise UnknownNameError("operation", operation, OPERATIONS)
    return lambda function: Written(operation, function, chunks)


def load(path: Path, name: str = "") -> Written:
    """Return the schedule that a Python file has, or that of this name. Raises InputError."""
    spec = importlib.util.spec_from_file_location(f"rankwise_schedule_{path.stem}", path)
    if spec is None or spec.loader is None:
        raise InputError(f"{path} is not a Python file", "give a file that ends in .py")
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise InputError(
            f"{path} cannot be run: {type(error).__name__}: {error}", "fix the error above"
        ) from error
    schedules = {value.name: value for value in vars(module).values() if isinstance(value, Written)}
    if name and name not in schedules:
        raise UnknownNameError(f"schedule in {path}", name, schedules)
    if not schedules:
        raise InputError(f"{path} has no schedule", 'write one: @rankwise.schedule("allreduce") above a function')
    if len(schedules) > 1 and not name:
        raise InputError(f"{path} has several schedules: {', '.join(schedules)}", "choose one by --name")
    return schedules[name] if name else next(iter(schedules.values()))
