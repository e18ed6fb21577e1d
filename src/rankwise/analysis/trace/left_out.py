"""What of a trace a consumer leaves out, with its share: calls, bytes, and the time that was recorded of them."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import dataclass

from rankwise.analysis.trace.messages import size_bytes
from rankwise.analysis.trace.reading import RankTrace, Trace
from rankwise.analysis.trace.uses import Uses
from rankwise.core.records import Notice
from rankwise.core.units import format_share, format_size, format_time

Takes = Callable[[RankTrace, tuple[int, ...]], bool]
"""Whether a consumer takes a rank's call."""
LEAST_SHARE = 0.01
"""Of the time in MPI: calls that move nothing and took less are not worth a word."""
_ONE_SIDED = re.compile(r"win_\w+|r?(put|get|accumulate|get_accumulate)|fetch_and_op|compare_and_swap")
_GROUPS: tuple[tuple[re.Pattern[str], str], ...] = (
    (_ONE_SIDED, "one-sided calls"),
    (re.compile(r"file_\w+"), "file calls"),
    (re.compile(r"i?neighbor_\w+"), "neighbourhood collectives"),
    (re.compile(r"comm_(spawn|spawn_multiple|accept|connect)"), "calls that start or connect processes"),
)
_KINDS = {
    "collective": "collectives", "start": "persistent collectives",
    "created": "calls that make communicators", "freed": "calls that free communicators",
    **dict.fromkeys(("send", "isend", "both", "recv", "irecv"), "messages"),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Calls of one kind, over all ranks."""

    what: str
    functions: tuple[str, ...]
    """The most frequent first."""
    calls: int
    bytes: int
    seconds: float
    share: float
    """Of the time in MPI of all ranks."""


def left_out(trace: Trace, takes: Takes) -> tuple[LeftOut, ...]:
    """Return what the consumer leaves out of a trace, what took longest first."""
    functions: defaultdict[str, Counter[str]] = defaultdict(Counter)
    size: Counter[str] = Counter()
    seconds: defaultdict[str, float] = defaultdict(float)
    total = 0.0
    for rank_trace in trace.ranks:
        uses = Uses(rank_trace)
        total += uses.mpi_seconds
        for use in uses:
            what = "" if takes(rank_trace, use.row) else _kind(rank_trace, use.row)
            if what:
                functions[what][rank_trace.functions[use.row[0]][0]] += use.calls
                size[what] += use.rows * size_bytes(rank_trace, use.row)
                seconds[what] += use.seconds
    kinds = (
        LeftOut(
            what, tuple(name for name, _ in names.most_common()), names.total(), size[what], seconds[what],
            seconds[what] / total if total else 0.0,
        )
        for what, names in functions.items()
    )  # fmt: skip
    return tuple(
        sorted((kind for kind in kinds if kind.bytes or kind.share >= LEAST_SHARE), key=lambda kind: -kind.seconds)
    )


def notices(trace: Trace, takes: Takes, where: str, remedy: str = "") -> tuple[Notice, ...]:
    """Return what is to be said of what is not in `where`; nothing if all of the trace is."""
    kinds = left_out(trace, takes)
    if not kinds:
        return ()
    parts = "; ".join(_words(kind) for kind in kinds)
    return (Notice("left out", f"not in {where}: {parts}", remedy or "what depends on them is not in the result"),)


def _kind(trace: RankTrace, row: tuple[int, ...]) -> str:
    """What such calls are called; '' for those that move nothing by themselves and wait for nobody."""
    function, kind = trace.functions[row[0]]
    name = function.removeprefix("MPI_").removesuffix("_c").lower()
    named = next((what for pattern, what in _GROUPS if pattern.fullmatch(name)), "")
    return named or _KINDS.get(kind, "")


def _words(kind: LeftOut) -> str:
    names = ", ".join(kind.functions[:3]) + (", ..." if len(kind.functions) > 3 else "")
    size = f", {format_size(kind.bytes)}" if kind.bytes else ""
    return (
        f"{kind.what} ({names}): {kind.calls} call{'s' if kind.calls != 1 else ''}{size}, "
        f"{format_time(kind.seconds)} or {format_share(kind.share)} of the time in MPI"
    )
