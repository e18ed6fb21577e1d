"""A rank's calls as what has to happen: messages with their real peers, requests that are waited for, collectives.

A wildcard is the rank that it met; a request has a number of its own; peers are ranks of MPI_COMM_WORLD.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal

import numpy as np

from rankwise.analysis.trace.grammar import Communicator
from rankwise.analysis.trace.reading import RankTrace
from rankwise.core.errors import InputError

_VARYING = {"gatherv", "scatterv", "allgatherv", "alltoallv", "alltoallw", "reduce_scatter"}
Kind = Literal["send", "isend", "recv", "irecv", "wait", "collective", "rma", "sync", "other"]


@dataclass(frozen=True, slots=True)
class Step:
    """One thing that a rank does."""

    kind: Kind
    function: str
    entry: int
    exit: int
    """Nanoseconds; 0 where times are not kept."""
    communicator: Communicator | None = None
    context: int = 0
    """The communicator's place among all that the ranks have; parts of a call have its communicator's."""
    peer: int = -1
    tag: int = 0
    bytes: int = 0
    request: int = -1
    waits: tuple[int, ...] = ()
    root: int = -1
    received: int = 0
    call: int = -1
    """The call that it is a part of, counted from 0."""
    instance: int = -1
    """Of a collective whose blocks may differ: how many of them came before on its communicator."""
    window: int = -1
    targets: tuple[int, ...] = ()
    """Of a call on a window: the ranks that it names."""


def steps(trace: RankTrace) -> list[Step]:
    """Return what the rank does, in order. A collective that does not block is one at the place of its wait.

    Raises InputError for a summary, which has no order.
    """
    if trace.keep == "summary":
        raise InputError(
            "a summary has no order of calls", "record it again without --summary-only: that can be exported"
        )
    walk = _Walk(trace)
    for number, signature in enumerate(trace.order.tolist()):
        walk.take(trace.signatures[signature], number)
    return walk.found


def window_calls(trace: RankTrace) -> list[Step]:
    """Return the rank's calls on windows alone, in order."""
    kinds = {"rma", "sync", "window", "window_free"}
    those = [number for number, row in enumerate(trace.signatures) if trace.functions[row[0]][1] in kinds]
    walk = _Walk(trace)
    for number in np.flatnonzero(np.isin(trace.order, those)).tolist():
        walk.take(trace.signatures[trace.order[number]], number)
    return walk.found


def operation(function: str) -> str:
    """Return what a collective does: `MPI_Iallreduce_c` is an allreduce."""
    name = function.removeprefix("MPI_").removesuffix("_c").lower()
    blocking = name[1:] if name.startswith("i") else name
    known = {"reduce_scatter_block": "reduce_scatter"}
    return known.get(blocking, blocking)


@lru_cache
def varies(function: str) -> bool:
    """Return whether a collective's blocks may differ in length, as far as they can be told."""
    return operation(function) in _VARYING and not function.lower().removesuffix("_c").endswith("_block")


