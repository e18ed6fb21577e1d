"""Which rule of a list is never reached, since those before it take all that it is for."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

ENDLESS = 1 << 62


@dataclass(frozen=True, slots=True)
class Interval:
    """All whole numbers from `least` to `most`, both included."""

    least: int = 0
    most: int = ENDLESS

    @property
    def is_empty(self) -> bool:
        """Whether no number is in it."""
        return self.least > self.most


def is_covered(interval: Interval, others: Iterable[Interval]) -> bool:
    """Return whether each number of an interval is in one of the others, too."""
    start = interval.least
    for other in sorted(others, key=lambda other: other.least):
        if other.least <= start <= other.most:
            start = other.most + 1
    return start > interval.most


def unreachable(intervals: Sequence[Interval]) -> list[int]:
    """Return the places of those that the ones before them cover, of a list where the first match counts."""
    return [
        place
        for place, interval in enumerate(intervals)
        if not interval.is_empty
        and is_covered(interval, (other for other in intervals[:place] if not other.is_empty))
    ]
