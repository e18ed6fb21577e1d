"""Presets that are switched within a launch: each has a size of its own, a few bytes beside the others'.

Intel MPI reads its tables at the start alone, and a write of its control variables changes nothing. But it looks
up the preset at each call, by the size of the message. Sizes that a table leaves out take the nearest entry.
"""

from __future__ import annotations

from collections.abc import Sequence

from rankwise.core.errors import InputError
from rankwise.core.records import Implementation
from rankwise.core.tuning import Candidate, Choice, Decision, Native, Rule, Tuning
from rankwise.mpi.intelmpi import settings

STEP_BYTES = 8
"""Between candidates: whole elements of every datatype."""
MOST_SHARE = 1 / 64
"""Of the size, by which a candidate's may be shorter: no time is to differ for that."""


def candidates_by_size(
    implementation: Implementation, operation: str, ranks: int, size_bytes: int, choices: Sequence[Choice]
) -> tuple[Native, tuple[Candidate, ...]] | None:
    """Return a table in which each choice has one size, from `size_bytes` downwards; None for a size too small.

    Downwards, for protocols and default choices tend to change just above powers of two. Raises InputError.
    """
    last = STEP_BYTES * (len(choices) - 1)
    if not choices or last > size_bytes * MOST_SHARE:
        return None
    if not all(choice.algorithm for choice in choices):
        raise InputError(
            f"{operation}: beside presets Intel MPI cannot be measured with its default", "measure that by itself"
        )
    ends = [size_bytes - STEP_BYTES * place for place in range(1, len(choices))]
    upwards = [Rule(end, choice) for end, choice in zip(reversed(ends), reversed(choices[1:]), strict=True)]
    upwards.append(Rule(None, choices[0]))
    decision = Decision(operation, ranks, tuple(upwards))
    native = settings.native(implementation, Tuning(decisions=(decision,)))
    return native, tuple(Candidate(bytes_less=STEP_BYTES * place) for place in range(len(choices)))
