"""The frozen records of predictions: times are seconds, rates bytes a second, delays one way."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from rankwise.core.plain import plain
from rankwise.core.platform import Platform
from rankwise.core.records import Notice
from rankwise.simulation.results import Simulation
from rankwise.simulation.timeline import Timeline


@dataclass(frozen=True, slots=True)
class Band:
    """Where the measured time is expected in 9 of 10 cases; shares are of the predicted time."""

    low_seconds: float
    high_seconds: float
    model_share: float
    """By which the model missed patterns that its fit had not seen."""
    parameter_share: float | None
    """What the intervals of the platform's parameters come to; None: not looked at."""


@dataclass(frozen=True, slots=True)
class Help:
    """What would help: a link or one direction of a NIC, and the total if messages did not have to share it."""

    resource: str
    contention_seconds: float
    total_seconds: float


@dataclass(frozen=True, slots=True)
class Measured:
    """A measured cell beside its prediction."""

    variant: str
    benchmark: str
    size_bytes: int
    ranks: int
    placement: str
    seconds: float
    """The median over all samples."""
    predicted_seconds: float
    algorithm: str
    """That was predicted."""
    same: bool
    """The same algorithm was measured; else it was the MPI's own way."""

    @property
    def error(self) -> float:
        """Return by what share of the measured time the prediction is above it."""
        return self.predicted_seconds / self.seconds - 1.0


@dataclass(frozen=True, slots=True)
class Recorded:
    """What a program took when it was traced, from MPI_Init to MPI_Finalize."""

    seconds: float
    crowded: bool
    """Ranks shared cores."""


@dataclass(frozen=True, slots=True)
class Prediction:
    """What a program will take on a platform, how sure that is, and why it takes so long."""

    title: str
    platform_name: str
    """Where its figures are from, in words."""
    model: str
    simulation: Simulation
    nodes_of_ranks: tuple[str, ...]
    platform: Platform
    band: Band | None = None
    no_band: str = ""
    """Why there is none."""
    helps: tuple[Help, ...] = ()
    baseline_seconds: float | None = None
    """What it takes on the platform as it is, where something was changed."""
    changes: tuple[str, ...] = ()
    measured: tuple[Measured, ...] = ()
    recorded: Recorded | None = None
    """Of a single trace that has it."""
    notices: tuple[Notice, ...] = ()
    timeline: Timeline | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return it for programs, rank by rank, as `--json` prints it: without the platform and the timeline."""
        simulation = self.simulation
        plain_fields: dict[str, Any] = plain({
            "title": self.title,
            "platform": self.platform_name,
            "model": self.model,
            "total_seconds": simulation.total_seconds,
            "band": self.band,
            "no_band": self.no_band,
            "messages": simulation.messages,
            "bytes": simulation.size_bytes,
            "spread": simulation.spread,
            "baseline_seconds": self.baseline_seconds,
            "changes": self.changes,
            "jobs": simulation.jobs,
            "nodes_of_ranks": self.nodes_of_ranks,
            "critical_path_seconds": {part.what: part.seconds for part in simulation.critical_path},
            "contention_seconds": simulation.contention_seconds,
            "contention_by_link": simulation.by_link,
            "contention_by_pair": simulation.by_pair,
            "what_would_help": self.helps,
            "measured": [plain(row) | {"error": row.error} for row in self.measured],
            "recorded": self.recorded,
            "notices": self.notices,
        })  # fmt: skip
        return plain_fields


@dataclass(frozen=True, slots=True)
class Variation:
    """One of several predictions: what was varied, and the total; the reason where there is none."""

    name: str
    size_bytes: int
    total_seconds: float
    contention_seconds: float
    messages: int
    refused: str = ""


@dataclass(frozen=True, slots=True)
class AlgorithmComparison:
    """Predictions of several algorithms and sizes, the fastest algorithm of each size first."""

    title: str
    platform_name: str
    model: str
    rows: tuple[Variation, ...]
    measured: tuple[Measured, ...] = ()
    notices: tuple[Notice, ...] = ()


@dataclass(frozen=True, slots=True)
class SweepPoint:
    """The total with one value of what is swept."""

    value: float
    """Bytes a second, or seconds."""
    total_seconds: float
    contention_seconds: float


@dataclass(frozen=True, slots=True)
class Sweep:
    """Totals over a range of rates or delays, ascending."""

    title: str
    platform_name: str
    model: str
    name: str
    """`wan.delay`."""
    value_now: float
    total_now_seconds: float
    points: tuple[SweepPoint, ...]
    notices: tuple[Notice, ...] = ()


@dataclass(frozen=True, slots=True)
class Loss:
    """How much more delay it takes until a program needs a share longer; inf: no delay up to the longest tried."""

    share: float
    linear_seconds: float
    """By the derivative alone."""
    solved_seconds: float
    """Found with the simulator."""


@dataclass(frozen=True, slots=True)
class ClassTolerance:
    """What the delay and the rate of a class of pairs mean for a program's time."""

    name: str
    delay_seconds: float
    bytes_per_second: float
    """Of the slowest link or NIC between such pairs; nan: there is none."""
    by_delay: float
    """dT/d(delay), seconds a second: latencies on the critical path; nan: beyond what any path has."""
    by_rate_seconds: float
    """dT/d(ln rate): a rate 1 % higher changes the total by a hundredth of this; nan: there is none, or it is
    beyond what any path has."""
    losses: tuple[Loss, ...]
    how: str = "differences"
    """`one run`: the derivatives were carried through the simulation; `differences` of two."""
    longest_path: int = 0
    """How many latencies of the class any path has at most."""


@dataclass(frozen=True, slots=True)
class Tolerance:
    """How much delay a program tolerates."""

    title: str
    platform_name: str
    model: str
    total_seconds: float
    classes: tuple[ClassTolerance, ...]
    notices: tuple[Notice, ...] = ()
    simulations: int = 0
