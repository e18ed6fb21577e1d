"""A trace in short: time by call, communicator and region, messages by size, imbalance, late arrivals."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from rankwise.analysis.application import class_bytes
from rankwise.analysis.trace.grammar import Communicator
from rankwise.analysis.trace.messages import moved, size_bytes
from rankwise.analysis.trace.reading import RankTrace, Trace
from rankwise.analysis.trace.rows import goes_on
from rankwise.analysis.trace.uses import Uses


@dataclass(frozen=True, slots=True)
class CallUse:
    """One function over all ranks."""

    function: str
    calls: int
    seconds: float
    bytes: int
    """Sent by point-to-point calls, moved by one-sided ones, written to and read from files; contributed to
    collectives, as each rank's own arguments say."""
    longest_seconds: float
    idle_calls: int = 0
    """Tests and probes that found nothing; their time is in `seconds`."""


@dataclass(frozen=True, slots=True)
class SizeUse:
    """Messages of up to `size_bytes`, a power of two, over all ranks: sent, moved by one-sided calls, or those of
    calls of a collective."""

    size_bytes: int
    messages: int
    bytes: int
    collective_calls: int
    collective_bytes: int


@dataclass(frozen=True, slots=True)
class CommunicatorUse:
    """One communicator over all its ranks."""

    ranks: int
    members: tuple[int, ...]
    """Ranks of MPI_COMM_WORLD; the first few."""
    calls: int
    seconds: float


@dataclass(frozen=True, slots=True)
class RegionUse:
    """What the program marked, over all ranks; a region within another one counts for itself alone."""

    name: str
    entered: int
    seconds: float
    mpi_seconds: float
    calls: int


@dataclass(frozen=True, slots=True)
class Skew:
    """How much later the last rank came to a collective than the first."""

    function: str
    calls: int
    median_seconds: float
    longest_seconds: float


@dataclass(frozen=True, slots=True)
class Summary:
    """A trace in short."""

    ranks: int
    keep: str
    seconds: float
    """From the first rank's MPI_Init to the last one's MPI_Finalize."""
    calls: int
    mpi_seconds: tuple[float, ...]
    """Of each rank."""
    computing_seconds: tuple[float, ...]
    """Of each rank: all that is not MPI."""
    imbalance: float
    """The longest computing time over the mean, less one; nan if nobody computes."""
    functions: tuple[CallUse, ...]
    sizes: tuple[SizeUse, ...]
    communicators: tuple[CommunicatorUse, ...]
    regions: tuple[RegionUse, ...]
    skews: tuple[Skew, ...]
    clock_error_seconds: float
    structure_bytes: int
    time_bytes: int
    problems: tuple[str, ...]


def summarise(trace: Trace) -> Summary:
    """Return the trace in short."""
    uses = [Uses(rank_trace) for rank_trace in trace.ranks]
    mpi = [of_rank.mpi_seconds for of_rank in uses]
    spans = [(rank_trace.end - rank_trace.begin) / 1e9 for rank_trace in trace.ranks]
    computing = [max(span - spent, 0.0) for span, spent in zip(spans, mpi, strict=True)]
    mean = sum(computing) / len(computing)
    return Summary(
        max(rank_trace.ranks for rank_trace in trace.ranks), trace.keep,
        trace.seconds,
        sum(use.calls for of_rank in uses for use in of_rank), tuple(mpi), tuple(computing),
        max(computing) / mean - 1 if mean > 0 else float("nan"),
        _functions(uses), _sizes(uses), _communicators(uses), _regions(trace), _skews(trace),
        max(rank_trace.clock_error for rank_trace in trace.ranks),
        sum(rank_trace.structure_bytes for rank_trace in trace.ranks),
        sum(rank_trace.time_bytes for rank_trace in trace.ranks),
        tuple(trace.problems),
    )  # fmt: skip


def _functions(uses: list[Uses]) -> tuple[CallUse, ...]:
    sums: defaultdict[str, list[float]] = defaultdict(lambda: [0, 0.0, 0, 0.0, 0])
    for of_rank in uses:
        trace = of_rank.trace
        for use in of_rank:
            if use.kind == "region":
                continue
            total = sums[trace.functions[use.row[0]][0]]
            total[0] += use.calls
            total[1] += use.seconds
            total[2] += use.rows * size_bytes(trace, use.row)
            total[3] = max(total[3], use.longest_seconds)
        for function, (calls, spent) in trace.idle.items():
            if function < len(trace.functions):
                total = sums[trace.functions[function][0]]
                total[1] += spent / 1e9
                total[4] += calls
    all_of_them = (
        CallUse(name, int(part[0]), part[1], int(part[2]), part[3], int(part[4])) for name, part in sums.items()
    )
    return tuple(sorted(all_of_them, key=lambda call_use: -call_use.seconds))


