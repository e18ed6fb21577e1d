"""OTF2 archives (Open Trace Format 2; Eschweiler et al. 2011), as Score-P writes them, by the `otf2` library.

Each rank is a location with its MPI calls as regions of the paradigm MPI, and the program's own marks as regions
of the user. Messages are those that were received as such: wildcards have become the rank that they met.
"""

from __future__ import annotations

import importlib.util
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rankwise.analysis.trace.collective_sizes import Place, counted
from rankwise.analysis.trace.collectives import OPERATIONS
from rankwise.analysis.trace.exporting import need_order, need_times
from rankwise.analysis.trace.grammar import Communicator
from rankwise.analysis.trace.operations import Step, operation, steps
from rankwise.analysis.trace.reading import RankTrace, Trace
from rankwise.analysis.trace.rows import goes_on
from rankwise.core.errors import HostError

LIBRARY = "otf2"
ARCHIVE = "traces"
"""The anchor file is traces.otf2."""
_TICKS = 1_000_000_000
_WORLD = "MPI_COMM_WORLD"
_NOT_KNOWN = "UNKNOWN"
_ROLES = {
    "bcast": "COLL_ONE2ALL", "scatter": "COLL_ONE2ALL", "scatterv": "COLL_ONE2ALL", "gather": "COLL_ALL2ONE",
    "gatherv": "COLL_ALL2ONE", "reduce": "COLL_ALL2ONE", "barrier": "BARRIER", "scan": "COLL_OTHER",
    "exscan": "COLL_OTHER",
}  # fmt: skip
_MESSAGES = {"send", "isend", "recv", "irecv", "both", "start", "completion", "probe"}


def need_library() -> Any:
    """Return the `otf2` module. Raises HostError if it is not installed."""
    if importlib.util.find_spec(LIBRARY) is None:
        raise HostError("the library for OTF2 is not installed", f"pip install {LIBRARY}, or rankwise[{LIBRARY}]")
    return importlib.import_module(LIBRARY)


def write_archive(trace: Trace, folder: Path) -> None:
    """Write the archive into a folder that does not exist.

    Raises InputError for a trace without times, HostError without the library.
    """
    need_order(trace)
    need_times(trace)
    otf2 = need_library()
    with otf2.writer.open(str(folder), archive_name=ARCHIVE, timer_resolution=_TICKS) as archive:
        shared = _Definitions(otf2, archive.definitions, trace)
        for rank_trace in trace.ranks:
            _Rank(
                shared, rank_trace, archive.event_writer_from_location(shared.locations[rank_trace.rank])
            ).write()


def takes(trace: RankTrace, row: tuple[int, ...]) -> bool:
    """Return whether all of a call is in the archive: of some only that they were called, and when."""
    function, kind = trace.functions[row[0]]
    if kind == "collective":
        return operation(function) in OPERATIONS
    return kind not in {"rma", "file", "other"} and (kind != "start" or len(row) > 1)


