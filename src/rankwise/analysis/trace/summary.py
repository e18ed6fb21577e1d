"""A trace in short: time by call, communicator and region, messages by size, imbalance, late arrivals."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from rankwise.analysis.application import class_bytes
from rankwise.analysis.trace.grammar import Communicator
from rankwise.analysis.trace.reading import RankTrace, Trace

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class CallUse:
    """One function over all ranks."""

    function: str
    calls: int
    seconds: float
    bytes: int
    """Sent by point-to-point calls; contributed to collectives, as each rank's own arguments say."""
    longest_seconds: float
    idle_calls: int = 0
    """Tests and probes that found nothing; their time is in `seconds`."""


@dataclass(frozen=True, slots=True)
class SizeUse:
    """Messages of up to `size_bytes`, a power of two, over all ranks: of sends, or of calls of a collective."""

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
    uses = [_Uses(one) for one in trace.ranks]
    mpi = [one.mpi_seconds for one in uses]
    spans = [(one.end - one.begin) / 1e9 for one in trace.ranks]
    computing = [max(span - spent, 0.0) for span, spent in zip(spans, mpi, strict=True)]
    mean = sum(computing) / len(computing)
    return Summary(
        max(one.ranks for one in trace.ranks), trace.keep,
        (max(one.end for one in trace.ranks) - min(one.begin for one in trace.ranks)) / 1e9,
        sum(int(one.calls.sum()) for one in uses), tuple(mpi), tuple(computing),
        max(computing) / mean - 1 if mean > 0 else float("nan"),
        _functions(uses), _sizes(uses), _communicators(uses), _regions(trace), _skews(trace),
        max(one.clock_error for one in trace.ranks),
        sum(one.structure_bytes for one in trace.ranks), sum(one.time_bytes for one in trace.ranks),
        tuple(trace.problems),
    )  # fmt: skip


def sent(trace: RankTrace, row: tuple[int, ...]) -> tuple[int, int, int] | None:
    """Return communicator, peer in it and bytes of the message that a call sends, None if it sends none."""
    kind = trace.functions[row[0]][1]
    sends = kind in {"send", "isend", "both"} or (kind == "start" and len(row) > 6 and not row[6])
    return (row[1], row[2], row[4]) if sends and len(row) > 4 and row[2] >= 0 else None


class _Uses:
    """How often a rank made each different call, and what that took."""

    def __init__(self, trace: RankTrace) -> None:
        self.trace = trace
        count = len(trace.signatures)
        if trace.keep == "all":
            durations = (trace.exit - trace.entry).astype(np.float64)
            self.calls = np.bincount(trace.order, minlength=count)
            self.seconds = np.bincount(trace.order, durations, minlength=count) / 1e9
            longest = np.zeros(count)
            np.maximum.at(longest, trace.order, durations)
            self.longest: Floats = longest / 1e9
        else:
            rows = trace.statistics
            self.calls, self.seconds, self.longest = np.zeros(count, np.int64), np.zeros(count), np.zeros(count)
            self.calls[: len(rows)] = rows["calls"]
            self.seconds[: len(rows)] = rows["duration"] / 1e9
            self.longest[: len(rows)] = rows["most"] / 1e9
        self.idle_seconds = sum(spent for _, spent in trace.idle.values()) / 1e9
        self.mpi_seconds = float(self.seconds.sum()) + self.idle_seconds

    def rows(self) -> Iterator[tuple[tuple[int, ...], str, int, float, float]]:
        """Yield signature, kind, calls, seconds and the longest of all that was called."""
        for number, row in enumerate(self.trace.signatures):
            if self.calls[number]:
                kind = self.trace.functions[row[0]][1]
                yield row, kind, int(self.calls[number]), float(self.seconds[number]), float(self.longest[number])


def _functions(uses: list[_Uses]) -> tuple[CallUse, ...]:
    found: defaultdict[str, list[float]] = defaultdict(lambda: [0, 0.0, 0, 0.0, 0])
    for use in uses:
        for row, kind, calls, seconds, longest in use.rows():
            if kind == "region":
                continue
            one = found[use.trace.functions[row[0]][0]]
            message = sent(use.trace, row)
            one[0] += calls
            one[1] += seconds
            one[2] += calls * (message[2] if message else row[3] if kind == "collective" and len(row) > 3 else 0)
            one[3] = max(one[3], longest)
        for function, (calls, spent) in use.trace.idle.items():
            if function < len(use.trace.functions):
                one = found[use.trace.functions[function][0]]
                one[1] += spent / 1e9
                one[4] += calls
    all_of_them = (
        CallUse(name, int(one[0]), one[1], int(one[2]), one[3], int(one[4])) for name, one in found.items()
    )
    return tuple(sorted(all_of_them, key=lambda one: -one.seconds))


