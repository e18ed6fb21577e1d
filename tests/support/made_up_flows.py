"""Times of patterns that are made up: a platform with known parameters, by the simulator, with noise."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from rankwise.analysis.fit.sharing_costs import AloneCost, Estimate, one_switch
from rankwise.analysis.fit.sharing_data import Observed
from rankwise.analysis.fit.sharing_patterns import (
    alone_patterns,
    asynchronous_patterns,
    late_patterns,
    micro_patterns,
    validation_patterns,
)
from rankwise.analysis.fit.simulated import simulated
from rankwise.core.flows import Pattern
from rankwise.core.platform import ContentionModel, Interval, Platform

LATENCY, RATE = 1e-4, 12.5e6
ALPHA, KAPPA = 1.3, 1.25


def platform(nodes: int = 6, model: str = "alpha-fair", **values: float) -> Platform:
    """Nodes at one switch, of these parameters of the model."""
    parameters = {"alpha": ALPHA, "kappa": KAPPA} | values
    latency, per_byte = (Estimate(one, Interval(one, one)) for one in (LATENCY, 1 / RATE))
    alone = AloneCost(latency, per_byte)
    found = one_switch(nodes, alone)
    return replace(found, models=(ContentionModel(model, **parameters),))


def fitting_patterns() -> tuple[Pattern, ...]:
    every: Sequence[Mapping[str, Pattern]] = (
        alone_patterns(), micro_patterns(), late_patterns(), asynchronous_patterns(),
        validation_patterns(),
    )  # fmt: skip
    return tuple(pattern for some in every for pattern in some.values())


def measured(true: Platform, launches: int = 3, noise: float = 0.005) -> dict[Pattern, Observed]:
    """What launches would have seen of all patterns of a fit."""
    generator = np.random.default_rng(1)
    patterns = fitting_patterns()
    times = simulated(true, true.models[0].name, patterns)
    return {
        pattern: Observed(pattern, one * np.exp(noise * generator.standard_normal((launches, len(one)))))
        for pattern, one in zip(patterns, times, strict=True)
    }
