"""What the program does, as `rankwise tune --for` takes it: `operation,size_bytes,ranks,count`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from rankwise.analysis.application import COLUMNS, class_bytes
from rankwise.analysis.trace.exporting import block_bytes
from rankwise.analysis.trace.messages import sent
from rankwise.analysis.trace.operations import Step, operation
from rankwise.analysis.trace.reading import RankTrace, Trace
from rankwise.analysis.trace.uses import Uses


def application_csv(trace: Trace) -> Iterator[str]:
    """Yield the lines."""
    yield ",".join(COLUMNS)
    for name, size, ranks, count in rows(trace):
        yield f"{name},{size},{ranks},{count}"


def rows(trace: Trace) -> Iterator[tuple[str, int, int, int]]:
    """Yield the columns: a collective counts once for all its ranks, a message once, between two ranks."""
    counts: Counter[tuple[str, int, int]] = Counter()
    for rank_trace in trace.ranks:
        for use in Uses(rank_trace):
            for message in sent(rank_trace, use.row):
                counts["send", class_bytes(message.bytes), 2] += use.rows
            if use.kind == "collective" and _is_told(rank_trace, use.row):
                row, known = use.row, rank_trace.communicators[use.row[1]]
                counted_by = row[2] if row[2] >= 0 else 0
                if counted_by < len(known.members) and known.members[counted_by] == rank_trace.rank:
                    function = rank_trace.functions[row[0]][0]
                    step = Step("collective", function, 0, 0, known, bytes=row[3], received=row[4])
                    key = (operation(function), class_bytes(block_bytes(step)), len(known.members))
                    counts[key] += use.calls
    for (name, size, ranks), count in sorted(counts.items()):
        if count:
            yield name, size, ranks, count


def takes(trace: RankTrace, row: tuple[int, ...]) -> bool:
    """Return whether a call is in the CSV, or has nothing that could be: what waits or receives."""
    kind = trace.functions[row[0]][1]
    if kind == "collective":
        return _is_told(trace, row)
    return kind not in {"rma", "sync", "window", "window_free", "file", "other"} and (
        kind != "start" or len(row) > 1
    )


def _is_told(trace: RankTrace, row: tuple[int, ...]) -> bool:
    known = trace.communicators.get(row[1]) if len(row) > 4 else None
    return known is not None and len(known.members) > 1
