"""What a paper reads off messages sent one after the other: when a stream comes to a bandwidth."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from rankwise.core.records import FloatArray
from rankwise.core.results import Reached, StreamCurve
from rankwise.studies.base import TCP, Results
from rankwise.studies.pingpong import BITS
from rankwise.studies.ranges import Range

SHARE_OF_MAXIMUM = 0.9
"""From here on a stream is said to be at its maximum: the top itself is a matter of luck."""


def stream_curves(results: Results | None, size_bytes: int) -> dict[str, StreamCurve]:
    """Return the streams of messages of this size: TCP's (if it was measured), then each implementation's."""
    if results is None:
        return {}
    curves = {
        TCP if curve.category == "baseline" else curve.cell.implementation: curve
        for curve in results.comparison.streams
        if curve.cell.size_bytes == size_bytes
    }
    return {name: curves[name] for name in (TCP, *results.comparison.implementations) if name in curves}


def seconds_to_rate(streams: Mapping[str, StreamCurve], bits_per_second: float) -> dict[str, Range]:
    """Return when each came to this bandwidth; infinite for one that never did."""
    return {
        name: _range(moment, curve.launches)
        for name, curve in streams.items()
        for moment in curve.reached
        if not moment.share and moment.bits_per_second == bits_per_second
    }


def seconds_to_maximum(streams: Mapping[str, StreamCurve]) -> dict[str, Range]:
    """Return when each came to 90 % of its own maximum."""
    return {
        name: _range(moment, curve.launches)
        for name, curve in streams.items()
        for moment in curve.reached
        if moment.share == SHARE_OF_MAXIMUM
    }


def sustained_bits_per_second(curve: StreamCurve) -> float:
    """Return the stream's maximum over some messages: a single one may arrive as a burst, faster than any link."""
    return next((moment.bits_per_second / moment.share for moment in curve.reached if moment.share), math.nan)


def messages_to_maximum(streams: Mapping[str, StreamCurve]) -> dict[str, Range]:
    """Return the number of the first message at 90 % of the stream's maximum, counted from 1."""
    by_name = {}
    for name, curve in streams.items():
        wanted = SHARE_OF_MAXIMUM * sustained_bits_per_second(curve) / BITS
        numbers = (
            _first(curve.bytes_per_second, wanted),
            _first(curve.high_bytes_per_second, wanted),
            _first(curve.low_bytes_per_second, wanted),
        )
        by_name[name] = Range(*numbers, curve.launches)
    return by_name


def _range(reached: Reached, launches: int) -> Range:
    return Range(reached.seconds, reached.low_seconds, reached.high_seconds, launches)


def _first(rates: FloatArray, wanted: float) -> float:
    there = np.flatnonzero(rates >= wanted)
    return float(there[0] + 1) if there.size else math.inf
