"""How far predictions are from what was measured: patterns that no fit has seen, by each model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from rankwise.analysis.fit.sharing import CANDIDATES, FittedModel, Simulate, check_guards, fit_model
from rankwise.analysis.fit.sharing_costs import AloneCost, Estimate, alone_cost, capacity, one_switch
from rankwise.analysis.fit.sharing_data import FloatArray, Observed
from rankwise.analysis.fit.sharing_patterns import (
    ENTERING,
    FLOW_BYTES,
    GUARDS,
    LEAVING,
    alone_patterns,
    asynchronous_patterns,
    late_patterns,
    micro_patterns,
    validation_patterns,
)
from rankwise.core.errors import HostError
from rankwise.core.flows import Pattern, ranks_of
from rankwise.core.platform import Platform

MODELS = tuple(CANDIDATES)


@dataclass(frozen=True, slots=True, eq=False)
class SharingFit:
    """What small patterns tell of one switch: the platform with all models, and where its figures come from."""

    platform: Platform
    alone: AloneCost
    in_rate: Estimate | None
    """None: flows together enter a node as fast as one alone, so that its NIC is not the limit."""
    out_rate: Estimate | None
    models: Mapping[str, FittedModel]
    """The first one, which is the default, has the smallest error of small patterns that a fit left out."""


@dataclass(frozen=True, slots=True)
class Accuracy:
    """How far a model's predictions of patterns are off, as shares of the measured times."""

    model: str
    flows: int
    mean: float
    worst: float
    together: float
    """Of the sum of a pattern's times, the mean over patterns."""
    makespan: float
    """Of the time until the last flow of a pattern has ended, the mean over patterns."""
    covered: float | None
    """Share of the measured times that lie within the model's band; None where it has none."""


def fit_one_switch(
    measured: Mapping[Pattern, Observed], simulate: Simulate, dropped: int = 0, eager_below_bytes: int = 65536
) -> SharingFit:  # fmt: skip
    """Fit all models to the small patterns among what was measured at one switch.

    From `eager_below_bytes` on a message's data are asked for first: its request waits in queues as they do.
    Raises HostError for patterns that are missing, and for times that no model of shared capacity explains.
    """
    alone = alone_cost(_those(measured, alone_patterns()))
    seconds = alone.seconds(FLOW_BYTES)
    micro = dict(zip(micro_patterns(), _those(measured, micro_patterns()), strict=True))
    check_guards({name: micro[name] for name in GUARDS}, seconds, dropped)
    rates = [
        capacity([micro[name] for name in names], alone.latency.value, seconds) for names in (LEAVING, ENTERING)
    ]
    # A flow alone fills its NIC, as the guards have seen. Between rates that differ by a thousandth chance would
    # decide whether it keeps a queue there.
    rate = float(np.mean([1 / alone.seconds_per_byte.value, *(estimate.value for estimate in rates if estimate)]))
    cost = replace(alone, seconds_per_byte=replace(alone.seconds_per_byte, value=1 / rate))
    platform = one_switch(max(map(ranks_of, measured)), cost, eager_below_bytes)
    unseen = [measured[pattern] for pattern in validation_patterns().values() if pattern in measured]
    later = {**late_patterns(), **asynchronous_patterns()}.values()
    fitted = [*micro.values(), *(measured[pattern] for pattern in later if pattern in measured)]
    fits = [fit_model(name, platform, fitted, simulate, unseen) for name in MODELS]
    models = {fit.model.name: fit for fit in sorted(fits, key=lambda fit: fit.left_out)}
    platform = replace(platform, models=tuple(fit.model for fit in models.values()))
    return SharingFit(platform, alone, rates[1], rates[0], models)


def _those(measured: Mapping[Pattern, Observed], patterns: Mapping[str, Pattern]) -> list[Observed]:
    missing = [name for name, pattern in patterns.items() if pattern not in measured]
    if missing:
        raise HostError(f"these patterns were not measured: {', '.join(missing)}", "measure again, with more time")
    return [measured[pattern] for pattern in patterns.values()]


def accuracy(
    platform: Platform, model: str, patterns: Sequence[Observed], simulate: Simulate
) -> Accuracy:  # fmt: skip
    """Return how far the model is off in these patterns."""
    predicted = simulate(platform, model, [observed.pattern for observed in patterns])
    off = differences(
        model,
        [(observed.pattern, ours, observed.seconds) for observed, ours in zip(patterns, predicted, strict=True)],
    )
    return replace(off, covered=_covered(platform, model, predicted, [observed.seconds for observed in patterns]))


def differences(name: str, compared: Sequence[tuple[Pattern, FloatArray, FloatArray]]) -> Accuracy:
    """Return how far times of flows are off others: each a pattern, the predicted and the measured seconds."""
    off = np.concatenate([np.abs(ours / theirs - 1) for _, ours, theirs in compared])
    sums = [abs(ours.sum() / theirs.sum() - 1) for _, ours, theirs in compared]
    ends = [abs(_end(pattern, ours) / _end(pattern, theirs) - 1) for pattern, ours, theirs in compared]
    return Accuracy(
        name, len(off), float(off.mean()), float(off.max()), float(np.mean(sums)), float(np.mean(ends)), None
    )  # fmt: skip


def _end(pattern: Pattern, seconds: FloatArray) -> float:
    return float(np.max([flow.start_seconds + time for flow, time in zip(pattern, seconds, strict=True)]))


def _covered(
    platform: Platform, model: str, predicted: Sequence[FloatArray], measured: Sequence[FloatArray]
) -> float | None:  # fmt: skip
    band = next((candidate.relative_error for candidate in platform.models if candidate.name == model), None)
    if band is None:
        return None
    within = [np.abs(theirs / ours - 1) <= band for ours, theirs in zip(predicted, measured, strict=True)]
    return float(np.mean(np.concatenate(within)))
