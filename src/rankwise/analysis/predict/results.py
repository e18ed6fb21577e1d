"""The frozen records of predictions: times are seconds, rates bytes a second, delays one way."""

from __future__ import annotations

from dataclasses import dataclass

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
    """What would help: a link or one direction of a NIC, and the total if messages had not to share it."""

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
    notices: tuple[Notice, ...] = ()
    timeline: Timeline | None = None


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
class Comparison:
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
    """dT/d(delay), seconds a second: latencies on the critical path."""
    by_rate_seconds: float
    """dT/d(ln rate): a rate 1 % higher changes the total by a hundredth of this; nan: there is none."""
    losses: tuple[Loss, ...]
    how: str = "differences"
    """`one run`: the derivatives were carried through the simulation; `differences` of two."""


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
