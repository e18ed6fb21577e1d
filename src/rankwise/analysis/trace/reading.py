"""Reads a folder of traces: what each rank called, in which order, from when to when on one clock."""

from __future__ import annotations

import json
import os
import re
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from rankwise.analysis.trace.files import STATISTICS, Block, Open, blocks, read_open
from rankwise.analysis.trace.grammar import Chapter, Communicator, Order
from rankwise.analysis.trace.numbers import Damaged, Numbers, decode, signed
from rankwise.analysis.trace.rows import wrong_row
from rankwise.core.errors import InputError
from rankwise.core.limits import MOST_RANKS

ABOUT = "trace.json"
"""Beside the ranks' files: how the program was started."""
CROWDED = "more_ranks_than_cores"
"""In what is known of how it was started: ranks shared cores."""
_FORMATS = (1, 2)
_NAME = re.compile(r"rank-(\d{6,9})\.trace")
Times = npt.NDArray[np.int64]


@dataclass
class RankTrace:
    """What one rank called."""

    rank: int
    ranks: int = 0
    host: str = ""
    boot: str = ""
    library: str = ""
    keep: str = "all"
    """`all` times, `statistics` of them beside the order of calls, or their `summary` alone."""
    functions: list[tuple[str, str]] = field(default_factory=list)
    """Name and kind (see artifacts/traced_calls.py)."""
    signatures: list[tuple[int, ...]] = field(default_factory=list)
    """Each different call: its function, and what its kind has (docs/traces.md)."""
    order: Order = field(default_factory=lambda: np.empty(0, np.uint32))
    """The signature of each call, in order; empty for a summary."""
    entry: Times = field(default_factory=lambda: np.empty(0, np.int64))
    exit: Times = field(default_factory=lambda: np.empty(0, np.int64))
    """Of each call, in nanoseconds on rank 0's clock since the first rank began; empty unless all are kept."""
    statistics: npt.NDArray[np.void] = field(default_factory=lambda: np.empty(0, STATISTICS))
    """Of each signature."""
    communicators: dict[int, Communicator] = field(default_factory=dict)
    regions: dict[int, str] = field(default_factory=dict)
    idle: dict[int, tuple[int, int]] = field(default_factory=dict)
    """By function: calls without effect (tests and probes that found nothing), and their nanoseconds."""
    begin: int = 0
    end: int = 0
    """When it left MPI_Init and entered MPI_Finalize (or was last heard of), on that clock."""
    clock_error: float = 0.0
    """By how many seconds its clock may be off from rank 0's."""
    complete: bool = False
    structure_bytes: int = 0
    time_bytes: int = 0
    problems: list[str] = field(default_factory=list)


@dataclass
class Trace:
    """What all ranks called."""

    ranks: list[RankTrace]
    about: dict[str, Any] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)

    @property
    def keep(self) -> str:
        """Return what is kept of times."""
        return self.ranks[0].keep

    @property
    def seconds(self) -> float:
        """Return the time from the first rank's MPI_Init to the last one's MPI_Finalize."""
        return (
            max(rank_trace.end for rank_trace in self.ranks) - min(rank_trace.begin for rank_trace in self.ranks)
        ) / 1e9

    @property
    def crowded(self) -> bool:
        """Return whether ranks shared cores, so that its times are those of the scheduler too."""
        return self.about.get(CROWDED) is True


def has_trace(folder: Path) -> bool:
    """Return whether a folder has the file of any rank."""
    return folder.is_dir() and any(_NAME.fullmatch(path.name) for path in folder.iterdir())


def read(folder: Path) -> Trace:
    """Read the traces in `folder`: what is damaged or was cut off is left out, and told in `problems`.

    Raises InputError if there are none.
    """
    try:
        files = sorted(path for path in folder.iterdir() if _NAME.fullmatch(path.name))
    except OSError as error:
        raise InputError(f"cannot read {folder}: {error.strerror}", "name the folder of a trace") from error
    if not files:
        raise InputError(f"no trace found in {folder}", "make one: rankwise trace -n 4 -- ./app")
    traces = [_Reader(path).trace for path in files]
    readable = [rank_trace for rank_trace in traces if rank_trace.functions]
    if not readable:
        said = "; ".join(problem for rank_trace in traces for problem in rank_trace.problems[:1])
        raise InputError(f"no rank's trace in {folder} can be read: {said}", "record it again")
    trace = Trace(readable, about(folder), [problem for rank_trace in traces for problem in rank_trace.problems])
    _check(trace)
    _to_one_origin(readable)
    return trace