def _sizes(uses: list[Uses]) -> tuple[SizeUse, ...]:
    by_class: defaultdict[int, list[int]] = defaultdict(lambda: [0, 0, 0, 0])
    for of_rank in uses:
        for use in of_rank:
            for message in moved(of_rank.trace, use.row):
                by_class[class_bytes(message.bytes)][0] += use.rows
                by_class[class_bytes(message.bytes)][1] += use.rows * message.bytes
            if use.kind == "collective" and len(use.row) > 4:
                size = max(use.row[3], use.row[4])
                by_class[class_bytes(size)][2] += use.calls
                by_class[class_bytes(size)][3] += use.calls * size
    return tuple(SizeUse(size, *by_class[size]) for size in sorted(by_class))


def _communicators(uses: list[Uses]) -> tuple[CommunicatorUse, ...]:
    calls: Counter[Communicator] = Counter()
    seconds: defaultdict[Communicator, float] = defaultdict(float)
    for of_rank in uses:
        for use in of_rank:
            known = of_rank.trace.communicators.get(use.row[1]) if len(use.row) > 1 else None
            if known and use.kind not in {"region", "completion", "file"}:
                calls[known] += use.calls
                seconds[known] += use.seconds
    shown = 16
    return tuple(
        CommunicatorUse(len(communicator.members), communicator.members[:shown], count, seconds[communicator])
        for communicator, count in calls.most_common()
    )


def _regions(trace: Trace) -> tuple[RegionUse, ...]:
    """Regions nest; where one ends that is not the innermost, those within it end as well."""
    sums: defaultdict[str, list[float]] = defaultdict(lambda: [0, 0.0, 0.0, 0])
    for rank_trace in trace.ranks:
        marks = [number for number, row in enumerate(rank_trace.signatures) if _is_mark(rank_trace, row)]
        if not marks or rank_trace.keep != "all":
            continue
        places = np.flatnonzero(np.isin(rank_trace.order, marks))
        spent = np.concatenate(([0], np.cumsum(rank_trace.exit - rank_trace.entry)))
        parts = [
            number
            for number, row in enumerate(rank_trace.signatures)
            if goes_on(row, rank_trace.functions[row[0]][1])
        ]
        calls = np.concatenate(([0], np.cumsum(~np.isin(rank_trace.order, parts))))
        inside: list[str] = []
        before, moment = 0, rank_trace.begin
        for place in [*places.tolist(), len(rank_trace.order)]:
            now = int(rank_trace.entry[place]) if place < len(rank_trace.order) else rank_trace.end
            if inside:
                sums[inside[-1]][1] += (now - moment) / 1e9
                sums[inside[-1]][2] += float(spent[place] - spent[before]) / 1e9
                sums[inside[-1]][3] += int(calls[place] - calls[before])
            before, moment = place + 1, now
            if place == len(rank_trace.order):
                break
            _, region, begins = rank_trace.signatures[rank_trace.order[place]]
            name = rank_trace.regions.get(region, str(region))
            if begins:
                sums[name][0] += 1
                inside.append(name)
            elif name in inside:
                del inside[len(inside) - 1 - inside[::-1].index(name) :]
    rows = (RegionUse(name, int(total[0]), total[1], total[2], int(total[3])) for name, total in sums.items())
    return tuple(sorted(rows, key=lambda region_use: -region_use.seconds))


def _is_mark(trace: RankTrace, row: tuple[int, ...]) -> bool:
    return trace.functions[row[0]][1] == "region" and len(row) == 3


def _skews(trace: Trace) -> tuple[Skew, ...]:
    """The same call of a communicator's ranks is that of the same number, for all must make them in one order."""
    if trace.keep != "all":
        return ()
    entries: defaultdict[Communicator, list[tuple[npt.NDArray[np.uint16], npt.NDArray[np.int64]]]] = defaultdict(
        list
    )
    names = trace.ranks[0].functions
    for rank_trace in trace.ranks:
        numbers = np.array([_collective_on(rank_trace, row) for row in rank_trace.signatures], np.int64).reshape(
            -1
        )
        functions = np.array([row[0] for row in rank_trace.signatures], np.uint16)
        on = numbers[rank_trace.order] if len(numbers) else np.empty(0, np.int64)
        for number, known in rank_trace.communicators.items():
            places = np.flatnonzero(on == number)
            if len(places) and len(known.members) > 1:
                entries[known].append((functions[rank_trace.order[places]], rank_trace.entry[places]))
    skews: defaultdict[str, list[npt.NDArray[np.float64]]] = defaultdict(list)
    for known, ranks in entries.items():
        count = min(len(moments) for _, moments in ranks)
        if len(ranks) < len(known.members) or not count:
            continue
        moments = np.stack([of_rank[1][:count] for of_rank in ranks])
        spread = (moments.max(axis=0) - moments.min(axis=0)) / 1e9
        for function in np.unique(ranks[0][0][:count]).tolist():
            skews[names[function][0]].append(spread[ranks[0][0][:count] == function])
    joined = {name: np.concatenate(parts) for name, parts in skews.items()}
    return tuple(
        Skew(name, len(spreads), float(np.median(spreads)), float(spreads.max()))
        for name, spreads in sorted(joined.items())
    )


def _collective_on(trace: RankTrace, row: tuple[int, ...]) -> int:
    return row[1] if trace.functions[row[0]][1] == "collective" and len(row) > 1 else -1
