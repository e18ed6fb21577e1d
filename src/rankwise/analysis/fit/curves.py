"""What was measured of one class of pairs: a curve a quantity, from the launches of a run."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from rankwise.core.records import Cell, FloatArray, Launch
from rankwise.stats.intervals import relative_half_width

IntArray = npt.NDArray[np.int64]
ONE_WAY, ROUND_TRIP, BURST = "pingpong", "prtt", "bandwidth"
SENDING, RECEIVING, WAITING = "send_overhead", "receive_overhead", "sender_wait"
KERNELS = (ONE_WAY, ROUND_TRIP, BURST, SENDING, RECEIVING, WAITING)


@dataclass(frozen=True, slots=True, eq=False)
class Curve:
    """A quantity by message size: `sizes`, shape (n,), ascending; `seconds`, (launches, n), nan: not measured."""

    sizes: FloatArray
    seconds: FloatArray

    def medians(self, launches: IntArray | slice = slice(None)) -> FloatArray:
        """Return the medians over these launches (numbers, or all), shape (n,)."""
        with np.errstate(all="ignore"):
            medians: FloatArray = np.nanmedian(self.seconds[launches], axis=0)
        return medians


@dataclass(frozen=True, slots=True, eq=False)
class Curves:
    """The curves of a class of pairs.

    `one_way` is half of a round trip, T(s). `round_trip` is PRTT(1, 0, s): a message there and an empty one back;
    `burst` PRTT(n, 0, s) with n = `burst_messages` (Hoefler, Lichei & Rehm 2007, "Low-overhead LogGP parameter
    assessment"). `sending` and `receiving` are a rank's own time, o_s and o_r (Kielmann, Bal & Verstoep 2000,
    "Fast measurement of LogP parameters"). `waiting` is what sending takes when the receiver is late by 1 ms and
    by two round trips, whichever is more.
    """

    one_way: Curve
    round_trip: Curve
    burst: Curve
    sending: Curve
    receiving: Curve
    waiting: Curve
    burst_messages: int
    launches: int

    def spread(self) -> float:
        """Return the median over the sizes of half of T's 95 % interval over T; inf with fewer than 6 launches."""
        widths = [relative_half_width(column[~np.isnan(column)]) for column in self.one_way.seconds.T]
        return float(np.median(widths)) if widths else float("inf")


def curves_of(launches: Iterable[Launch], placement: str, closer: Iterable[Launch] = ()) -> Curves | None:
    """Return the curves of the pair that was placed so; None where not each quantity has at least two sizes.

    `closer`: launches that looked at more sizes of `waiting`. The clock's own cost, which is part of each rank's
    own time, is taken off these.
    """
    seconds_of: defaultdict[str, dict[tuple[int, int], float]] = defaultdict(dict)
    number = window = 0
    for launch in launches:
        values = _times(launch, placement)
        if not values or launch.verifying:
            continue
        for cell, value in values.items():
            seconds = value
            if cell.benchmark in (SENDING, RECEIVING):
                seconds = max(0.0, value - launch.timer_cost_seconds)
            if cell.benchmark == BURST:
                window = cell.options.window
                seconds = value * window
            seconds_of[cell.benchmark][number, cell.size_bytes] = seconds
        number += 1
    more = number
    for launch in closer:
        for cell, value in _times(launch, placement).items():
            if cell.benchmark == WAITING:
                seconds_of[WAITING][more, cell.size_bytes] = value
        more += 1
    curves = {name: _curve(seconds_of[name], more if name == WAITING else number) for name in KERNELS}
    if not number or any(curve.sizes.size < 2 for curve in curves.values()):
        return None
    return Curves(
        curves[ONE_WAY], curves[ROUND_TRIP], curves[BURST], curves[SENDING], curves[RECEIVING], curves[WAITING],
        window, number,
    )  # fmt: skip


def _times(launch: Launch, placement: str) -> dict[Cell, float]:
    return {
        cell: value
        for (cell, quantity), value in launch.values().items()
        if quantity == "time" and cell.placement == placement
    }


def _curve(values: dict[tuple[int, int], float], launches: int) -> Curve:
    sizes = sorted({size for _, size in values})
    place = {size: index for index, size in enumerate(sizes)}
    seconds = np.full((launches, len(sizes)), np.nan)
    for (number, size), value in values.items():
        seconds[number, place[size]] = value
    return Curve(np.array(sizes, dtype=np.float64), seconds)
