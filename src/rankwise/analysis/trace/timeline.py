"""A timeline as Perfetto and chrome://tracing show it: a row a rank, calls and regions, arrows for messages."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator

from rankwise.analysis.trace.exporting import Tags, need_times
from rankwise.analysis.trace.operations import steps
from rankwise.analysis.trace.reading import RankTrace, Trace
from rankwise.analysis.trace.rows import goes_on


def timeline(trace: Trace) -> Iterator[str]:
    """Yield the lines of the JSON. Raises InputError for a trace without times."""
    need_times(trace)
    yield '{"displayTimeUnit": "ns", "traceEvents": ['
    yield json.dumps({"ph": "M", "name": "process_name", "pid": 0, "args": {"name": "MPI_COMM_WORLD"}})
    tags = Tags()
    numbers: dict[tuple[int, int, int, int], str] = {}
    for rank_trace in trace.ranks:
        for event in _events(rank_trace, tags, numbers):
            yield "," + json.dumps(event)
    yield "]}"


def _events(
    trace: RankTrace, tags: Tags, numbers: dict[tuple[int, int, int, int], str]
) -> Iterator[dict[str, object]]:
    place = {"pid": 0, "tid": trace.rank}
    yield {"ph": "M", "name": "thread_name", **place, "args": {"name": f"rank {trace.rank} on {trace.host}"}}
    for signature, entry, end in zip(trace.order.tolist(), trace.entry.tolist(), trace.exit.tolist(), strict=True):
        row = trace.signatures[signature]
        function, kind = trace.functions[row[0]]
        if kind == "region" and len(row) == 3:
            name = trace.regions.get(row[1], str(row[1]))
            yield {"ph": "B" if row[2] else "E", "name": name, "ts": entry / 1e3, **place}
        elif not goes_on(row, kind):
            yield {
                "ph": "X", "name": function, "cat": kind, "ts": entry / 1e3, "dur": (end - entry) / 1e3, **place,
            }  # fmt: skip
    yield from _arrows(trace, tags, numbers)


def _arrows(
    trace: RankTrace, tags: Tags, numbers: dict[tuple[int, int, int, int], str]
) -> Iterator[dict[str, object]]:
    """From a send's begin to its receive's end: the n-th with this tag between these two meets the n-th."""
    met: defaultdict[tuple[int, int, int, bool], int] = defaultdict(int)
    in_order = steps(trace)
    ends = {request: step.exit for step in in_order if step.kind == "wait" for request in step.waits}
    for step in in_order:
        if step.kind not in {"send", "isend", "recv", "irecv"} or step.peer < 0:
            continue
        sends, tag = step.kind.endswith("send"), tags.number(step.communicator, step.tag)
        source, destination = (trace.rank, step.peer) if sends else (step.peer, trace.rank)
        met[source, destination, tag, sends] += 1
        key = (source, destination, tag, met[source, destination, tag, sends])
        name = numbers.setdefault(key, str(len(numbers)))
        moment = step.entry if sends else ends.get(step.request, step.exit)
        arrow = {"name": "message", "cat": "message", "id": name, "pid": 0, "tid": trace.rank, "ts": moment / 1e3}
        yield {"ph": "s", **arrow} if sends else {"ph": "f", "bp": "e", **arrow}
