"""All quantities that statements, tables and figures of this study draw upon, computed once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from rankwise.core.results import StreamCurve
from rankwise.studies.base import TCP, Results
from rankwise.studies.hablot2007.plan import (
    CLUSTER,
    CLUSTER_MPI,
    GRID_MPI,
    MIB,
    STREAM,
    STREAM_16M,
    TUNED,
    UNTUNED,
)
from rankwise.studies.pingpong import (
    BestCurve,
    best_curves,
    half_sizes,
    latencies,
    maxima,
    overheads,
    times_over_tcp,
)
from rankwise.studies.ranges import Range
from rankwise.studies.slow_start import seconds_to_maximum, seconds_to_rate, stream_curves

NETS = (CLUSTER, UNTUNED, TUNED)
"""Every MPI as it is by default ..."""
MPI_NETS = (CLUSTER_MPI, GRID_MPI)
"""... and tuned."""
HALF_GIGABIT = 500e6


@dataclass(frozen=True)
class Findings:
    """By name: `TCP` or an implementation. What was not measured is missing."""

    results: Mapping[str, Results]

    @cached_property
    def curves(self) -> dict[str, dict[str, BestCurve]]:
        """Return the ping-pong of each network."""
        return {net: best_curves(self.results.get(net)) for net in (*NETS, *MPI_NETS)}

    @cached_property
    def latency(self) -> dict[str, dict[str, Range]]:
        """Return the seconds one way for 1 byte."""
        return {net: latencies(curves) for net, curves in self.curves.items()}

    @cached_property
    def overhead(self) -> dict[str, dict[str, Range]]:
        """Return the seconds more than TCP for 1 byte."""
        return {net: overheads(latency) for net, latency in self.latency.items()}

    @cached_property
    def maximum(self) -> dict[str, dict[str, Range]]:
        """Return the maximum bandwidth in bits per second."""
        return {net: maxima(curves) for net, curves in self.curves.items()}

    @cached_property
    def half_size(self) -> dict[str, dict[str, Range]]:
        """Return the bytes at which half of the own maximum is reached."""
        return {net: half_sizes(curves) for net, curves in self.curves.items()}

    @cached_property
    def over_tcp(self) -> dict[str, dict[str, dict[int, Range]]]:
        """Return how many times raw TCP's time each implementation takes, by network, name and size."""
        return {net: times_over_tcp(curves) for net, curves in self.curves.items()}

    @cached_property
    def streams(self) -> dict[str, StreamCurve]:
        """Return the streams of messages of 1 MiB."""
        return stream_curves(self.results.get(STREAM), MIB)

    @cached_property
    def long_streams(self) -> dict[str, StreamCurve]:
        """Return the streams of messages of 16 MiB."""
        return stream_curves(self.results.get(STREAM_16M), 16 * MIB)

    @cached_property
    def seconds_to_half_gigabit(self) -> dict[str, Range]:
        """Return the seconds until a stream comes to 500 Mbit/s."""
        return seconds_to_rate(self.streams, HALF_GIGABIT)

    @cached_property
    def seconds_to_maximum(self) -> dict[str, Range]:
        """Return the seconds until a stream comes to 90 % of its own maximum."""
        return seconds_to_maximum(self.streams)

    @property
    def implementations(self) -> tuple[str, ...]:
        """All that were measured in any run, in the order of the runs."""
        names = [name for run_results in self.results.values() for name in run_results.implementations]
        return tuple(dict.fromkeys(names))


def without_tcp(estimates: Mapping[str, Range]) -> dict[str, Range]:
    """Return the implementations alone."""
    return {name: estimate for name, estimate in estimates.items() if name != TCP}
