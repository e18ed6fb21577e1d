"""What launches say of patterns: the times of their flows, and whether these can be used."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from rankwise.core.flows import Pattern, is_pattern, pattern_of
from rankwise.core.records import Launch

FloatArray = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Observed:
    """A pattern as measured: the seconds of each flow from its start, medians of launches, (launches, flows)."""

    pattern: Pattern
    launches: FloatArray

    @property
    def seconds(self) -> FloatArray:
        """Of each flow, the median over launches."""
        return np.asarray(np.median(self.launches, axis=0))


def observed(launches: Iterable[Launch], implementation: str) -> dict[Pattern, Observed]:
    """Return what was measured of each pattern with an implementation."""
    return {
        pattern: Observed(pattern, np.array([np.median(times, axis=0) for times in each]))
        for pattern, each in repetitions(launches, implementation).items()
    }


def repetitions(launches: Iterable[Launch], implementation: str) -> dict[Pattern, list[FloatArray]]:
    """Return of each pattern the seconds of its flows in each launch, shape (repetitions, flows)."""
    by_pattern: defaultdict[Pattern, list[FloatArray]] = defaultdict(list)
    for launch in launches:
        for line in launch.timelines:
            cell = line.cell
            if line.quantity != "flow" or cell.implementation != implementation or not is_pattern(cell.benchmark):
                continue
            pattern = pattern_of(cell.benchmark, cell.size_bytes)
            by_pattern[pattern].append(line.times_seconds.reshape(-1, len(pattern)))
    return dict(by_pattern)


def dropped_packets(launches: Iterable[Launch]) -> int:
    """Return how many packets queues of the emulated network had no room for while flows were timed."""
    return sum(link.dropped_packets for launch in launches if launch.timelines for link in launch.links)
