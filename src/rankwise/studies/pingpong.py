"""What a paper reads off a ping-pong: the best time of each size, bandwidth, its maximum, its half.

The papers take the best of many round trips. Here that is the best of one launch, and its interval is over
launches: a best has no interval of its own, and one over all launches would fall with every further launch.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from rankwise.studies.base import TCP, Results
from rankwise.studies.ranges import Range, over_launches

BITS = 8
_NAMES = {"pingpong": "", "tcp_pingpong": TCP}


@dataclass(frozen=True, slots=True)
class Best:
    """The best one-way time of one size."""

    size_bytes: int
    seconds: Range

    @property
    def bits_per_second(self) -> Range:
        """The bandwidth at this size."""
        return self.seconds.inverted(self.size_bytes * BITS)


BestCurve = tuple[Best, ...]
"""By ascending size."""


def best_curves(results: Results | None) -> dict[str, BestCurve]:
    """Return the curve of TCP (if it was measured) and then of each implementation, in the run's order."""
    if results is None:
        return {}
    samples: dict[str, dict[int, list[float]]] = defaultdict(lambda: defaultdict(list))
    for launch in results.launches:
        for (cell, quantity), seconds in launch.values(quantile=0).items():
            if cell.benchmark in _NAMES and quantity == "time" and seconds > 0:
                samples[_NAMES[cell.benchmark] or cell.implementation][cell.size_bytes].append(seconds)
    order = [TCP, *results.comparison.implementations]
    return {
        name: tuple(Best(size, over_launches(values)) for size, values in sorted(samples[name].items()))
        for name in order
        if name in samples
    }


def latencies(curves: Mapping[str, BestCurve], size_bytes: int = 1) -> dict[str, Range]:
    """Return the best time of this size, seconds, of those that measured it."""
    return {
        name: point.seconds for name, curve in curves.items() for point in curve if point.size_bytes == size_bytes
    }


def overheads(latency: Mapping[str, Range]) -> dict[str, Range]:
    """Return how much longer than TCP each implementation takes, seconds; none without TCP."""
    if TCP not in latency:
        return {}
    return {name: estimate - latency[TCP] for name, estimate in latency.items() if name != TCP}


def times_over_tcp(curves: Mapping[str, BestCurve]) -> dict[str, dict[int, Range]]:
    """Return how many times TCP's time each implementation takes, by size; none without TCP."""
    tcp = {point.size_bytes: point.seconds for point in curves.get(TCP, ())}
    return {
        name: {
            point.size_bytes: point.seconds / tcp[point.size_bytes] for point in curve if point.size_bytes in tcp
        }
        for name, curve in curves.items()
        if name != TCP and tcp
    }


def maxima(curves: Mapping[str, BestCurve]) -> dict[str, Range]:
    """Return the highest bandwidth over all sizes, bits per second."""
    return {
        name: max((point.bits_per_second for point in curve if point.size_bytes), key=lambda rate: rate.value)
        for name, curve in curves.items()
        if any(point.size_bytes for point in curve)
    }


def half_sizes(curves: Mapping[str, BestCurve]) -> dict[str, Range]:
    """Return the size in bytes at which half of a curve's own maximum is first reached, interpolated."""
    by_name = {}
    for name, curve in curves.items():
        rates = [(point.size_bytes, point.bits_per_second) for point in curve if point.size_bytes]
        if len(rates) < 2:
            continue
        best = max((rate for _, rate in rates), key=lambda rate: rate.value)
        sizes = [size for size, _ in rates]
        ends = (
            _crossing(sizes, [rate.value for _, rate in rates], best.value / 2),
            _crossing(sizes, [rate.high for _, rate in rates], best.low / 2),
            _crossing(sizes, [rate.low for _, rate in rates], best.high / 2),
        )
        by_name[name] = Range(*ends, min(rate.launches for _, rate in rates))
    return by_name


def _crossing(sizes: list[int], rates: list[float], level: float) -> float:
    """Where the curve first reaches `level`, linear between points on logarithmic axes; nan if it never does."""
    for index, rate in enumerate(rates):
        if rate < level:
            continue
        if index == 0:
            return float(sizes[0])
        x = np.log([sizes[index - 1], sizes[index]])
        y = np.log([rates[index - 1], rate])
        share = (math.log(level) - y[0]) / (y[1] - y[0])
        return float(np.exp(x[0] + share * (x[1] - x[0])))
    return math.nan
