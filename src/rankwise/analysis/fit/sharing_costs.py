"""What does not depend on how capacity is shared: the cost of a flow alone, and capacities."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from rankwise.analysis.fit.sharing_data import FloatArray, Observed
from rankwise.core.errors import HostError
from rankwise.core.platform import (
    ContentionModel,
    CostRange,
    Interval,
    PairClass,
    Platform,
    PlatformSite,
    Route,
)

SATURATED = 1.03
"""Times the time alone from which on flows together are taken to fill what they share."""
_Z = 1.96


@dataclass(frozen=True, slots=True)
class Estimate:
    """A figure and its 95 % interval."""

    value: float
    interval: Interval


@dataclass(frozen=True, slots=True)
class AloneCost:
    """A message with nothing in its way takes latency + bytes x seconds_per_byte."""

    latency: Estimate
    seconds_per_byte: Estimate

    def seconds(self, size_bytes: float) -> float:
        """Return what a message of this size takes."""
        return self.latency.value + size_bytes * self.seconds_per_byte.value


def alone_cost(alone: Sequence[Observed]) -> AloneCost:
    """Return the line through flows that were alone, each point weighted by 1 / its time. Raises HostError.

    The intervals are those of the launches' own lines where there are three or more launches, else of one fit.
    """
    sizes = np.array([observed.pattern[0].bytes for observed in alone], dtype=float)
    if len(set(sizes)) < 2:
        raise HostError("the cost of a flow alone takes two sizes at least", "measure alone_patterns()")
    times = np.array([observed.seconds[0] for observed in alone])
    latency, slope = _line(sizes, times)
    if slope <= 0:
        raise HostError(
            "a flow alone takes no longer for being larger",
            "the network is not what limits it: give it slower links",
        )
    count = min(len(observed.launches) for observed in alone)
    lines = np.array(
        [_line(sizes, np.array([observed.launches[i, 0] for observed in alone])) for i in range(count)]
    )
    halves = _Z * lines.std(axis=0, ddof=1) / np.sqrt(count) if count > 2 else _spread(sizes, times)
    return AloneCost(_estimate(latency, halves[0]), _estimate(slope, halves[1]))


def _line(sizes: FloatArray, times: FloatArray) -> tuple[float, float]:
    slope, latency = np.polyfit(sizes, times, 1, w=1 / times)
    if latency < 0:  # of large messages alone it is hardly to be told
        latency, slope = 0.0, float(np.sum(sizes / times) / np.sum((sizes / times) ** 2))
    return float(latency), float(slope)


def _spread(sizes: FloatArray, times: FloatArray) -> FloatArray:
    """Half-widths of latency and slope from how far the points are off the line."""
    matrix = np.stack([1 / times, sizes / times], axis=1)
    latency, slope = _line(sizes, times)
    off = matrix @ np.array([latency, slope]) - 1
    variance = float(off @ off) / max(len(sizes) - 2, 1)
    return np.asarray(_Z * np.sqrt(variance * np.diag(np.linalg.pinv(matrix.T @ matrix))))


def _estimate(value: float, half: float) -> Estimate:
    return Estimate(value, Interval(value - float(half), value + float(half)))


def capacity(together: Iterable[Observed], latency_seconds: float, alone_seconds: float) -> Estimate | None:
    """Return the bytes a second of what all flows of a pattern share, and the last of them has to the end.

    `alone_seconds`: what the longest flow takes alone. None where flows together take no longer than that.
    """
    rates = []
    for observed in together:
        total = sum(flow.bytes for flow in observed.pattern)
        # of the last one; each launch's last is late by chance
        times = observed.launches[:, np.argmax(observed.seconds)]
        if observed.seconds.max() > SATURATED * alone_seconds:
            rates.append(total / (times - latency_seconds))
    if not rates:
        return None
    each = np.concatenate(rates)
    half = _Z * np.std(each, ddof=1) / np.sqrt(len(each)) if len(each) > 1 else 0.0
    return _estimate(float(np.mean(each)), float(half))


def one_switch(nodes: int, cost: AloneCost, eager_below_bytes: int = 65536) -> Platform:
    """Return the platform of nodes at one switch, where all flows cost as measured and one alone fills a NIC.

    From `eager_below_bytes` on a request goes before the data and its answer comes back: three latencies.
    """
    rate = 1 / cost.seconds_per_byte.value
    eager = CostRange(eager_below_bytes - 1, cost.latency.value, gap_seconds_per_byte=cost.seconds_per_byte.value)
    ranges = (eager, replace(eager, up_to_bytes=None, latency_seconds=cost.latency.value / 3))
    return Platform(
        sites=(PlatformSite("cluster", tuple(f"n{i}" for i in range(nodes)), rate, rate),),
        routes=(Route("cluster", "cluster", "lan"),),
        classes=(PairClass("lan", ranges, eager_below_bytes),), same_node="lan",
        models=(ContentionModel(),),
    )  # fmt: skip