def started_by(folder: Path) -> tuple[str, ...]:
    """Return the program and its arguments as they were typed when it was traced; () where that is not known."""
    program = about(folder).get("program")
    return tuple(map(str, program)) if isinstance(program, list) else ()


def about(folder: Path) -> dict[str, Any]:
    """Return what the folder of a trace has beside the ranks' files; {} for any other path."""
    try:
        known = json.loads((folder / ABOUT).read_text())
    except (OSError, ValueError):
        return {}
    return known if isinstance(known, dict) else {}


def _check(trace: Trace) -> None:
    present = {rank_trace.rank for rank_trace in trace.ranks}
    ranks = max(rank_trace.ranks for rank_trace in trace.ranks)
    missing = ranks - len([rank for rank in present if rank < ranks])
    if missing:
        first = islice((rank for rank in range(ranks) if rank not in present), 5)
        shown = ", ".join(map(str, first)) + (", ..." if missing > 5 else "")
        trace.problems.append(f"of {ranks} ranks {missing} left no readable trace: {shown}")
    if len({rank_trace.boot for rank_trace in trace.ranks}) > 1 and not all(
        rank_trace.clock_error for rank_trace in trace.ranks if rank_trace.rank
    ):
        trace.problems.append("clocks of different hosts were not compared: times of ranks do not fit together")


def _to_one_origin(ranks: list[RankTrace]) -> None:
    origin = min(rank_trace.begin for rank_trace in ranks)
    for trace in ranks:
        trace.entry = trace.entry - origin
        trace.exit = trace.exit - origin
        trace.begin -= origin
        trace.end -= origin


