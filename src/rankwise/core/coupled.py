"""Patterns in which two coupled models exchange their fields, and what a run of one has given.

The patterns are those of T. Eickermann, H. Grund, J. Henrichs, Performance Issues of Distributed MPI Applications
in a German Gigabit Testbed, 1999, section 4. Where the paper gives a range, one value of it is taken.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from rankwise.core.apps import AppResult

Manner = Literal["one way", "both ways", "turns", "hidden"]
"""The first model alone sends; both send and wait; one computes after the other; both send while they compute."""


@dataclass(frozen=True, slots=True)
class Pattern:
    """What two models do in a step."""

    name: str
    description: str
    manner: Manner
    field_bytes: int
    """In each direction that there is."""
    computing_seconds: float
    """Of a model, in a step."""
    steps: int
    paper: str
    """Its own words on what is sent."""

    @property
    def options(self) -> tuple[str, ...]:
        """What the application `coupled` is given."""
        return (
            f"bytes={self.field_bytes}", f"computing={self.computing_seconds:.9g}", f"steps={self.steps}",
            f"both={int(self.manner != 'one way')}", f"turns={int(self.manner == 'turns')}",
            f"hidden={int(self.manner == 'hidden')}",
        )  # fmt: skip

    @property
    def computed_seconds(self) -> float:
        """Of a step, without any message: where models take turns each waits for the other one."""
        return self.computing_seconds * (2 if self.manner == "turns" else 1)


PATTERNS = (
    Pattern(
        "groundwater", "a flow field to particles, in a burst", "one way", 32 << 20, 2.0, 5,
        "10-100 MByte are transferred in a burst every 2-10 seconds",
    ),
    Pattern(
        "climate", "fluxes between ocean and atmosphere; both wait", "both ways", 1 << 20, 2.0, 5,
        "2-D surface data in every timestep (typically 2 seconds), up to 1 MByte in short bursts; the application "
        "blocks until all data are exchanged",
    ),
    Pattern(
        "meg", "one model after the other, little data", "turns", 1 << 10, 0.001, 200,
        "only few data are transferred, but the algorithm is sensible to latency, because one cycle takes only a "
        "few milliseconds",
    ),
    Pattern(
        "molecular", "positions of atoms, sent while a step is computed", "hidden", 2 << 20, 0.1, 20,
        "atom positions in every timestep, an average load of 40 MByte/s; latency is hidden by the algorithm",
    ),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class CoupledResult:
    """A pattern with one implementation, in a site and across two; None: the testbed has but one."""

    pattern: Pattern
    within: AppResult
    across: AppResult | None = None

    @property
    def wan_seconds(self) -> float:
        """What the long way costs a step; nan where it was not measured."""
        return seconds_of(self.across, "step") - seconds_of(self.within, "step") if self.across else math.nan

    @property
    def is_apart(self) -> bool:
        """Whether the middle halves of the steps of both runs do not meet: the difference is no chance then."""
        if self.across is None:
            return False
        lows, highs = (
            [seconds_of(result, f"{end}_step") for result in (self.within, self.across)]
            for end in ("lower", "upper")
        )
        return lows[1] > highs[0] or lows[0] > highs[1]


def seconds_of(result: AppResult, what: str) -> float:
    """Return one of its times: the median of a `step`, of its `exchange`; nan if it has failed."""
    return dict(result.figures).get(f"{what}_seconds", math.nan)
