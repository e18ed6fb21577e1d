"""The choices among algorithms: plain, or with a segment size or fan-out; their names, and which to try first."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from rankwise.core.tuning import Algorithm, Choice
from rankwise.core.units import format_size

SEGMENTS = 64
"""In how many segments a message is best cut, before anything is known: rather many, since small ones need no
rendezvous each, which over a long path takes longer than all else."""


def choices_of(
    algorithms: Iterable[Algorithm], segments_bytes: Sequence[int] = (), fanouts: Sequence[int] = ()
) -> tuple[Choice, ...]:
    """Return every algorithm with each segment size and fan-out that it takes, and with its own."""
    return tuple(
        Choice(algorithm.name, segment, fanout)
        for algorithm in algorithms
        for segment in (0, *(segments_bytes if algorithm.segments else ()))
        for fanout in (0, *(fanouts if algorithm.fanout else ()))
    )


def useful(choices: Iterable[Choice], size_bytes: int) -> list[Choice]:
    """Return the choices without those whose segments would not cut a message of this size."""
    return [choice for choice in choices if not choice.segment_bytes or choice.segment_bytes < size_bytes]


def first_choices(choices: Sequence[Choice], size_bytes: int) -> list[Choice]:
    """Return one choice of each algorithm for messages of this size: that which cuts them into about SEGMENTS.

    What pipelines is slow in one piece, so the plain algorithm would say nothing of what it can do.
    """
    wanted = math.log2(max(size_bytes / SEGMENTS, 1))
    first: dict[str, Choice] = {}
    for choice in useful(choices, size_bytes):
        best = first.setdefault(choice.algorithm, choice)
        if _far(choice, wanted) < _far(best, wanted):
            first[choice.algorithm] = choice
    return list(first.values())


def _far(choice: Choice, wanted: float) -> tuple[float, int]:
    """Octaves from the wanted segment size; a plain algorithm only where there is nothing better."""
    segment = abs(math.log2(choice.segment_bytes) - wanted) if choice.segment_bytes else math.inf
    return segment, choice.fanout


def name_of(choice: Choice) -> str:
    """Name a choice: `binomial`, `pipeline/8192`, `tree/fan-out 4`."""
    parts = [choice.algorithm, *([str(choice.segment_bytes)] if choice.segment_bytes else [])]
    parts += [f"fan-out {choice.fanout}"] if choice.fanout else []
    return "/".join(parts)


def words_of(choice: Choice) -> str:
    """Return the same in words."""
    segment = f" with segments of {format_size(choice.segment_bytes)}" if choice.segment_bytes else ""
    fanout = f" with fan-out {choice.fanout}" if choice.fanout else ""
    return f"{choice.algorithm or 'the default'}{segment}{fanout}"
