"""Streams over time: how the bandwidth of one message after the other grows, and what TCP did meanwhile."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import get_args

import numpy as np

from rankwise.core.records import Benchmark, Cell, FloatArray, Launch, Timeline, TimelineQuantity
from rankwise.core.results import Reached, StreamCurve, TimelineCurve
from rankwise.stats.intervals import median_interval
from rankwise.stats.summary import median

STREAMS = ("stream", "tcp_stream")
"""Benchmarks whose samples are messages in their order, one way."""
ASKED_BITS_PER_SECOND = 500e6
ASKED_SHARE = 0.9
SMOOTHED_MESSAGES = 5
"""A stream is said to have come to a bandwidth when the median of so many messages has: one may be a burst."""
MOMENTS = 200
"""Points of a timeline over all launches."""


def streams(launches: Sequence[Launch], benchmarks: Mapping[str, Benchmark]) -> tuple[StreamCurve, ...]:
    """Return one for each cell of a stream, ascending; launches with samples that are not times are left out."""
    by_cell: defaultdict[Cell, list[FloatArray]] = defaultdict(list)
    for launch in launches:
        visits: defaultdict[Cell, list[FloatArray]] = defaultdict(list)
        for series in launch.series:
            cell, seconds = series.cell, series.samples_seconds
            is_stream = cell.benchmark in STREAMS and cell.benchmark in benchmarks and cell.size_bytes > 0
            if is_stream and seconds.size and np.all((seconds > 0) & np.isfinite(seconds)):
                visits[cell].append(seconds)
        for cell, of_cell in visits.items():
            by_cell[cell].append(_of_launch(of_cell))
    return tuple(_curve(cell, benchmarks[cell.benchmark], by_cell[cell]) for cell in sorted(by_cell))


def _of_launch(visits: Sequence[FloatArray]) -> FloatArray:
    """The geometric mean of each message over the visits, as of a cell's value; as far as all of them go."""
    length = min(visit.size for visit in visits)
    means: FloatArray = np.exp(np.mean(np.log([visit[:length] for visit in visits]), axis=0))
    return means if len(visits) > 1 else visits[0]


def _curve(cell: Cell, benchmark: Benchmark, of_launches: Sequence[FloatArray]) -> StreamCurve:
    """Launches are put together message by message, since all of them have sent as much by then."""
    middle, low, high = _over_launches([cell.size_bytes / seconds for seconds in of_launches])
    return StreamCurve(
        cell=cell,
        category=benchmark.category,
        times_seconds=_over_launches([np.cumsum(seconds) for seconds in of_launches])[0],
        bytes_per_second=middle,
        low_bytes_per_second=low,
        high_bytes_per_second=high,
        launches=len(of_launches),
        reached=(
            _reached(cell, of_launches, bits_per_second=ASKED_BITS_PER_SECOND),
            _reached(cell, of_launches, share=ASKED_SHARE),
        ),
    )


def _over_launches(rows: Sequence[FloatArray]) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Median, low and high end at each place that at least half of the rows reach; each has shape (places,).

    Rows that end before are left out altogether: else the median would jump where one ends, time even backwards.
    """
    length = int(np.sort([row.size for row in rows])[(len(rows) - 1) // 2])
    columns = np.array([row[:length] for row in rows if row.size >= length]).T
    ends = np.array([median_interval(column) for column in columns])
    return np.median(columns, axis=1), ends[:, 0], ends[:, 1]


def _reached(
    cell: Cell, of_launches: Sequence[FloatArray], *, bits_per_second: float = 0.0, share: float = 0.0
) -> Reached:
    """When the launches came to `bits_per_second`, or each to this `share` of its own maximum."""
    moments, wanted = [], []
    for seconds in of_launches:
        rates = 8 * cell.size_bytes / _smoothed(seconds)
        wanted.append(bits_per_second or share * float(np.max(rates)))
        there = np.flatnonzero(rates >= wanted[-1])
        moments.append(float(np.cumsum(seconds)[there[0]]) if there.size else np.inf)
    ordered = np.sort(moments)
    reached = int(np.sum(np.isfinite(ordered)))
    low, high = median_interval(ordered)
    return Reached(median(np.array(wanted)), share, median(ordered), low, high, reached)


def _smoothed(seconds: FloatArray) -> FloatArray:
    """Running median about each message, over as many as there are on both sides; shape as given."""
    reach = SMOOTHED_MESSAGES // 2
    padded = np.pad(seconds, reach, constant_values=np.nan)
    windows = np.lib.stride_tricks.sliding_window_view(padded, SMOOTHED_MESSAGES)
    smoothed: FloatArray = np.nanmedian(windows, axis=1)
    return smoothed


def timelines(launches: Sequence[Launch]) -> tuple[TimelineCurve, ...]:
    """Return one for each cell and quantity that TCP told of, in ascending order."""
    by_quantity: defaultdict[tuple[Cell, TimelineQuantity], list[list[Timeline]]] = defaultdict(list)
    for launch in launches:
        visits: defaultdict[tuple[Cell, TimelineQuantity], list[Timeline]] = defaultdict(list)
        for timeline in launch.timelines:
            if timeline.times_seconds.size:
                visits[timeline.cell, timeline.quantity].append(timeline)
        for measured, of_launch in visits.items():
            by_quantity[measured].append(of_launch)
    order = get_args(TimelineQuantity)
    keys = sorted(by_quantity, key=lambda key: (key[0], order.index(key[1])))
    return tuple(_timeline(*key, by_quantity[key]) for key in keys)


def _timeline(cell: Cell, quantity: TimelineQuantity, of_launches: Sequence[Sequence[Timeline]]) -> TimelineCurve:
    """At common moments, since each launch was asked at its own; a value holds until the next one."""
    ends = np.sort([max(timeline.times_seconds[-1] for timeline in visits) for visits in of_launches])
    moments = np.linspace(0.0, ends[(ends.size - 1) // 2], MOMENTS)
    middle, low, high = np.empty(MOMENTS), np.empty(MOMENTS), np.empty(MOMENTS)
    for place, moment in enumerate(moments):
        reaching = [[visit for visit in visits if visit.times_seconds[-1] >= moment] for visits in of_launches]
        values = np.array(
            [np.mean([_value_at(visit, moment) for visit in visits]) for visits in reaching if visits]
        )
        middle[place] = median(values)
        low[place], high[place] = median_interval(values)
    return TimelineCurve(cell, quantity, moments, middle, low, high, len(of_launches))


def _value_at(line: Timeline, moment: float) -> float:
    return float(line.values[max(0, int(np.searchsorted(line.times_seconds, moment, side="right")) - 1)])
