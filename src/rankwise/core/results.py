"""The frozen records of what the samples mean: what `analysis` finds, and the terminal and the report show."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Literal

from rankwise.core.records import (
    Category,
    Cell,
    CellFailure,
    FloatArray,
    Notice,
    Options,
    Quantity,
    Starts,
    TimelineQuantity,
)

VerdictWord = Literal["faster", "slower", "probably faster", "probably slower", "equivalent", "undecided"]
"""`faster`, `slower`: with probability 1 - alpha not one of a whole comparison is false. `probably ...`: of these
and of those that are called faster or slower together, a share of alpha is expected to be false."""


@dataclass(frozen=True, slots=True, eq=False)
class Verdict:
    """Candidate against baseline in one cell; `ratio` is candidate time over baseline time (below 1: faster)."""

    benchmark: str
    size_bytes: int
    ranks: int
    baseline: str
    candidate: str
    ratio: float
    ratio_low: float
    ratio_high: float
    p_value: float
    """Adjusted for the number of cells, those of a benchmark and size class together first."""
    verdict: VerdictWord
    baseline_seconds: float
    candidate_seconds: float
    launches: tuple[int, int]
    options: Options = field(default=Options())
    placement: str = "block"
    q_value: float = 1.0
    """The least rate of false discoveries (Benjamini-Hochberg) at which the difference is called probable."""
    visible_ratio: float = math.inf
    """A true ratio so far from 1 (above it) would have been found `faster` or `slower` in 8 of 10 such runs."""


@dataclass(frozen=True, slots=True)
class Gain:
    """Geometric mean of tuned over default time over the cells that a tuning acts on; nan without any.

    For an application each cell weighs as much as the time that the application spends there by default.
    """

    ratio: float
    ratio_low: float
    ratio_high: float
    """95 %, bootstrap over launches."""
    cells: int
    weighted: bool = False
    """By what an application does."""


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """One cell's samples in short: quantities of the launches' medians, and the tail over all samples."""

    size_bytes: int
    median_seconds: float
    low_seconds: float
    high_seconds: float
    """95 % interval of the median; nan of one launch."""
    p10_seconds: float
    p90_seconds: float
    p99_seconds: float
    min_seconds: float
    launches: int
    samples: int
    bytes_per_sample: float = 0.0
    precise: bool = False
    """The interval is within the asked relative width."""
    starts: Starts = ""
    """How repetitions began, over all launches."""


@dataclass(frozen=True, slots=True)
class Curve:
    """One implementation's times over the sizes of one benchmark, ascending."""

    implementation: str
    benchmark: str
    category: Category
    ranks: int
    points: tuple[CurvePoint, ...]
    quantity: Quantity = "time"
    options: Options = field(default=Options())
    placement: str = "block"


@dataclass(frozen=True, slots=True)
class SwitchPoint:
    """A change of protocol or algorithm seen in a curve, somewhere in (below_bytes, at_bytes]."""

    implementation: str
    benchmark: str
    ranks: int
    below_bytes: int
    at_bytes: int
    jump_ratio: float
    """Time at `at_bytes` over what the curve below would have given there."""
    options: Options = field(default=Options())
    placement: str = "block"
    jump_low: float = math.nan
    jump_high: float = math.nan
    """95 % interval of `jump_ratio`, which leaves out 1."""


@dataclass(frozen=True, slots=True)
class SummaryRow:
    """Geometric mean over cells of one class: how many times the baseline's time this implementation takes."""

    implementation: str
    category: Category
    size_class: Literal["small", "medium", "large", "all"]
    ratio: float
    ratio_low: float
    ratio_high: float
    fastest: int
    """Cells where every other implementation is slower or equivalent, and at least one is slower."""
    unbeaten: int
    """Cells where none is shown to be faster; `fastest` are among them."""
    cells: int


@dataclass(frozen=True, slots=True, eq=False)
class Distribution:
    """The quantiles 0, 1, ..., 100 % of all samples of one cell, shape (101,), seconds."""

    cell: Cell
    quantiles_seconds: FloatArray


@dataclass(frozen=True, slots=True)
class Overhead:
    """What an MPI adds to raw TCP over the same way: its ping-pong against the plain one, at one size."""

    implementation: str
    size_bytes: int
    ranks: int
    tcp_seconds: float
    mpi_seconds: float
    ratio: float
    """MPI's time over TCP's."""
    ratio_low: float
    ratio_high: float
    difference_seconds: float
    """MPI's time less TCP's."""
    difference_low_seconds: float
    difference_high_seconds: float
    launches: int
    """Launches on either side."""
    paired: bool
    """Both were measured in these rounds, and compared within each; else the two medians' intervals are set
    against each other, which gives wider ones."""
    options: Options = field(default=Options())
    placement: str = "block"


