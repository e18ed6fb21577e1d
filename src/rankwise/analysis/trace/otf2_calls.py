"""A rank's events in OTF2 as calls: what is between entering and leaving a function of MPI is what it does."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import chain
from typing import Any

import numpy as np

from rankwise.analysis.trace.collective_sizes import Place, arguments
from rankwise.analysis.trace.grammar import Communicator
from rankwise.analysis.trace.reading import RankTrace

_ANY, _NOTHING = -2, -3
_COLLECTIVE_OPERATIONS = 17
"""Those below this number move data or wait; the others make and free communicators, windows and files."""


@dataclass
class _Call:
    """A function of MPI that was entered."""

    name: str
    entry: int
    sends: list[tuple[int, ...]] = field(default_factory=list)
    """Communicator, peer, tag, bytes of blocking sends."""
    receives: list[tuple[int, ...]] = field(default_factory=list)
    rows: list[tuple[str, list[int]]] = field(default_factory=list)
    """Kind, and numbers after the function, of all that is begun, and of collectives."""
    over: list[int] = field(default_factory=list)
    """Slot, source, tag, bytes of each request that ended."""


class Calls:
    """Makes a rank's trace of its events, in their order."""

    def __init__(self, otf2: Any, rank: int, ranks: dict[Any, int], numbers: dict[Any, int]) -> None:
        self._enums = otf2.enums
        self._ranks = ranks
        self._numbers = numbers
        self._trace = RankTrace(rank, len(ranks), library="OTF2", complete=True)
        self._functions: dict[tuple[str, str], int] = {}
        self._regions: dict[str, int] = {}
        self._rows: list[tuple[list[list[int]], int, int]] = []
        """Each in parts, some of which are known later, with the moments of its begin and end."""
        self._open: list[_Call] = []
        self._slots: dict[int, int] = {}
        self._begun: dict[int, list[int]] = {}
        """The rows of receives and collectives by request: only their end tells what they were."""
        self._began: int | None = None
        self._now = 0
        self.host = ""

    def take(self, event: Any, moment: int) -> None:
        """Take the next event, at a moment in nanoseconds."""
        self._now = moment
        self._trace.begin = moment if self._began is None else self._trace.begin
        self._began = self._trace.begin
        name = type(event).__name__
        if name in {"Enter", "Leave"}:
            self._cross(event.region, entered=name == "Enter")
        elif (taking := getattr(self, f"_take_{name}", None)) is not None:
            if self._open:
                taking(event, self._open[0])
            else:  # outside all functions: some tools write messages alone
                call = _Call("MPI_Message", moment)
                taking(event, call)
                self._close(call)

    def finish(self) -> RankTrace:
        """Return the trace."""
        trace = self._trace
        if self._open:
            self._close(self._open[0])
        trace.end = max(trace.end or self._now, trace.begin)
        known: dict[tuple[int, ...], int] = {}
        rows = [tuple(chain.from_iterable(parts)) for parts, _, _ in self._rows]
        order = [known.setdefault(row, len(known)) for row in rows]
        trace.functions = [*self._functions] or [("MPI_Init", "other")]
        trace.signatures = list(known)
        trace.order = np.array(order, np.uint32)
        trace.entry = np.array([entry for _, entry, _ in self._rows], np.int64)
        trace.exit = np.array([end for _, _, end in self._rows], np.int64)
        trace.host = self.host
        trace.regions = {number: name for name, number in self._regions.items()}
        return trace

    def _cross(self, region: Any, entered: bool) -> None:
        """The outermost function counts: what others call within themselves is theirs."""
        if region.paradigm == self._enums.Paradigm.USER:
            number = self._regions.setdefault(region.name, len(self._regions))
            self._add("region", "region", [[number, int(entered)]], self._now, self._now)
        elif region.paradigm != self._enums.Paradigm.MPI:
            return
        elif entered:
            self._open.append(_Call(region.name, self._now))
        elif self._open:
            call = self._open.pop()
            if not self._open:
                self._close(call)

    def _close(self, call: _Call) -> None:
        """Add what a call did; of several things the last takes all its time."""
        if call.name.startswith("MPI_Init") and not call.rows:
            self._trace.begin = self._now
            return
        if call.name.startswith("MPI_Finalize"):
            self._trace.end = call.entry
            return
        if len(call.rows) > 1 and {kind for kind, _ in call.rows} <= {"isend", "irecv"}:
            parts = [part for kind, row in call.rows for part in (row, [int(kind == "irecv")])]
            self._add(call.name, "start", parts, call.entry, self._now)
            return
        rows: list[tuple[str, list[int]]] = []
        if len(call.sends) == len(call.receives) == 1 and not call.rows:
            rows = [("both", [*call.sends[0], *call.receives[0][1:], *call.receives[0][1:]])]
        else:
            rows += [("send", [*parameters]) for parameters in call.sends]
            rows += [("recv", [*parameters, *parameters[1:]]) for parameters in call.receives]
        rows += call.rows
        if call.over:
            rows.append(("completion", [len(call.over) // 4, *call.over]))
        rows = rows or [("other", [])]
        for kind, row in rows[:-1]:
            self._add(call.name, kind, [row], call.entry, call.entry)
        kind, row = rows[-1]
        self._add(call.name, kind, [row], call.entry, self._now)

    def _add(self, name: str, kind: str, parts: list[list[int]], entry: int, end: int) -> None:
        function = self._functions.setdefault((name.replace(" ", "_"), kind), len(self._functions))
        self._rows.append(([[function], *parts], entry, max(end, entry)))

    def _communicator(self, of: Any) -> int:
        """The number of a communicator, whose ranks become known."""
        number, known = self._numbers[of], self._trace.communicators
        if number not in known:
            ordinal = sum(type(earlier) is type(of) and _groups(earlier) == _groups(of)
                          for earlier, other in self._numbers.items() if other < number)  # fmt: skip
            own, *rest = (self._members(group) for group in _groups(of))
            if rest and self._trace.rank not in own:
                own, rest = rest[0], [own]
            known[number] = Communicator(own, ordinal, rest[0] if rest else None)
        return number

    def _members(self, group: Any) -> tuple[int, ...]:
        if group.group_type == self._enums.GroupType.COMM_SELF:
            return (self._trace.rank,)
        return tuple(self._ranks.get(location, -1) for location in group.members)

    def _slot(self, request: int) -> int:
        """The lowest that no request under way has."""
        taken = set(self._slots.values())
        self._slots[request] = next(slot for slot in range(len(taken) + 1) if slot not in taken)
        return self._slots[request]

    def _take_MpiSend(self, event: Any, call: _Call) -> None:  # noqa: N802 -- named as the event is
        call.sends.append(
            (self._communicator(event.communicator), event.receiver, event.msg_tag, event.msg_length)
        )

    def _take_MpiRecv(self, event: Any, call: _Call) -> None:  # noqa: N802
        call.receives.append(
            (self._communicator(event.communicator), event.sender, event.msg_tag, event.msg_length)
        )

    def _take_MpiIsend(self, event: Any, call: _Call) -> None:  # noqa: N802
        number, slot = self._communicator(event.communicator), self._slot(event.request_id)
        call.rows.append(("isend", [number, event.receiver, event.msg_tag, event.msg_length, slot]))

    def _take_MpiIrecvRequest(self, event: Any, call: _Call) -> None:  # noqa: N802
        row: list[int] = []
        self._begun[event.request_id] = row
        self._slot(event.request_id)
        call.rows.append(("irecv", row))

    def _take_MpiIsendComplete(self, event: Any, call: _Call) -> None:  # noqa: N802
        self._end(event.request_id, call, _NOTHING, _NOTHING, 0)

    def _take_MpiIrecv(self, event: Any, call: _Call) -> None:  # noqa: N802
        slot = self._slots.get(event.request_id)
        row = self._begun.pop(event.request_id, None)
        number = self._communicator(event.communicator)
        if slot is None or row is None:
            call.receives.append((number, event.sender, event.msg_tag, event.msg_length))
            return
        row += [number, _ANY, _ANY, event.msg_length, slot]
        self._end(event.request_id, call, event.sender, event.msg_tag, event.msg_length)

    def _take_MpiRequestCancelled(self, event: Any, call: _Call) -> None:  # noqa: N802
        self._end(event.request_id, call, _NOTHING, _NOTHING, 0)

    def _take_MpiCollectiveEnd(self, event: Any, call: _Call) -> None:  # noqa: N802
        if (collective := self._collective(event)) is not None:
            call.rows.append(("collective", collective))

    def _take_NonBlockingCollectiveRequest(self, event: Any, call: _Call) -> None:  # noqa: N802
        row: list[int] = []
        self._begun[event.request_id] = row
        self._slot(event.request_id)
        call.rows.append(("collective", row))

    def _take_NonBlockingCollectiveComplete(self, event: Any, call: _Call) -> None:  # noqa: N802
        row, collective = self._begun.pop(event.request_id, None), self._collective(event)
        if row is not None and collective is not None:
            row += [*collective, self._slots[event.request_id]]
        self._end(event.request_id, call, _NOTHING, _NOTHING, 0)

    def _end(self, request: int, call: _Call, source: int, tag: int, size: int) -> None:
        if (slot := self._slots.pop(request, None)) is not None:
            call.over += [slot, source, tag, size]

    def _collective(self, event: Any) -> list[int] | None:
        """Communicator, root, bytes sent and received; None for what moves no data."""
        if event.collective_op.value >= _COLLECTIVE_OPERATIONS:
            return None
        number = self._communicator(event.communicator)
        members = self._trace.communicators[number].members
        own = members.index(self._trace.rank) if self._trace.rank in members else 0
        place = Place(len(members), own, event.root == own)
        sizes = arguments(str(event.collective_op).rpartition(".")[2].lower(), place, event.size_sent,
                          event.size_received)  # fmt: skip
        return [number, event.root if event.root < 1 << 31 else _NOTHING, *sizes]


def _groups(communicator: Any) -> tuple[Any, ...]:
    """Its group, or the two of an intercommunicator."""
    if hasattr(communicator, "groupA"):
        return communicator.groupA, communicator.groupB
    return (communicator.group,)