def _sizes(uses: list[_Uses]) -> tuple[SizeUse, ...]:
    found: defaultdict[int, list[int]] = defaultdict(lambda: [0, 0, 0, 0])
    for use in uses:
        for row, kind, calls, _, _ in use.rows():
            message = sent(use.trace, row)
            if message:
                found[class_bytes(message[2])][0] += calls
                found[class_bytes(message[2])][1] += calls * message[2]
            elif kind == "collective" and len(row) > 4:
                size = max(row[3], row[4])
                found[class_bytes(size)][2] += calls
                found[class_bytes(size)][3] += calls * size
    return tuple(SizeUse(size, *found[size]) for size in sorted(found))


def _communicators(uses: list[_Uses]) -> tuple[CommunicatorUse, ...]:
    calls: Counter[Communicator] = Counter()
    seconds: defaultdict[Communicator, float] = defaultdict(float)
    for use in uses:
        for row, kind, count, spent, _ in use.rows():
            known = use.trace.communicators.get(row[1]) if len(row) > 1 else None
            if known and kind not in {"region", "completion"}:
                calls[known] += count
                seconds[known] += spent
    shown = 16
    return tuple(
        CommunicatorUse(len(one.members), one.members[:shown], count, seconds[one])
        for one, count in calls.most_common()
    )


def _regions(trace: Trace) -> tuple[RegionUse, ...]:
    """Regions nest; where one ends that is not the innermost, those within it end as well."""
    found: defaultdict[str, list[float]] = defaultdict(lambda: [0, 0.0, 0.0, 0])
    for one in trace.ranks:
        marks = [number for number, row in enumerate(one.signatures) if _is_mark(one, row)]
        if not marks or one.keep != "all":
            continue
        places = np.flatnonzero(np.isin(one.order, marks))
        spent = np.concatenate(([0], np.cumsum(one.exit - one.entry)))
        inside: list[str] = []
        before, moment = 0, one.begin
        for place in [*places.tolist(), len(one.order)]:
            now = int(one.entry[place]) if place < len(one.order) else one.end
            if inside:
                found[inside[-1]][1] += (now - moment) / 1e9
                found[inside[-1]][2] += float(spent[place] - spent[before]) / 1e9
                found[inside[-1]][3] += place - before
            before, moment = place + 1, now
            if place == len(one.order):
                break
            _, region, begins = one.signatures[one.order[place]]
            name = one.regions.get(region, str(region))
            if begins:
                found[name][0] += 1
                inside.append(name)
            elif name in inside:
                del inside[len(inside) - 1 - inside[::-1].index(name) :]
    rows = (RegionUse(name, int(one[0]), one[1], one[2], int(one[3])) for name, one in found.items())
    return tuple(sorted(rows, key=lambda one: -one.seconds))


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
    for one in trace.ranks:
        numbers = np.array([_collective_on(one, row) for row in one.signatures], np.int64).reshape(-1)
        functions = np.array([row[0] for row in one.signatures], np.uint16)
        on = numbers[one.order] if len(numbers) else np.empty(0, np.int64)
        for number, known in one.communicators.items():
            places = np.flatnonzero(on == number)
            if len(places) and len(known.members) > 1:
                entries[known].append((functions[one.order[places]], one.entry[places]))
    skews: defaultdict[str, list[npt.NDArray[np.float64]]] = defaultdict(list)
    for known, ranks in entries.items():
        count = min(len(moments) for _, moments in ranks)
        if len(ranks) < len(known.members) or not count:
            continue
        moments = np.stack([one[1][:count] for one in ranks])
        spread = (moments.max(axis=0) - moments.min(axis=0)) / 1e9
        for function in np.unique(ranks[0][0][:count]).tolist():
            skews[names[function][0]].append(spread[ranks[0][0][:count] == function])
    joined = {name: np.concatenate(parts) for name, parts in skews.items()}
    return tuple(
        Skew(name, len(one), float(np.median(one)), float(one.max())) for name, one in sorted(joined.items())
    )


def _collective_on(trace: RankTrace, row: tuple[int, ...]) -> int:
    return row[1] if trace.functions[row[0]][1] == "collective" and len(row) > 1 else -1