@dataclass(frozen=True, slots=True)
class Overlap:
    """What a nonblocking operation hides behind computation that takes as long as it does alone, at one size."""

    implementation: str
    benchmark: str
    size_bytes: int
    ranks: int
    share: float
    """Of its own time; not clipped: below 0 the two disturb one another."""
    share_low: float
    share_high: float
    launches: int
    options: Options = field(default=Options())
    placement: str = "block"


@dataclass(frozen=True, slots=True)
class Reached:
    """When a stream came to a bandwidth; seconds are since its first message was started."""

    bits_per_second: float
    share: float
    """Of the stream's own maximum; 0 where the bandwidth was asked for in bits per second."""
    seconds: float
    """The median over launches; inf when half of them or more never came to it."""
    low_seconds: float
    high_seconds: float
    launches: int
    """Those that came to it."""


@dataclass(frozen=True, slots=True, eq=False)
class StreamCurve:
    """The messages of one stream, one after the other; arrays have shape (messages,)."""

    cell: Cell
    category: Category
    times_seconds: FloatArray
    """From the start of the first message to the end of each, median over launches."""
    bytes_per_second: FloatArray
    """Of each message by itself, median over launches."""
    low_bytes_per_second: FloatArray
    high_bytes_per_second: FloatArray
    """95 % interval of that median."""
    launches: int
    reached: tuple[Reached, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class TimelineCurve:
    """One quantity of a cell's TCP connection over all launches; arrays have shape (moments,)."""

    cell: Cell
    quantity: TimelineQuantity
    times_seconds: FloatArray
    values: FloatArray
    """Median over launches, in the unit of `Timeline.values`."""
    low_values: FloatArray
    high_values: FloatArray
    launches: int


@dataclass(frozen=True, slots=True)
class Factor:
    """A ratio of times with its 95 % interval."""

    ratio: float
    low: float
    high: float

    @property
    def differs(self) -> bool:
        """Whether the interval leaves out 1."""
        return self.low > 1 or self.high < 1


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why a candidate differs from the baseline in one cell: `total` is about `algorithm` times `core`.

    The medians of the three need not multiply exactly.
    """

    operation: str
    size_bytes: int
    ranks: int
    baseline: str
    candidate: str
    schedule: str
    """The benchmark that both were measured with: the fastest of the schedules on both together."""
    total: Factor
    """The candidate's own operation over the baseline's."""
    algorithm: Factor
    """The operation over the schedule, of the candidate over the baseline."""
    core: Factor
    """The schedule on the candidate over the same one on the baseline."""
    baseline_excess: float
    """The baseline's operation over the schedule on its own core: above 1, the schedule is faster."""
    candidate_excess: float
    schedules: int
    """How many were measured on both."""
    core_least: float
    core_most: float
    """The range of candidate over baseline among all of them."""
    options: Options = field(default=Options())
    placement: str = "block"


@dataclass(frozen=True, slots=True)
class BesideNative:
    """A schedule over an implementation's messages, against the operation as that implementation does it."""

    implementation: str
    schedule: str
    """The benchmark: `allreduce.ring`."""
    verdict: Verdict
    """Its baseline is the operation itself: below 1 the schedule is faster."""


@dataclass(frozen=True, slots=True, eq=False)
class Comparison:
    """Everything that a comparison found: what the terminal and the report show."""

    baseline: str
    implementations: tuple[str, ...]
    delta: float
    alpha: float
    verdicts: tuple[Verdict, ...]
    summary: tuple[SummaryRow, ...]
    curves: tuple[Curve, ...]
    switch_points: tuple[SwitchPoint, ...]
    distributions: tuple[Distribution, ...]
    failures: tuple[CellFailure, ...]
    notices: tuple[Notice, ...]
    overheads: tuple[Overhead, ...] = ()
    streams: tuple[StreamCurve, ...] = ()
    timelines: tuple[TimelineCurve, ...] = ()
    overlaps: tuple[Overlap, ...] = ()
    explanations: tuple[Explanation, ...] = ()
    beside_native: tuple[BesideNative, ...] = ()

    @property
    def wrong_data(self) -> tuple[CellFailure, ...]:
        """The cells that delivered wrong data, which have no verdict."""
        return tuple(failure for failure in self.failures if failure.kind == "wrong data")

    @property
    def has_wrong_data(self) -> bool:
        """Whether any cell delivered wrong data."""
        return bool(self.wrong_data)
