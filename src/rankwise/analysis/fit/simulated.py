"""What a platform says of patterns, by the simulator: in one run where they cannot meet one another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from rankwise.analysis.fit.sharing_data import FloatArray
from rankwise.core.flows import Pattern, ranks_of, text_of
from rankwise.core.platform import Platform
from rankwise.platforms.simulator_json import simulator_json
from rankwise.simulation.simulator import Bounds, SimulatorJob, simulate

TOLERANCE = 1e-5
"""Of rates: tighter than the simulator's own, so that derivatives by differences have digits."""
LIMIT_SECONDS = 120.0


def simulated(platform: Platform, model: str, patterns: Sequence[Pattern]) -> list[FloatArray]:
    """Return the seconds of each pattern's flows, from their starts; rank i runs on the platform's node i.

    Each pattern has nodes of its own; where they would still share links, each has a run of its own. Raises
    HostError in the simulator's words.
    """
    if platform.links and len(patterns) > 1:
        return [times for pattern in patterns for times in simulated(platform, model, [pattern])]
    wide = replace(platform, sites=tuple(
        replace(site, nodes=tuple(f"{node}#{copy}" for copy in range(len(patterns)) for node in site.nodes))
        for site in platform.sites
    ))  # fmt: skip
    jobs = [
        SimulatorJob(
            str(copy), text=text_of(pattern), nodes=_nodes(platform, copy, len(patterns), ranks_of(pattern))
        )
        for copy, pattern in enumerate(patterns)
    ]
    simulation = simulate(simulator_json(wide, model, TOLERANCE), jobs, Bounds(LIMIT_SECONDS, at_once=1))
    return [np.array([flow.end_seconds - flow.start_seconds for flow in job.flows]) for job in simulation.jobs]


def _nodes(platform: Platform, copy: int, copies: int, ranks: int) -> tuple[int, ...]:
    """The nodes of this copy of the platform, site by site, as many as there are ranks."""
    numbers: list[int] = []
    first = 0
    for site in platform.sites:
        count = len(site.nodes)
        numbers += range(first + copy * count, first + (copy + 1) * count)
        first += copies * count
    return tuple(numbers[:ranks])
