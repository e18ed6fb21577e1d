"""GOAL schedules (Hoefler, Siebert and Lumsdaine, ICPP 2009), as LogGOPSim and `rankwise-sim` replay them.

Each rank's operations wait for one another as its calls did: what blocks holds back all that comes after, a
request what comes after its wait alone.
"""

from __future__ import annotations

from collections.abc import Iterator

from rankwise.analysis.trace.blocks import Blocks
from rankwise.analysis.trace.collectives import exchanges
from rankwise.analysis.trace.exporting import COLLECTIVE_TAG, Tags, need_order, takes_messages
from rankwise.analysis.trace.goal_lines import Lines, message
from rankwise.analysis.trace.goal_windows import Windows
from rankwise.analysis.trace.one_sided import arriving
from rankwise.analysis.trace.one_sided import takes as takes_one_sided
from rankwise.analysis.trace.operations import Step, computing_before, operation, steps
from rankwise.analysis.trace.reading import RankTrace, Trace


def goal(trace: Trace) -> Iterator[str]:
    """Yield the lines of the schedule, times in nanoseconds. Raises InputError for what cannot be replayed."""
    need_order(trace)
    tags, blocks, one_sided = Tags(), Blocks(trace), arriving(trace)
    yield f"num_ranks {max(of_rank.ranks for of_rank in trace.ranks)}"
    for rank_trace in trace.ranks:
        lines = Lines()
        windows = Windows(lines, rank_trace.rank, tags, one_sided.get(rank_trace.rank, []))
        yield f"rank {rank_trace.rank} {{"
        yield from _Rank(rank_trace, lines, tags, blocks, windows).lines()
        yield "}"


def takes(trace: RankTrace, row: tuple[int, ...]) -> bool:
    """Return whether a call becomes operations of the schedule."""
    return takes_messages(trace, row) or takes_one_sided(trace, row)


class _Rank:
    def __init__(self, rank: RankTrace, lines: Lines, tags: Tags, blocks: Blocks, windows: Windows) -> None:
        self._rank = rank
        self._lines = lines
        self._tags = tags
        self._blocks = blocks
        self._windows = windows
        self._requests: dict[int, str] = {}

    def lines(self) -> Iterator[str]:
        """Yield what this rank does."""
        yield from self._windows.arrivals()
        for step, computing in computing_before(steps(self._rank), self._rank.begin):
            if self._rank.keep == "all" and computing:
                yield from self._lines.blocking(f"calc {computing}")
            yield from self._step(step)

    def _step(self, step: Step) -> Iterator[str]:
        if step.kind in {"send", "isend", "recv", "irecv"} and step.peer >= 0:
            tag = self._tags.number(step.communicator, step.tag)
            text = message(step.kind.endswith("send"), step.peer, step.bytes, tag)
            if step.request < 0:
                yield from self._lines.blocking(text)
            else:
                self._requests[step.request], lines = self._lines.operation(text)
                yield from lines
        elif step.kind == "wait":
            yield from self._lines.join(
                self._requests.pop(request) for request in step.waits if request in self._requests
            )
        elif step.kind == "collective":
            yield from self._collective(step)
        elif step.kind in {"rma", "sync"}:
            yield from self._windows.take(step, self._requests)

    def _collective(self, step: Step) -> Iterator[str]:
        known = step.communicator
        if known is None or known.remote is not None or self._rank.rank not in known.members:
            return
        place = known.members.index(self._rank.rank)
        sizes = self._blocks.sizes(step)
        exchanged = exchanges(operation(step.function), place, len(known.members), step.root, sizes)
        yield from self._lines.exchanges(exchanged, known.members, self._tags.number(known, COLLECTIVE_TAG))
