"""LogGP and pLogP of a class of pairs, piecewise where the protocol changes, with intervals over launches."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace

import numpy as np
import numpy.typing as npt
import scipy

from rankwise.analysis.fit.curves import Curve, Curves, IntArray
from rankwise.core.platform import CostRange, Interval, PairClass
from rankwise.core.records import FloatArray
from rankwise.stats.segments import find_breaks

RESAMPLES = 200
WAITS_SECONDS = 5e-4
"""A sender that takes longer than this, and than one and a half messages, has waited for its late receiver."""
WAITS_TIMES = 1.5
FEWEST_SIZES = 3
"""In a range; with two, a line fits anything."""
ALL_EAGER = 1 << 52
LEAST_SHARE = 1e-6
"""Of what a message takes: less is rounding."""
EAGER_TRIPS, RENDEZVOUS_TRIPS = 1, 3
"""Latencies in a message's time: its own, or those of the request, the answer and the data."""


@dataclass(frozen=True, slots=True, eq=False)
class PLogP:
    """The parameters of pLogP (Kielmann 2000): L, and by message size o_s, o_r and g; arrays have shape (n,)."""

    latency_seconds: float
    sizes: FloatArray
    send_overhead_seconds: FloatArray
    receive_overhead_seconds: FloatArray
    gap_seconds: FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class ClassFit:
    """What was found of a class of pairs; `misfit`: the root mean square of predicted over measured T, minus 1.

    `gap_seconds_per_byte` is G by Netgauge's bursts over the largest messages: what one pair can get at most.
    """

    pair_class: PairClass
    intervals: dict[str, Interval]
    """By parameter of the class, as `ranges.0.latency_seconds`."""
    not_identified: dict[str, str]
    misfit: float
    gap_seconds_per_byte: float
    plogp: PLogP


def fit_class(name: str, curves: Curves, seed: int = 1) -> ClassFit:
    """Return the parameters of a class of pairs, and their 95 % intervals by a bootstrap over its launches."""
    everything = np.arange(curves.launches)
    eager_below, notes = eager_limit(curves)
    edges = _edges(curves, eager_below)
    parameters = _parameters(curves, edges, eager_below, everything)
    generator = np.random.default_rng(seed)
    resampled = np.array(
        [
            _parameters(curves, edges, eager_below, generator.choice(everything, curves.launches))
            for _ in range(RESAMPLES if curves.launches > 1 else 0)
        ]
    )
    ranges = tuple(CostRange(end, *map(float, row[:-1])) for end, row in zip(edges, parameters, strict=True))
    pairs = PairClass(name, ranges, eager_below)
    for number, costs in enumerate(ranges):
        first = 0 if number == 0 else (edges[number - 1] or 0) + 1
        notes |= _notes(number, costs, is_eager=first < eager_below)
    intervals = _intervals(parameters, resampled, curves.launches, notes)
    if "eager_below_bytes" not in notes:
        intervals["eager_below_bytes"] = _eager_interval(curves, eager_below)
    last = float(parameters[-1][-1])
    return ClassFit(pairs, intervals, notes, misfit(curves.one_way, pairs), last, plogp(curves))


def eager_limit(curves: Curves) -> tuple[int, dict[str, str]]:
    """Return the smallest size whose sender waits for its receiver, and what could not be told of it."""
    sizes, waits = _waiting(curves)
    # The split that contradicts the fewest sizes: an eager sender may be late once by the machine's noise.
    wrong = [int(np.sum(waits[:at]) + np.sum(~waits[at:])) for at in range(sizes.size + 1)]
    at = int(np.argmin(wrong))
    if at == sizes.size:
        return ALL_EAGER, {
            "eager_below_bytes": f"no sender waited for its receiver up to {int(sizes[-1])} bytes, the most tried"
        }
    return int(sizes[at]) if at else 0, {}


def _waiting(curves: Curves) -> tuple[FloatArray, npt.NDArray[np.bool_]]:
    """The sizes, and whether their senders waited; both of shape (n,)."""
    sizes = curves.waiting.sizes
    alone = np.interp(sizes, curves.one_way.sizes, curves.one_way.medians())
    return sizes, np.asarray(curves.waiting.medians() > np.maximum(WAITS_SECONDS, WAITS_TIMES * alone))