class _Reader:
    """Reads one rank's files."""

    def __init__(self, path: Path) -> None:
        match = _NAME.fullmatch(path.name)
        self.trace = RankTrace(int(match[1]) if match else 0)
        self._chapter = Chapter()
        self._orders: list[Order] = []
        self._times: list[Numbers] = []
        self._statistics: list[npt.NDArray[np.void]] = []
        self._clocks: list[tuple[int, int]] = []
        self._stopped = False
        """The disk was full, or whatever else; that is told, and how the rank ended is not known."""
        remains = path.with_suffix(".open")
        left = self._open(remains) if remains.exists() else None
        try:
            for block in blocks(path, self.trace.problems, left.stream_bytes if left else None):
                self._take(block)
            if left and not self.trace.complete:
                self._take_open(left)
        except (Damaged, ValueError, KeyError, TypeError, AttributeError, OverflowError) as error:
            self.trace.problems.append(f"{path.name} is damaged: {error}; what comes after is left out")
        self._finish(path.name)

    def _open(self, path: Path) -> Open | None:
        try:
            return read_open(path)
        except Damaged as error:
            self.trace.problems.append(f"{path.name} is damaged: {error}")
            return None

    def _take(self, block: Block) -> None:
        trace = self.trace
        if block.kind in "DN":
            trace.structure_bytes += len(block.data)
        if block.kind == "M":
            self._meta(json.loads(block.data))
        elif block.kind == "D":
            self._chapter.define(block.data, trace.communicators, trace.regions)
        elif block.kind == "N":
            self._chapter.add_nodes(block.data)
        elif block.kind == "T":
            trace.time_bytes += len(block.data)
            self._times.append(decode(block.data))
        elif block.kind == "S":
            self._add_statistics(block.data)
        elif block.kind == "C":
            self._end_chapter()
        elif block.kind == "K":
            clock = json.loads(block.data)
            self._clocks.append((int(clock["local_ns"]), int(clock["global_ns"])))
            trace.clock_error = float(clock["error_ns"]) / 1e9
        elif block.kind == "E":
            end = json.loads(block.data)
            trace.idle = {int(name): (int(calls), int(spent)) for name, (calls, spent) in end["idle"].items()}
            trace.end = int(end["end_ns"])
            trace.complete = True

    def _meta(self, meta: dict[str, Any]) -> None:
        trace = self.trace
        if meta["format"] not in _FORMATS:
            raise Damaged(f"its format is {meta['format']}, which this version does not support")
        trace.ranks, trace.host, trace.boot = int(meta["ranks"]), str(meta["host"]), str(meta["boot"])
        if not 1 <= trace.ranks <= MOST_RANKS:
            raise Damaged(f"invalid number of ranks: {trace.ranks:.0e}")
        trace.library, trace.keep, trace.begin = str(meta["library"]), str(meta["keep"]), int(meta["begin_ns"])
        for name in meta["functions"]:
            function, kind = name.split()
            trace.functions.append((function, kind))

    def _add_statistics(self, data: bytes) -> None:
        rows = np.frombuffer(data, STATISTICS)
        if len(rows) > len(self._chapter.signatures):
            raise Damaged("statistics refer to missing calls")
        self._statistics.append(rows)

    def _end_chapter(self) -> None:
        base = len(self.trace.signatures)
        self._orders.append(self._chapter.order() + np.uint32(base))
        self.trace.signatures += self._chapter.signatures
        self._chapter = Chapter()

    def _take_open(self, left: Open) -> None:
        trace = self.trace
        if left.stopped:
            self._stopped = True
            trace.problems.append(f"rank {trace.rank} could not write all: {os.strerror(left.stopped)}")
        trace.structure_bytes += left.structure_bytes
        trace.time_bytes += len(left.times)
        self._chapter.define(left.definitions, trace.communicators, trace.regions)
        self._chapter.extend(list(left.nodes))
        self._chapter.finish_loop(left.levels)
        self._times.append(decode(left.times))
        if trace.keep != "all":
            self._add_statistics(left.statistics)
        trace.idle = {function: (calls, spent) for function, calls, spent in left.idle}
        trace.end = left.last_exit
        if left.torn:
            trace.problems.append(f"rank {trace.rank} was ended while it recorded: its last calls are left out")

    def _finish(self, name: str) -> None:
        trace = self.trace
        if not trace.functions:
            trace.problems = trace.problems or [f"{name} is empty"]
            return
        try:
            self._end_chapter()
        except Damaged as error:
            trace.problems.append(f"{name} is damaged: {error}; the calls from there on are left out")
        trace.order = np.concatenate(self._orders) if self._orders else trace.order
        if trace.keep != "all" and self._statistics:
            trace.statistics = np.concatenate(self._statistics)
        self._leave_out_wrong(name)
        if not trace.complete and not self._stopped:
            trace.problems.append(f"rank {trace.rank} did not come to MPI_Finalize: its last calls may be missing")
        if trace.keep == "all":
            self._place()
        self._on_one_clock()

    def _leave_out_wrong(self, name: str) -> None:
        """The order ends before the first call whose signature does not say what those of its kind say."""
        trace = self.trace
        places_and_reasons = [
            (number, why)
            for number, row in enumerate(trace.signatures)
            if (why := wrong_row(row, trace.functions))
        ]
        if not places_and_reasons:
            return
        wrong = [number for number, _ in places_and_reasons]
        trace.problems.append(
            f"{name} is damaged: {places_and_reasons[0][1]}; the calls from there on are left out"
        )
        places = np.flatnonzero(np.isin(trace.order, wrong))
        trace.order = trace.order[: places[0]] if len(places) else trace.order
        trace.statistics[[number for number in wrong if number < len(trace.statistics)]] = 0
        for number in wrong:  # nobody calls it any more
            trace.signatures[number] = (0,)

    def _place(self) -> None:
        """Gaps and durations become moments; what has no time, or a time without a call, is left out."""
        trace = self.trace
        numbers = np.concatenate(self._times) if self._times else np.empty(0, np.uint64)
        count = min(len(numbers) // 2, len(trace.order))
        if abs(len(trace.order) - len(numbers) // 2) > 1 and trace.complete and not trace.problems:
            trace.problems.append(f"rank {trace.rank}: {len(trace.order)} calls have {len(numbers) // 2} times")
        trace.order = trace.order[:count]
        gaps, durations = signed(numbers[: 2 * count : 2]), numbers[1 : 2 * count : 2].astype(np.int64)
        trace.exit = trace.begin + np.cumsum(gaps + durations)
        trace.entry = trace.exit - durations

    def _on_one_clock(self) -> None:
        """Clocks are compared at the beginning and at the end; in between they drift evenly."""
        trace = self.trace
        trace.end = max(trace.end, trace.begin)
        if not self._clocks:
            return
        (local, world), (later, world_later) = self._clocks[0], self._clocks[-1]
        first = world - local
        drift = ((world_later - later) - first) / (later - local) if later > local else 0.0

        def corrected(moment: Any) -> Any:
            return moment + first + np.int64(1) * np.asarray((moment - local) * drift, np.int64)

        trace.entry, trace.exit = corrected(trace.entry), corrected(trace.exit)
        trace.begin, trace.end = int(corrected(trace.begin)), int(corrected(trace.end))
