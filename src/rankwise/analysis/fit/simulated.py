"""What a platform says of patterns, by the simulator: in one run where they cannot meet one another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from rankwise.core.flows import Pattern, ranks_of
from rankwise.core.platform import Platform
from rankwise.platforms.simulator_json import simulator_json
from rankwise.simulation.flow_times import FloatArray, flow_times
from rankwise.testbeds.programs import program

TOLERANCE = 1e-5
"""Of rates: tighter than the simulator's own, so that derivatives by differences have digits."""


def simulated(platform: Platform, model: str, patterns: Sequence[Pattern]) -> list[FloatArray]:
    """Return the seconds of each pattern's flows; rank i runs on the platform's node i. Raises HostError.

    Each pattern has nodes of its own; where they would still share links, each has a run of its own.
    """
    if platform.links and len(patterns) > 1:
        return [times for one in patterns for times in simulated(platform, model, [one])]
    wide = replace(platform, sites=tuple(
        replace(site, nodes=tuple(f"{node}#{copy}" for copy in range(len(patterns)) for node in site.nodes))
        for site in platform.sites
    ))  # fmt: skip
    where = [_nodes(platform, copy, len(patterns), ranks_of(one)) for copy, one in enumerate(patterns)]
    return flow_times(program("rankwise-sim"), simulator_json(wide, model, TOLERANCE), patterns, where)


def _nodes(platform: Platform, copy: int, copies: int, ranks: int) -> str:
    """The nodes of this copy of the platform, site by site, as many as there are ranks."""
    numbers: list[int] = []
    first = 0
    for site in platform.sites:
        count = len(site.nodes)
        numbers += range(first + copy * count, first + (copy + 1) * count)
        first += copies * count
    return ",".join(map(str, numbers[:ranks]))