class _Walk:
    def __init__(self, trace: RankTrace) -> None:
        self.trace = trace
        self.found: list[Step] = []
        self._slots: dict[int, int] = {}
        self._timed = trace.keep == "all"
        self._requests = 0
        self._places: dict[int, int] = {}
        self._collectives: dict[int, Step] = {}
        self._instances: Counter[int] = Counter()

    def take(self, row: tuple[int, ...], number: int) -> None:
        trace = self.trace
        function, kind = trace.functions[row[0]]
        entry, end = (int(trace.entry[number]), int(trace.exit[number])) if self._timed else (0, 0)
        step = Step("other", function, entry, end, call=number)
        if len(row) > 1 and kind == "completion":
            self._complete(row, step)
        elif len(row) > 1 and kind in {"rma", "sync", "window", "window_free"}:
            self.found.append(self._one_sided(row, kind, step))
        elif len(row) > 1 and kind in {"send", "isend", "recv", "irecv", "both", "start", "collective"}:
            known = trace.communicators.get(row[1])
            step = replace(step, communicator=known, context=row[1])
            self._communicate(row, kind, step)
        else:
            self.found.append(step)

    def _communicate(self, row: tuple[int, ...], kind: str, step: Step) -> None:
        if kind == "collective":
            step = replace(step, kind="collective", root=row[2], bytes=row[3], received=row[4])
            if varies(step.function):
                step = replace(step, instance=self._instances[row[1]])
                self._instances[row[1]] += 1
            if len(row) > 5 and row[5] >= 0:
                step = replace(step, kind="other", request=self._begin(row[5]))
                self._collectives[step.request] = step
            self.found.append(step)
        elif kind == "recv":
            self._add(replace(step, kind="recv", tag=row[6], bytes=row[7]), row[5])
        elif kind == "both":
            request = self._begin(-1)
            self._add(
                replace(step, kind="irecv", tag=row[9], bytes=row[10], request=request, exit=step.entry), row[8]
            )
            self._add(replace(step, kind="send", tag=row[3], bytes=row[4]), row[2])
            self.found.append(replace(step, kind="wait", waits=(request,), entry=step.exit))
        elif kind == "send":
            self._add(replace(step, kind="send", tag=row[3], bytes=row[4]), row[2])
        elif kind == "start":
            for at in range(1, len(row) - 5, 6):
                communicator, peer, tag, size, slot, receives = row[at : at + 6]
                known = self.trace.communicators.get(communicator)
                message = replace(step, communicator=known, context=communicator, tag=tag, bytes=size)
                self._begin_message(message, peer, slot, bool(receives))
        else:
            self._begin_message(replace(step, tag=row[3], bytes=row[4]), row[2], row[5], kind == "irecv")

    def _begin_message(self, step: Step, peer: int, slot: int, receives: bool) -> None:
        kind: Kind = "irecv" if receives else "isend"
        self._add(replace(step, kind=kind, request=self._begin(slot)), peer)

    def _one_sided(self, row: tuple[int, ...], kind: str, step: Step) -> Step:
        known = self.trace.communicators.get(row[1])
        members = known.members if known else ()
        named = row[3:4] if kind == "rma" else row[3:]
        targets = tuple(members[number] for number in named if 0 <= number < len(members))
        step = replace(step, kind="sync", communicator=known, context=row[1], window=row[2], targets=targets)
        if kind != "rma":
            return step
        request = self._begin(row[6]) if len(row) > 6 and row[6] >= 0 else -1
        return replace(step, kind="rma", bytes=row[4], received=row[5], request=request)

    def _begin(self, slot: int) -> int:
        self._requests += 1
        if slot >= 0:
            self._slots[slot] = self._requests
        return self._requests

    def _add(self, step: Step, peer: int) -> None:
        """A peer's number within the communicator becomes that in the world; -2, any, is not known yet."""
        peers = step.communicator.peers if step.communicator else ()
        known = peers[peer] if 0 <= peer < len(peers) else peer if peer == -2 else -1
        if step.request >= 0:
            self._places[step.request] = len(self.found)
        self.found.append(replace(step, peer=known))

    def _complete(self, row: tuple[int, ...], step: Step) -> None:
        waits, collectives = [], []
        for at in range(2, len(row), 4):
            slot, source, tag, size = row[at : at + 4]
            request = self._slots.pop(slot, -1)  # one that is started again gets a new one
            if request in self._collectives:
                collectives.append(self._collectives.pop(request))
            elif request >= 0:
                waits.append(request)
                if source >= 0:
                    self._met(request, source, tag, size)
        if waits or not collectives:
            self.found.append(replace(step, kind="wait", waits=tuple(waits)))
        for begun in collectives:
            self.found.append(replace(begun, kind="collective", entry=step.exit, exit=step.exit, call=step.call))

    def _met(self, request: int, source: int, tag: int, size: int) -> None:
        place = self._places.get(request)
        if place is not None:
            step = self.found[place]
            peers = step.communicator.peers if step.communicator else ()
            peer = peers[source] if source < len(peers) else -1
            self.found[place] = replace(step, peer=peer, tag=tag, bytes=size)


def computing_before(steps_found: list[Step], begin: int) -> Iterator[tuple[Step, int]]:
    """Yield each step and the nanoseconds between the one before and it."""
    before = begin
    for step in steps_found:
        yield step, max(step.entry - before, 0)
        before = max(step.exit, before)
