"""SimGrid's time-independent traces, as SMPI and `rankwise-sim` replay them: what ranks do, not when.

Computing is written as work: seconds times the rate that `flops_per_second` of the platform must have.
"""

from __future__ import annotations

from collections.abc import Iterator

from rankwise.analysis.trace.blocks import Blocks
from rankwise.analysis.trace.collectives import exchanges
from rankwise.analysis.trace.exporting import COLLECTIVE_TAG, Tags, block_bytes, need_order, of_all
from rankwise.analysis.trace.operations import Step, computing_before, operation, steps
from rankwise.analysis.trace.reading import RankTrace, Trace

_WHOLE = {
    "barrier": "barrier", "bcast": "bcast {size} {root}", "reduce": "reduce {size} 0 {root}",
    "allreduce": "allreduce {size} 0",
    "alltoall": "alltoall {size} {size}", "allgather": "allgather {size} {size}",
    "gather": "gather {size} {size} {root}", "scatter": "scatter {size} {size} {root}",
}  # fmt: skip
"""Collectives of all ranks that the format has; all others become messages."""


def time_independent(trace: Trace, flops_per_second: float = 1e9) -> Iterator[str]:
    """Yield the lines, of one rank after another. Raises InputError for what cannot be replayed."""
    need_order(trace)
    tags, blocks = Tags(), Blocks(trace)
    for rank_trace in trace.ranks:
        yield from _Rank(trace, rank_trace, tags, blocks, flops_per_second).lines()


class _Rank:
    def __init__(self, trace: Trace, rank: RankTrace, tags: Tags, blocks: Blocks, flops_per_second: float) -> None:
        self._trace = trace
        self._rank = rank
        self._tags = tags
        self._blocks = blocks
        self._flops = flops_per_second
        self._open: dict[int, str] = {}

    def lines(self) -> Iterator[str]:
        """Yield what this rank does."""
        number = self._rank.rank
        yield f"{number} init"
        timed = self._rank.keep == "all"
        for step, computing in computing_before(steps(self._rank), self._rank.begin):
            if timed and computing:
                yield f"{number} compute {computing * 1e-9 * self._flops:.0f}"
            for line in self._step(step):
                yield f"{number} {line}"
        yield f"{number} finalize"

    def _step(self, step: Step) -> Iterator[str]:
        tag = self._tags.number(step.communicator, step.tag)
        if step.kind in {"send", "isend", "recv", "irecv"} and step.peer >= 0:
            yield f"{step.kind} {step.peer} {tag} {step.bytes}"
            if step.request >= 0:
                own = self._rank.rank
                ends = (own, step.peer) if step.kind == "isend" else (step.peer, own)
                self._open[step.request] = f"wait {ends[0]} {ends[1]} {tag}"
        elif step.kind == "wait":
            for request in step.waits:
                if request in self._open:
                    yield self._open.pop(request)
        elif step.kind == "collective":
            yield from self._collective(step)

    def _collective(self, step: Step) -> Iterator[str]:
        name = operation(step.function)
        if name in _WHOLE and of_all(step, self._trace):
            yield _WHOLE[name].format(size=block_bytes(step), root=max(step.root, 0))
            return
        known = step.communicator
        if known is None or known.remote is not None or self._rank.rank not in known.members:
            return
        tag = self._tags.number(known, COLLECTIVE_TAG)
        place, own = known.members.index(self._rank.rank), self._rank.rank
        for sends, receives in exchanges(name, place, len(known.members), step.root, self._blocks.sizes(step)):
            waits = []
            for source, size_bytes in receives:
                peer = known.members[source]
                yield f"irecv {peer} {tag} {size_bytes}"
                waits.append(f"wait {peer} {own} {tag}")
            for to, size_bytes in sends:
                peer = known.members[to]
                yield f"isend {peer} {tag} {size_bytes}"
                waits.append(f"wait {own} {peer} {tag}")
            yield from waits