def _eager_interval(curves: Curves, eager_below: int) -> Interval:
    sizes, _ = _waiting(curves)
    below = sizes[sizes < eager_below]
    return Interval(float(below[-1]) + 1 if below.size else 0.0, float(eager_below))


def _edges(curves: Curves, eager_below: int) -> tuple[int | None, ...]:
    """The largest size of each range, None for the last: where the protocol or the law of T changes."""
    sizes, seconds = curves.one_way.sizes, curves.one_way.medians()
    ends: list[int] = []
    eager = sizes < eager_below
    for part in (eager, ~eager):
        ends += [int(kink.at) - 1 for kink in find_breaks(sizes[part], seconds[part])]
    if 0 < eager_below < sizes[-1]:
        ends.append(eager_below - 1)
    return (*sorted(set(ends)), None)


def _parameters(curves: Curves, edges: tuple[int | None, ...], eager_below: int, launches: IntArray) -> FloatArray:
    """Shape (ranges, 8): the costs of `CostRange` in their order, then G by bursts."""
    one_way = curves.one_way.medians(launches)
    more = curves.burst_messages - 1
    trip = np.interp(curves.burst.sizes, curves.round_trip.sizes, curves.round_trip.medians(launches))
    gaps = (curves.burst.medians(launches) - trip) / more
    rows, first = [], 0.0
    for end in edges:
        last = np.inf if end is None else end
        eager = first < eager_below
        a, b = _line(curves.one_way.sizes, one_way, first, last)
        g, gap_byte = _line(curves.burst.sizes, gaps, first, last)
        o_s, o_s_byte = _line(curves.sending.sizes, curves.sending.medians(launches), first, last)
        received = curves.receiving.medians(launches) * eager  # a rendezvous: all of the transfer
        o_r, o_r_byte = _line(curves.receiving.sizes, received, first, last)
        # Overheads overlap with the transfer where their sum with it is more than the message takes.
        share = min(1.0, max(0.0, b - gap_byte) / max(o_s_byte + o_r_byte, 1e-300))
        o_s_byte, o_r_byte = share * o_s_byte, share * o_r_byte
        share = min(1.0, a / max(o_s + o_r, 1e-300))
        o_s, o_r = share * o_s, share * o_r
        trips = EAGER_TRIPS if eager else RENDEZVOUS_TRIPS
        latency, byte = a - o_s - o_r, b - o_s_byte - o_r_byte
        latency = latency / trips if latency > LEAST_SHARE * a else 0.0
        byte = byte if byte > LEAST_SHARE * b else 0.0
        rows.append([latency, o_s, o_s_byte, o_r, o_r_byte, g, byte, gap_byte])
        first = last + 1
    return np.array(rows)


def _line(sizes: FloatArray, seconds: FloatArray, first: float, last: float) -> tuple[float, float]:
    """a and b, neither negative, of seconds = a + b x size from `first` to `last`: least squares, relative.

    A range with too few sizes of this quantity takes its nearest neighbours in.
    """
    usable = np.isfinite(seconds) & (seconds > 0)
    sizes, seconds = sizes[usable], seconds[usable]
    if not sizes.size:
        return 0.0, 0.0
    inside = (sizes >= first) & (sizes <= last)
    if np.sum(inside) < FEWEST_SIZES:
        distance = np.maximum(first - sizes, 0) + np.maximum(sizes - last, 0)
        inside = np.zeros(sizes.size, bool)
        inside[np.argsort(distance, kind="stable")[:FEWEST_SIZES]] = True
    sizes, seconds = sizes[inside], seconds[inside]
    weights = 1 / seconds**2
    weights /= np.sum(weights)
    size, mean = weights @ sizes, weights @ seconds
    centred = sizes - size
    b = float(weights @ (centred * seconds)) / max(float(weights @ centred**2), 1e-300)
    a = float(mean - b * size)
    if b < 0:
        return float(mean), 0.0
    if a < 0:
        return 0.0, float(weights @ (sizes * seconds) / (weights @ sizes**2))
    return a, b


_COSTS = tuple(field.name for field in fields(CostRange))[1:]


