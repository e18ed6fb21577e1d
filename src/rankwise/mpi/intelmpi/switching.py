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

STEP_BYTES = 4
"""Between candidates: whole elements of the usual datatypes."""
MOST_SHARE = 1 / 64
"""Of the size, by which a candidate's may be shorter: no time is to differ for that ..."""
ALIKE_BYTES = 64
"""... nor for less than a line of the cache."""


def most_by_size(size_bytes: int) -> int:
    """Return how many candidates have a size of their own that is not much below this one; 0 for no message."""
    if not size_bytes:
        return 0
    last = min(max(int(size_bytes * MOST_SHARE), ALIKE_BYTES), size_bytes) - 1
    return 1 + last // STEP_BYTES


def candidates_by_size(
    implementation: Implementation,
    operation: str,
    ranks: int,
    sizes_bytes: Sequence[int],
    choices: Sequence[Choice],
) -> tuple[Native, tuple[Candidate, ...]]:
    """Return a table in which each choice has one size, from each of `sizes_bytes` downwards, shape (choices,).

    Downwards, for protocols and default choices tend to change just above powers of two. Raises InputError for
    more choices than the sizes have room for, and for what no table can say.
    """
    sizes = sorted(sizes_bytes)
    room = min(map(most_by_size, sizes), default=0)
    if not 0 < len(choices) <= room:
        raise InputError(
            f"{operation}: {len(choices)} presets, and room for {room} below {sizes[0] if sizes else 0} bytes",
            "measure them in several launches",
        )
    if not all(choice.algorithm for choice in choices):
        raise InputError(
            f"{operation}: beside presets Intel MPI cannot be measured with its default", "measure that by itself"
        )
    upwards = [
        Rule(size - STEP_BYTES * place, choices[place])
        for size in sizes
        for place in reversed(range(len(choices)))
    ]
    upwards[-1] = Rule(None, choices[0])
    native = settings.native(implementation, Tuning(decisions=(Decision(operation, ranks, tuple(upwards)),)))
    return native, tuple(Candidate(bytes_less=STEP_BYTES * place) for place in range(len(choices)))
