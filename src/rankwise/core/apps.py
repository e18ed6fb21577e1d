"""What a run of an application that checks itself has given."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from rankwise.core.errors import EXIT_ANSWER_IS_NO, EXIT_HOST, EXIT_OK


@dataclass(frozen=True, slots=True)
class Messages:
    """Calls of one kind whose messages are of a size class, from a power of two to the next, on all ranks."""

    call: str
    """`point-to-point`: sends; of Alltoall the size is of one block, of Alltoallv of all together."""
    number: int
    smallest: int
    largest: int
    """In bytes."""


@dataclass(frozen=True, slots=True)
class AppResult:
    """One run of a kernel with one implementation."""

    kernel: str
    class_name: str
    implementation: str
    ranks: int
    program: str
    """Its path, for other launches of it."""
    command: str
    seconds: float = math.nan
    """Of the part that is timed, on the rank that took longest."""
    mops: float = math.nan
    """Millions of operations a second, on all ranks together, counted as the NAS Parallel Benchmarks do."""
    verified: bool | None = None
    """Whether the result is the published one; None if it was not checked, or there is none."""
    remark: str = ""
    """What is wrong, or why there is no result."""
    messages: tuple[Messages, ...] = ()
    figures: tuple[tuple[str, float], ...] = ()
    """Further figures that the application gives, by name; times are in seconds."""
    computing_seconds: tuple[float, ...] = ()
    """Processor time of a phase between messages, the mean over ranks and repetitions, for each phase."""

    @property
    def has_ended(self) -> bool:
        """Whether it ran to its end."""
        return not math.isnan(self.seconds)


def exit_code(results: Sequence[AppResult]) -> int:
    """Return 1 if a result is wrong or some of the runs failed, 3 if all of them did."""
    if not any(result.has_ended for result in results):
        return EXIT_HOST
    wrong = any(result.verified is False or not result.has_ended for result in results)
    return EXIT_ANSWER_IS_NO if wrong else EXIT_OK
