"""MPI's overhead over TCP: its ping-pong against the plain one of the same run, placement, options and ranks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from rankwise.analysis.compare.cells import CellData, Point
from rankwise.core.records import Cell
from rankwise.core.results import Overhead
from rankwise.stats.intervals import MIN_FOR_MEDIAN, median_interval
from rankwise.stats.summary import median

MPI, TCP = "pingpong", "tcp_pingpong"
LOCAL = "local"
"""The testbed on which MPI goes through shared memory, so that raw TCP is no part of its way."""


def overheads(cells: Sequence[CellData], wrong: Iterable[Cell] = ()) -> tuple[Overhead, ...]:
    """Return one for each ping-pong with a plain one beside it, ordered as `cells`; none on the local testbed.

    Cells that delivered `wrong` data are left out.
    """
    excluded = set(wrong)
    sound = [
        data
        for data in cells
        if data.quantity == "time" and data.cell.testbed != LOCAL and data.cell not in excluded
        if np.all(data.medians > 0)
    ]
    plain = {_way(data.point): data for data in sound if data.cell.benchmark == TCP}
    return tuple(
        _overhead(data, plain[_way(data.point)])
        for data in sound
        if data.cell.benchmark == MPI and _way(data.point) in plain
    )


def _way(point: Point) -> tuple[object, ...]:
    """Everything but the benchmark: raw TCP is measured once for all implementations."""
    return (point.size_bytes, point.ranks, point.options, point.testbed, point.placement)


def _overhead(mpi: CellData, tcp: CellData) -> Overhead:
    """Compared round by round where that gives an interval: what slows a round slows both."""
    rounds, of_mpi, of_tcp = np.intersect1d(mpi.rounds, tcp.rounds, return_indices=True)
    paired = rounds.size >= MIN_FOR_MEDIAN
    if paired:
        ratios = mpi.medians[of_mpi] / tcp.medians[of_tcp]
        differences = mpi.medians[of_mpi] - tcp.medians[of_tcp]
        ratio, difference = median(ratios), median(differences)
        ratio_ends, difference_ends = median_interval(ratios), median_interval(differences)
    else:
        ours, theirs = median(mpi.medians), median(tcp.medians)
        (low, high), (tcp_low, tcp_high) = median_interval(mpi.medians), median_interval(tcp.medians)
        ratio, difference = ours / theirs, ours - theirs
        ratio_ends, difference_ends = (low / tcp_high, high / tcp_low), (low - tcp_high, high - tcp_low)
    cell = mpi.cell
    return Overhead(
        implementation=cell.variant,
        size_bytes=cell.size_bytes,
        ranks=cell.ranks,
        tcp_seconds=median(tcp.medians),
        mpi_seconds=median(mpi.medians),
        ratio=ratio,
        ratio_low=ratio_ends[0],
        ratio_high=ratio_ends[1],
        difference_seconds=difference,
        difference_low_seconds=difference_ends[0],
        difference_high_seconds=difference_ends[1],
        launches=int(rounds.size) if paired else min(mpi.medians.size, tcp.medians.size),
        paired=paired,
        options=cell.options,
        placement=cell.placement,
    )
