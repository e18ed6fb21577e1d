"""What a platform says of patterns: all of them in one run of the simulator, each on a copy of the platform."""

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
    """Return the seconds of each pattern's flows; rank i runs on the platform's node i. Raises HostError."""
    copies = [_copy(platform, number) for number in range(len(patterns))]
    together = replace(
        platform,
        sites=tuple(site for copy in copies for site in copy.sites),
        links=tuple(link for copy in copies for link in copy.links),
        routes=tuple(route for copy in copies for route in copy.routes),
    )
    nodes = sum(len(site.nodes) for site in platform.sites)
    where = [
        f"{number * nodes}-{number * nodes + ranks_of(pattern) - 1}" for number, pattern in enumerate(patterns)
    ]
    return flow_times(program("rankwise-sim"), simulator_json(together, model, TOLERANCE), patterns, where)


def _copy(platform: Platform, number: int) -> Platform:
    """The same under other names, which share nothing with those of other copies."""
    return replace(
        platform,
        sites=tuple(
            replace(one, name=f"{one.name}#{number}", nodes=tuple(f"{node}#{number}" for node in one.nodes))
            for one in platform.sites
        ),
        links=tuple(replace(one, name=f"{one.name}#{number}") for one in platform.links),
        routes=tuple(
            replace(
                one, from_site=f"{one.from_site}#{number}", to_site=f"{one.to_site}#{number}",
                links=tuple(f"{link}#{number}" for link in one.links),
            )
            for one in platform.routes
        ),
    )  # fmt: skip
