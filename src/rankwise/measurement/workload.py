"""What a launch measures: the benchmarks of our harness, or a program of the user's own as a whole."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Protocol

from rankwise.core.jobs import Job, LocalStart, Outcome
from rankwise.core.records import Cell, Plan
from rankwise.measurement import protocol


class Workload(Protocol):
    """A workload knows the arguments of what is started, and reads what that says."""

    end_marker: str
    """The beginning of a line after which it counts as finished; '': only its end counts."""

    def times_start(self, cells: Sequence[Cell]) -> bool:
        """Return whether what an implementation does at its start is in what is measured."""
        ...

    def arm(self, job: Job, cells: Sequence[Cell], plan: Plan, seconds_per_cell: float, *, verifying: bool) -> Job:
        """Return the job, whose program is the bare one, with the arguments that measure `cells`, or verify."""
        ...

    def read(self, outcome: Outcome, cells: Sequence[Cell]) -> protocol.Spoken:
        """Return what it gave for `cells`."""
        ...


class Harness:
    """The harness is our own program with its kernels.

    `candidates`: with which of them each cell is measured, by its label; `brief`: see `protocol.arguments`.
    """

    def __init__(self, candidates: protocol.Candidates = protocol.NO_CANDIDATES, *, brief: bool = False) -> None:
        self._candidates, self._brief = candidates, brief

    end_marker = protocol.END_MARKER

    def times_start(self, cells: Sequence[Cell]) -> bool:
        """Return whether `init` is among them."""
        return any(cell.benchmark == "init" for cell in cells)

    def arm(self, job: Job, cells: Sequence[Cell], plan: Plan, seconds_per_cell: float, *, verifying: bool) -> Job:
        """Add what the harness takes as arguments."""
        arguments = protocol.arguments(
            cells, yielding=job.oversubscribed,
            from_barrier=job.oversubscribed and isinstance(job.start, LocalStart),
            verify=verifying, limit_seconds=plan.launch_limit_seconds,
            seconds_per_cell=seconds_per_cell or plan.seconds_per_cell, candidates=self._candidates,
            brief=self._brief,
        )  # fmt: skip
        return replace(job, program=(*job.program, *arguments))

    def read(self, outcome: Outcome, cells: Sequence[Cell]) -> protocol.Spoken:
        """Return the records in its lines; what was measured while the testbed broke down is worth nothing."""
        return protocol.parse_run("" if outcome.broken else outcome.stdout, cells, self._candidates)
