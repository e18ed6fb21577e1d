"""A value for each element of a memory, kept by runs of elements, so that large counts cost no more than small."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from typing import Generic, TypeVar

V = TypeVar("V")


class Spans(Generic[V]):
    """The elements from 0 on, all with `value` at first."""

    __slots__ = ("_starts", "_values", "size")

    def __init__(self, size: int, value: V) -> None:
        self.size = size
        self._starts = [0]
        self._values = [value]

    def read(self, start: int, end: int) -> list[tuple[int, int, V]]:
        """Return the runs (start, end, value) of the elements from `start` to before `end`."""
        starts, values = self._starts, self._values
        first = bisect_right(starts, start) - 1
        if first + 1 == len(starts) or starts[first + 1] >= end:
            return [(start, end, values[first])]
        last = bisect_left(starts, end) - 1
        runs = [(start, starts[first + 1], values[first])]
        runs += [(starts[at], starts[at + 1], values[at]) for at in range(first + 1, last)]
        runs.append((starts[last], end, values[last]))
        return runs

    def write(self, runs: Sequence[tuple[int, int, V]]) -> None:
        """Give new values to elements that follow one another without gaps."""
        starts, values = self._starts, self._values
        start, end = runs[0][0], runs[-1][1]
        first = bisect_right(starts, start) - 1
        if len(runs) == 1 and self._written_within(first, *runs[0]):
            return
        behind = bisect_left(starts, end)
        rest = values[behind - 1]
        new_starts: list[int] = []
        new_values: list[V] = []
        if starts[first] < start:
            new_starts.append(starts[first])
            new_values.append(values[first])
        elif first:
            first -= 1
            new_starts.append(starts[first])
            new_values.append(values[first])
        for at, _, value in runs:
            if not new_values or new_values[-1] != value:
                new_starts.append(at)
                new_values.append(value)
        if end < self.size and (behind == len(starts) or starts[behind] > end) and new_values[-1] != rest:
            new_starts.append(end)
            new_values.append(rest)
        elif behind < len(starts) and starts[behind] == end and values[behind] == new_values[-1]:
            behind += 1  # what follows is alike
        starts[first:behind] = new_starts
        values[first:behind] = new_values

    def _written_within(self, at: int, start: int, end: int, value: V) -> bool:
        """Write elements of one run that do not become one with others: the usual case, and the quick one."""
        starts, values, behind = self._starts, self._values, at + 1
        is_last = behind == len(starts)
        begins, ends = starts[at] == start, (self.size if is_last else starts[behind]) == end
        if begins:
            if at and values[at - 1] == value:
                return False
        elif values[at] == value:
            return False
        if ends:
            if not is_last and values[behind] == value:
                return False
        elif values[at] == value or (not is_last and end > starts[behind]):
            return False
        if begins and ends:
            values[at] = value
        elif begins:
            starts.insert(behind, end)
            values.insert(at, value)
        elif ends:
            starts.insert(behind, start)
            values.insert(behind, value)
        else:
            starts[behind:behind] = (start, end)
            values[behind:behind] = (value, values[at])
        return True
