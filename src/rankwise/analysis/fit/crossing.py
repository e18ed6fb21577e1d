"""What sites share between them, from flows that cross together: capacities of links, uplinks, and weights."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import scipy

from rankwise.analysis.fit.crossing_patterns import Crossing, Fan
from rankwise.analysis.fit.sharing import Simulate
from rankwise.analysis.fit.sharing_costs import Estimate, alone_cost
from rankwise.analysis.fit.sharing_data import FloatArray, Observed
from rankwise.core.errors import HostError
from rankwise.core.flows import Pattern
from rankwise.core.platform import ContentionModel, Interval, Platform

Measured = Mapping[Pattern, Observed]
SLOWER = 1.1
"""Times what flows take apart, from which on those together are taken to share a capacity."""
WEIGHTS = (0.02, 1.0, 5.0)
"""The least, where the search begins, and the most."""
STEP, LEAST_SLOPE = 0.05, 0.01
"""Of the weight's logarithm; and what it changes a time by, relatively, for it to be told at all."""
WIDEST = 2.0
"""The factor between the ends of an interval beyond which a weight says nothing."""
WINDOW_BYTES = 65536.0
_Z = 1.96


@dataclass(frozen=True, slots=True)
class SharedLinks:
    """What flows between two sites share; None where they are not slower together."""

    there: Estimate | None
    back: Estimate | None
    both: Estimate | None
    """Of both directions together, in place of one of each, where each gets no more by itself than both do."""
    at_least: tuple[float, float]
    """What flows together got in each direction, in bytes a second."""


def shared_links(crossing: Crossing, seen: Measured) -> SharedLinks:
    """Return the capacities between two sites. Raises HostError for patterns that are missing."""
    starts = alone_cost([_one(seen, pattern) for pattern in crossing.alone]).latency.value
    half = crossing.pairs // 2
    directions = [_one(seen, crossing.there(crossing.pairs)), _one(seen, crossing.back(crossing.pairs))]
    there, back = (
        _capacity(together, [_one(seen, pattern)], starts)
        for together, pattern in zip(directions, (crossing.alone[0], crossing.alone_back), strict=True)
    )
    apart = [_one(seen, pattern) for pattern in (crossing.there(half), crossing.back(half))]
    least = [_bytes(observed) / max(float(observed.seconds.max()) - starts, 1e-9) for observed in directions]
    both = _capacity(_one(seen, crossing.both_ways), apart, starts)
    # As many flows as one way get no more than these do from one capacity. More, though slower than each way by
    # itself: each has its own, and acknowledgements wait behind data, as they do in the model of queues.
    if both and both.value <= SLOWER * max(least):
        return SharedLinks(None, None, both, (least[0], least[1]))
    return SharedLinks(there, back, None, (least[0], least[1]))


def _capacity(together: Observed, apart: Sequence[Observed], starts: float) -> Estimate | None:
    """The bytes a second of what these flows share; None unless every launch has them slower than all apart.

    `starts`: the seconds before a flow has its rate. A flow alone that varies as much as this would be taken for a
    link otherwise.
    """
    ends = together.launches.max(axis=1)
    longest = max(float(observed.launches.max()) for observed in apart)
    alone = max(float(observed.seconds.max()) for observed in apart)
    if ends.min() <= longest or np.median(ends) <= SLOWER * alone:
        return None
    rates = _bytes(together) / (ends - starts)
    half = float(scipy.stats.t.ppf(0.975, len(rates) - 1) * scipy.stats.sem(rates)) if len(rates) > 1 else np.inf
    middle = float(np.mean(rates))
    return Estimate(middle, Interval(max(0.0, middle - half), middle + half))


def _bytes(observed: Observed) -> float:
    return float(sum(flow.bytes for flow in observed.pattern))


def _one(seen: Measured, pattern: Pattern) -> Observed:
    if pattern not in seen:
        raise HostError("not all patterns between these sites were measured", "measure again, with more time")
    return seen[pattern]