@dataclass
class _Definitions:
    """What the ranks' events name."""

    otf2: Any
    registry: Any
    trace: Trace
    locations: dict[int, Any] = field(default_factory=dict)
    _regions: dict[tuple[str, str], Any] = field(default_factory=dict)
    _communicators: dict[tuple[frozenset[tuple[int, ...]], int], Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        enums, known = self.otf2.enums, self.registry
        machine = known.system_tree_node("machine", class_name="machine")
        nodes: dict[str, Any] = {}
        for rank_trace in sorted(self.trace.ranks, key=lambda of_rank: of_rank.rank):
            if rank_trace.host not in nodes:
                nodes[rank_trace.host] = known.system_tree_node(
                    rank_trace.host or "node", class_name="node", parent=machine
                )
            process = known.location_group(
                f"MPI Rank {rank_trace.rank}", system_tree_parent=nodes[rank_trace.host]
            )
            self.locations[rank_trace.rank] = known.location("Master thread", group=process)
        self._group("MPI_COMM_WORLD", tuple(self.locations.values()), enums.GroupType.COMM_LOCATIONS)
        self.communicator(Communicator(tuple(sorted(self.locations))))

    def _group(self, name: str, locations: tuple[Any, ...], kind: Any) -> Any:
        mpi = self.otf2.enums.Paradigm.MPI
        return self.registry.group(name, group_type=kind, paradigm=mpi, members=locations)

    def communicator(self, known: Communicator) -> Any:
        """Return the definition of a communicator; both sides of an intercommunicator mean the same."""
        key = (frozenset((known.members, known.peers)), known.ordinal)
        if key not in self._communicators:
            kind = self.otf2.enums.GroupType.COMM_GROUP
            groups = [
                self._group("", tuple(self.locations[rank] for rank in ranks if rank >= 0), kind)
                for ranks in ([known.members] if known.remote is None else sorted((known.members, known.peers)))
            ]
            name = _WORLD if not self._communicators else f"communicator {len(self._communicators)}"
            if known.remote is None:
                self._communicators[key] = self.registry.comm(name, group=groups[0])
            else:
                self._communicators[key] = self.registry.inter_comm(name, groupA=groups[0], groupB=groups[1])
        return self._communicators[key]

    def region(self, name: str, kind: str) -> Any:
        """Return the definition of a function, or of a part of the program that it marks."""
        if (name, kind) not in self._regions:
            enums = self.otf2.enums
            role = _ROLES.get(operation(name), "COLL_ALL2ALL") if kind == "collective" else "FUNCTION"
            role = "POINT2POINT" if kind in _MESSAGES else "CODE" if kind == "region" else role
            paradigm = enums.Paradigm.USER if kind == "region" else enums.Paradigm.MPI
            self._regions[name, kind] = self.registry.region(
                name, region_role=getattr(enums.RegionRole, role), paradigm=paradigm
            )
        return self._regions[name, kind]


class _Rank:
    """Writes the events of a rank; its times never go back."""

    def __init__(self, shared: _Definitions, rank: RankTrace, writer: Any) -> None:
        self._shared = shared
        self._rank = rank
        self._writer = writer
        self._now = 0
        self._begun: dict[int, Step] = {}
        self._marks: list[Any] = []

    def write(self) -> None:
        """Write all calls."""
        rank = self._rank
        parts: defaultdict[int, list[Step]] = defaultdict(list)
        for step in steps(rank):
            parts[step.call].append(step)
        self._moment("MPI_Init", rank.begin)
        within = False
        for number, signature in enumerate(rank.order.tolist()):
            row = rank.signatures[signature]
            name, kind = rank.functions[row[0]]
            entry, end = int(rank.entry[number]), int(rank.exit[number])
            if kind == "region":
                self._mark(row, self._time(entry))
                continue
            region = self._shared.region(name, kind)
            if not within:
                self._writer.enter(self._time(entry), region)
            within = goes_on(row, kind)
            for step in parts[number]:
                self._before(step, kind)
            self._time(end)
            for step in parts[number]:
                self._after(step, kind)
            if not within:
                self._writer.leave(self._now, region)
        while self._marks:
            self._writer.leave(self._time(rank.end), self._marks.pop())
        self._moment("MPI_Finalize", rank.end)

    def _moment(self, name: str, moment: int) -> None:
        """A trace begins after MPI_Init and ends before MPI_Finalize, whose own time is not kept."""
        region = self._shared.region(name, "other")
        self._writer.enter(self._time(moment), region)
        self._writer.leave(self._now, region)

    def _time(self, moment: int) -> int:
        self._now = max(self._now, moment)
        return self._now

    def _mark(self, row: tuple[int, ...], moment: int) -> None:
        """Regions nest; where one ends that is not the innermost, those within it end as well."""
        if len(row) < 3:
            return
        region = self._shared.region(self._rank.regions.get(row[1], str(row[1])), "region")
        if row[2]:
            self._writer.enter(moment, region)
            self._marks.append(region)
        elif region in self._marks:
            while (last := self._marks.pop()) is not region:
                self._writer.leave(moment, last)
            self._writer.leave(moment, region)

    def _ends(self, step: Step) -> tuple[int, Any, int, int] | None:
        """Peer within the communicator, communicator, tag and bytes; None where there is no message."""
        known = step.communicator
        if known is None or step.peer < 0 or step.peer not in known.peers:
            return None
        return known.peers.index(step.peer), self._shared.communicator(known), max(step.tag, 0), step.bytes

    def _before(self, step: Step, kind: str) -> None:
        ends = self._ends(step)
        if step.kind == "send" and ends:
            self._writer.mpi_send(self._now, *ends)
        elif step.kind == "isend" and ends:
            self._begun[step.request] = step
            self._writer.mpi_isend(self._now, *ends, step.request)
        elif step.kind == "irecv" and ends:
            self._begun[step.request] = step
            if kind != "both":
                self._writer.mpi_irecv_request(self._now, step.request)
        elif step.kind == "collective" and kind != "completion" and self._collective(step):
            self._writer.mpi_collective_begin(self._now)
        elif step.kind == "other" and step.request >= 0 and self._collective(step):
            self._writer.non_blocking_collective_request(self._now, step.request)

    def _after(self, step: Step, kind: str) -> None:
        ends = self._ends(step)
        if step.kind == "recv" and ends:
            self._writer.mpi_recv(self._now, *ends)
        elif step.kind == "wait":
            for request in step.waits:
                self._over(request, kind)
        elif step.kind == "collective" and (collective := self._collective(step)):
            if kind == "completion":
                self._writer.non_blocking_collective_complete(self._now, *collective, step.request)
            else:
                self._writer.mpi_collective_end(self._now, *collective)

    def _over(self, request: int, kind: str) -> None:
        step = self._begun.pop(request, None)
        ends = self._ends(step) if step else None
        if step is None or ends is None:
            return
        if step.kind == "isend":
            self._writer.mpi_isend_complete(self._now, request)
        elif kind == "both":
            self._writer.mpi_recv(self._now, *ends)
        else:
            self._writer.mpi_irecv(self._now, *ends, request)

    def _collective(self, step: Step) -> tuple[Any, Any, int, int, int] | None:
        """Operation, communicator, root, bytes sent and received; None for what the format has not."""
        enums, known, name = self._shared.otf2.enums, step.communicator, step.function.removesuffix("_c")
        kind = _format_operation(name)
        code = getattr(enums.CollectiveOp, kind, None)
        if code is None or known is None or self._rank.rank not in known.members:
            return None
        own = known.members.index(self._rank.rank)
        place = Place(len(known.members), own, step.root == own)
        root = step.root if step.root >= 0 else enums.Undefined.UINT32.value
        return (code, self._shared.communicator(known), root,
                *counted(kind.lower(), place, step.bytes, step.received))  # fmt: skip


def _format_operation(function: str) -> str:
    """`MPI_Iallreduce` is ALLREDUCE, `MPI_Reduce_scatter_block` itself."""
    name = function.removeprefix("MPI_").lower()
    blocking = name[1:] if name.startswith("i") else name
    return blocking.upper()