def _intervals(
    parameters: FloatArray, resampled: FloatArray, launches: int, notes: dict[str, str]
) -> dict[str, Interval]:
    """Of each cost that is there: percentiles, widened because launches are few (Student's t over the normal)."""
    if not resampled.size:
        return {}
    wider = (
        np.sqrt(launches / (launches - 1)) * scipy.stats.t.ppf(0.975, launches - 1) / scipy.stats.norm.ppf(0.975)
    )
    ends = np.percentile(resampled, [2.5, 97.5], axis=0)
    lows = np.maximum(0.0, parameters - wider * np.maximum(parameters - ends[0], 0))
    highs = parameters + wider * np.maximum(ends[1] - parameters, 0)
    return {
        key: Interval(float(lows[number, cost]), float(highs[number, cost]))
        for number in range(len(parameters))
        for cost, name in enumerate(_COSTS)
        if (key := f"ranges.{number}.{name}") not in notes and parameters[number, cost] > 0
    }


def _notes(number: int, costs: CostRange, *, is_eager: bool) -> dict[str, str]:
    """What is 0 because it could not be told, and why."""
    notes = {}
    where = f"ranges.{number}."
    if not costs.latency_seconds:
        notes[where + "latency_seconds"] = "the overheads of both sides take all of a short message's time"
    if not costs.gap_seconds_per_byte:
        notes[where + "gap_seconds_per_byte"] = "in this range the size does not change what a message takes"
    if not is_eager:
        notes[where + "receive_overhead_seconds"] = (
            "a late receiver of these sizes sees the whole transfer: its cost is part of the latency"
        )
    return notes


def predicted_seconds(pairs: PairClass, sizes: FloatArray) -> FloatArray:
    """Return what messages of these sizes take by themselves, receive posted in time; shape (n,).

    As `rankwise-sim` has it: o_s + trips x L + G s + o_r, each o with its part per byte, three latencies for a
    rendezvous.
    """
    result = np.empty(sizes.size)
    for index, size in enumerate(sizes):
        costs = next(
            candidate
            for candidate in pairs.ranges
            if candidate.up_to_bytes is None or size <= candidate.up_to_bytes
        )
        trips = EAGER_TRIPS if size < pairs.eager_below_bytes else RENDEZVOUS_TRIPS
        per_byte = (
            costs.send_overhead_seconds_per_byte
            + costs.receive_overhead_seconds_per_byte
            + costs.gap_seconds_per_byte
        )
        fixed = costs.send_overhead_seconds + trips * costs.latency_seconds + costs.receive_overhead_seconds
        result[index] = fixed + per_byte * size
    return result


def misfit(one_way: Curve, pairs: PairClass) -> float:
    """Return the root mean square of predicted over measured T, minus 1."""
    ratios = predicted_seconds(pairs, one_way.sizes) / one_way.medians() - 1
    return float(np.sqrt(np.nanmean(ratios**2)))


def plogp(curves: Curves) -> PLogP:
    """Return pLogP's parameters by Kielmann's procedure: g(0) by a burst, g(m) = RTT(m) - RTT(0) + g(0).

    The smallest size measured stands for 0, a burst of n messages for flooding. L = RTT(0) / 2 - g(0).
    """
    trips = curves.round_trip.medians()
    sizes = curves.round_trip.sizes
    first_gap = max(0.0, float((curves.burst.medians()[0] - trips[0]) / (curves.burst_messages - 1)))
    return PLogP(
        latency_seconds=max(0.0, float(trips[0]) / 2 - first_gap),
        sizes=sizes,
        send_overhead_seconds=np.interp(sizes, curves.sending.sizes, curves.sending.medians()),
        receive_overhead_seconds=np.interp(sizes, curves.receiving.sizes, curves.receiving.medians()),
        gap_seconds=trips - trips[0] + first_gap,
    )


def named_after(fit: ClassFit) -> ClassFit:
    """Return the same fit with its parameters as they are called in a platform: `classes.NAME.ranges...`."""
    prefix = f"classes.{fit.pair_class.name}."
    return replace(
        fit,
        intervals={prefix + key: interval for key, interval in fit.intervals.items()},
        not_identified={prefix + key: why for key, why in fit.not_identified.items()},
    )