def sharing_model(
    crossing: Crossing, seen: Measured, platform: Platform, simulate: Simulate
) -> ContentionModel:  # fmt: skip
    """Return the model that predicts flows that cross together best, of those that need no fit within a site.

    `platform` has the nodes of the crossing alone, in their order, and what the sites share. The window of queues
    is an assumption, which hardly matters here: what waits there is as many windows as flows, and a flow gets its
    own each time that these have passed.
    """
    known = [pattern for pattern in crossing.patterns if pattern in seen and len(pattern) > 1]

    def off(model: ContentionModel) -> float:
        times = simulate(replace(platform, models=(model,)), model.name, known)
        logs = [np.log(ours / seen[pattern].seconds) for ours, pattern in zip(times, known, strict=True)]
        return float(np.sqrt(np.mean(np.concatenate(logs) ** 2)))

    return min((ContentionModel("queues", window_bytes=WINDOW_BYTES), ContentionModel("alpha-fair")), key=off)


def uplinks(fan: Fan, sites: Sequence[str], seen: Measured) -> tuple[Estimate | None, Estimate | None]:
    """Return the capacity of what leaves a site to several others together, and of what enters it.

    `sites`: of the nodes behind. None where flows of several sites are not slower than those of each by itself.
    """
    capacities: list[Estimate | None] = []
    for into in (False, True):
        together = _one(seen, fan.into if into else fan.out)
        apart = [_one(seen, pattern) for pattern in fan.to_one_site(sites, into=into)]
        capacities.append(_capacity(together, apart, 0.0))
    return capacities[0], capacities[1]


def weight(
    crossing: Crossing, seen: Measured, platform: Platform, pair_class: str, simulate: Simulate
) -> Estimate | str:
    """Return the weight of flows of this class beside those within a site, or why it is not identified.

    `platform` has the nodes of the crossing alone, in their order. Flows are compared with themselves alone, so
    that what TCP takes to reach its rate counts on neither side.
    """
    model = next((candidate.name for candidate in platform.models if candidate.name == "alpha-fair"), "")
    alone = {pattern[0]: pattern for pattern in (crossing.alone[0], *crossing.within)}
    known = [pattern for pattern in crossing.beside_within if pattern in seen]
    if not model or not known or any(pattern not in seen for pattern in alone.values()):
        return "no flow of this class was measured beside one within a site"
    measured = np.concatenate([
        np.log(seen[pattern].seconds / [seen[alone[flow]].seconds[0] for flow in pattern]) for pattern in known
    ])  # fmt: skip

    def predicted(value: float) -> FloatArray:
        classes = tuple(
            replace(candidate, weight=value) if candidate.name == pair_class else candidate
            for candidate in platform.classes
        )
        patterns = [*known, *alone.values()]
        times = dict(zip(patterns, simulate(replace(platform, classes=classes), model, patterns), strict=True))
        return np.concatenate(
            [np.log(times[pattern] / [times[alone[flow]][0] for flow in pattern]) for pattern in known]
        )

    def off(logarithm: FloatArray) -> FloatArray:
        return np.asarray(predicted(float(np.exp(logarithm[0]))) - measured)

    low, start, high = (float(logarithm) for logarithm in np.log(WEIGHTS))
    fit = scipy.optimize.least_squares(
        off, [start], bounds=([low], [high]), x_scale=1.0, xtol=1e-3, max_nfev=20, diff_step=np.array([STEP])
    )
    slopes = (off(fit.x + STEP) - off(fit.x - STEP)) / (2 * STEP)
    if float(np.max(np.abs(slopes))) < LEAST_SLOPE:
        return "flows of this class are not the faster for it: something else holds them back"
    middle = float(fit.x[0])
    variance = float(np.sum(np.asarray(fit.fun) ** 2)) / max(len(measured) - 1, 1)
    half = _Z * float(np.sqrt(variance / np.sum(slopes**2)))
    ends = float(np.exp(middle - half)), float(np.exp(middle + half))
    if ends[1] > WIDEST * ends[0] or not low + STEP < middle < high - STEP:
        return f"anything from {ends[0]:.2g} to {ends[1]:.2g} fits"
    return Estimate(float(np.exp(middle)), Interval(*ends))
