"""GOAL schedules (Hoefler, Siebert and Lumsdaine, ICPP 2009), as LogGOPSim and `rankwise-sim` replay them.

Each rank's operations wait for one another as its calls did: what blocks holds back all that comes after, a
request what comes after its wait alone.
"""

from __future__ import annotations

from collections.abc import Iterator

from rankwise.analysis.trace.collectives import exchanges
from rankwise.analysis.trace.exporting import COLLECTIVE_TAG, Tags, block_bytes, need_order
from rankwise.analysis.trace.operations import Step, computing_before, operation, steps
from rankwise.analysis.trace.reading import RankTrace, Trace


def goal(trace: Trace) -> Iterator[str]:
    """Yield the lines of the schedule, times in nanoseconds. Raises InputError for what cannot be replayed."""
    need_order(trace)
    tags = Tags()
    yield f"num_ranks {max(one.ranks for one in trace.ranks)}"
    for one in trace.ranks:
        yield f"rank {one.rank} {{"
        yield from _Rank(one, tags).lines()
        yield "}"


class _Rank:
    def __init__(self, rank: RankTrace, tags: Tags) -> None:
        self._rank = rank
        self._tags = tags
        self._used = 0
        self._before: tuple[str, ...] = ()
        """What the next operation waits for."""
        self._requests: dict[int, str] = {}

    def lines(self) -> Iterator[str]:
        """Yield what this rank does."""
        for step, computing in computing_before(steps(self._rank), self._rank.begin):
            if self._rank.keep == "all" and computing:
                yield from self._blocking(f"calc {computing}")
            yield from self._step(step)

    def _operation(self, text: str) -> tuple[str, list[str]]:
        self._used += 1
        label = f"l{self._used}"
        return label, [f"{label}: {text}", *(f"{label} requires {one}" for one in self._before)]

    def _blocking(self, text: str) -> list[str]:
        label, lines = self._operation(text)
        self._before = (label,)
        return lines

    def _step(self, step: Step) -> Iterator[str]:
        tag = self._tags.number(step)
        if step.kind in {"send", "isend", "recv", "irecv"} and step.peer >= 0:
            text = _message(step.kind.endswith("send"), step.peer, step.bytes, tag)
            if step.request < 0:
                yield from self._blocking(text)
            else:
                self._requests[step.request], lines = self._operation(text)
                yield from lines
        elif step.kind == "wait":
            over = [self._requests.pop(one) for one in step.waits if one in self._requests]
            self._before = (*self._before, *over)
            if len(self._before) > 1:
                yield from self._blocking("calc 0")
        elif step.kind == "collective":
            yield from self._collective(step)

    def _collective(self, step: Step) -> Iterator[str]:
        known = step.communicator
        if known is None or known.remote is not None or self._rank.rank not in known.members:
            return
        tag = self._tags.number(step, COLLECTIVE_TAG)
        place = known.members.index(self._rank.rank)
        found = exchanges(operation(step.function), place, len(known.members), step.root, block_bytes(step))
        for sends, receives in found:
            labels = []
            for sending, several in ((False, receives), (True, sends)):
                for other, size_bytes in several:
                    label, lines = self._operation(_message(sending, known.members[other], size_bytes, tag))
                    labels.append(label)
                    yield from lines
            self._before = tuple(labels)
            if len(labels) > 1:
                yield from self._blocking("calc 0")


def _message(sends: bool, peer: int, size_bytes: int, tag: int) -> str:
    return f"{'send' if sends else 'recv'} {size_bytes}b {'to' if sends else 'from'} {peer} tag {tag}"
