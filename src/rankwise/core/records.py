"""The frozen records in which the layers meet. Times are seconds, sizes are bytes; no behaviour lives here."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

import numpy as np
import numpy.typing as npt

from rankwise.core.network import EmulatorFigures, LinkCounters, Settings

FloatArray = npt.NDArray[np.float64]
Environment = tuple[tuple[str, str], ...]
"""Extra environment variables, as pairs so that records stay hashable."""

Category = Literal["point-to-point", "collective", "nonblocking", "one-sided", "baseline", "harness"]
Quantity = Literal["time", "total", "compute"]
"""`time`: the operation itself. Nonblocking collectives add `total` (with computation put between start and
wait) and `compute` (that computation alone); overlap is 1 - (total - compute) / time."""

TimelineQuantity = Literal["congestion window", "round trip", "retransmits"]
LaunchStatus = Literal["finished", "failed", "timed out"]
VerdictWord = Literal["faster", "slower", "equivalent", "undecided"]


@dataclass(frozen=True, slots=True)
class Notice:
    """A typed warning: `kind` for machines, `message` for people, `remedy` for both."""

    kind: str
    message: str
    remedy: str = ""


@dataclass(frozen=True, slots=True)
class Implementation:
    """One installed MPI. `environment` is what its compiler and launcher need (e.g. I_MPI_ROOT)."""

    id: str
    family: str
    version: str
    prefix: str
    mpicc: str
    mpiexec: str
    source: str
    """Where it was found: pypi, debian, path, environment, prefix, config, spack, module."""
    library_version: str = ""
    """The library's own string (MPI_Get_library_version, or the family's equivalent)."""
    mpi_standard: str = ""
    abi: str = ""
    transports: tuple[str, ...] = ()
    """Those that the proof run really used; empty when the library does not tell."""
    environment: Environment = ()
    status: Literal["works", "broken", "unproved"] = "unproved"
    reason: str = ""
    remedy: str = ""


@dataclass(frozen=True, slots=True)
class Host:
    """A machine of a testbed. `slots` is how many ranks it takes before it is oversubscribed."""

    name: str
    slots: int
    site: str = ""


@dataclass(frozen=True, slots=True)
class Command:
    """One external command and the variables it gets on top of the caller's environment."""

    argv: tuple[str, ...]
    environment: Environment = ()


@dataclass(frozen=True, slots=True)
class Job:
    """What is to be started on how many ranks."""

    program: tuple[str, ...]
    ranks: int
    oversubscribed: bool = False
    hosts: tuple[str, ...] = ()
    """The host of each rank, in rank order. Empty: all on this one."""
    remote_shell: str = ""
    """A program that is called like ssh, `REMOTE_SHELL HOST COMMAND...`."""
    environment: Environment = ()
    """Variables that every rank must see."""
    launcher_arguments: tuple[str, ...] = ()
    """The user's own words for mpiexec (what stood after `--`)."""


@dataclass(frozen=True, slots=True)
class LaunchSteps:
    """A launch as data: what is run `before`, the launcher itself, what is run `after` in any case.

    `yielding` names how waiting ranks give up the core when oversubscribed, '' if they need not.
    """

    main: Command
    before: tuple[Command, ...] = ()
    after: tuple[Command, ...] = ()
    yielding: str = ""
    everywhere: tuple[Command, ...] = ()
    """Run on every host of the job before `before`: what must be there on each (folders, copies of files)."""
    everywhere_after: tuple[Command, ...] = ()
    """Run on every host of the job in any case, after `after`."""
    files: tuple[str, ...] = ()
    """Files of this host that the steps use: hosts that do not share its file system get copies."""
    settings: Settings = ()
    """Kernel settings that every host gets for this launch only."""
    attached: bool = False
    """The launcher has this process's own stdin, stdout and stderr; the outcome then has no words."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """How an external command ended. `finished_early`: it had said all and was ended by us while it hung."""

    command: str
    returncode: int
    stdout: str
    stderr: str
    seconds: float
    timed_out: bool = False
    finished_early: bool = False
    broken: str = ""
    """Why the testbed itself failed during the run (a node or the link emulator ended); '' if it did not."""
    links: tuple[LinkCounters, ...] = ()
    emulator: EmulatorFigures | None = None
    notices: tuple[Notice, ...] = ()


@dataclass(frozen=True, slots=True)
class Benchmark:
    """One kernel as the harness's `--list` describes it for one implementation."""

    name: str
    category: Category
    description: str
    supported: bool = True
    reason: str = ""
    sized: bool = True
    """False for an operation without a message (barrier): measured at size 0 only."""
    min_ranks: int = 1
    even_ranks: bool = False
    derived_types: bool = True
    """Takes derived datatypes (not so for reductions)."""


@dataclass(frozen=True, slots=True, order=True)
class Options:
    """What may be varied beside size and ranks; the same words as the harness's flags."""

    datatype: str = "byte"
    layout: str = "contiguous"
    operation: str = "sum"
    root: str = "0"
    """A rank, or `rotate`: another root each repetition."""
    cold_cache: bool = False
    window: int = 64
    """Messages in flight in the bandwidth benchmarks."""
    congestion_control: str = ""
    """Of TCP, on the hosts of the testbed; '': as the testbed has it."""
    messages: int = 200
    """In the benchmarks that are streams of messages."""


@dataclass(frozen=True, slots=True, order=True)
class Cell:
    """One point of a plan: what is compared with what is decided on everything but `implementation`."""

    implementation: str
    benchmark: str
    size_bytes: int
    ranks: int
    options: Options = field(default=Options())
    profile: str = "default"
    testbed: str = "local"
    placement: str = "block"


@dataclass(frozen=True, slots=True, eq=False)
class Series:
    """The raw samples of one cell in one launch; `samples_seconds` has shape (repetitions,)."""

    cell: Cell
    quantity: Quantity
    samples_seconds: FloatArray
    bytes_per_sample: float = 0.0
    """Bytes that one sample moves, for bandwidth: 2 x size for sendrecv, 0 where it has no meaning."""
    batch: int = 1
    """Operations timed together to lift a sample above the timer's resolution."""
    discarded: int = 0
    """Repetitions thrown away because a rank reached the agreed start too late."""


@dataclass(frozen=True, slots=True, eq=False)
class Timeline:
    """What the kernel said of a TCP connection (TCP_INFO) during a cell; both arrays have shape (moments,)."""

    cell: Cell
    quantity: TimelineQuantity
    times_seconds: FloatArray
    """Since the cell's first message was started."""
    values: FloatArray
    """Bytes, seconds, or a count since the connection began."""


@dataclass(frozen=True, slots=True)
class CellFailure:
    """A cell that gave no samples in one launch, and why. Data, not an error."""

    cell: Cell
    reason: str
    kind: Literal["failed", "unsupported", "wrong data"] = "failed"


@dataclass(frozen=True, slots=True, eq=False)
class Launch:
    """One start of mpiexec and what came of it."""

    implementation: str
    ranks: int
    status: LaunchStatus
    command: str
    environment: Environment
    started_at: float
    """Seconds since the epoch."""
    seconds: float
    series: tuple[Series, ...] = ()
    failures: tuple[CellFailure, ...] = ()
    verified: tuple[Cell, ...] = ()
    """Cells whose data were checked and right (only with `verify`; such a launch has no samples)."""
    reason: str = ""
    stderr_tail: str = ""
    oversubscribed: bool = False
    yielding: str = ""
    clock: str = ""
    """`shared` (hosts share a kernel) or `synchronised`, with the residual error in seconds."""
    clock_error_seconds: float = 0.0
    timer_resolution_seconds: float = 0.0
    load: float = 0.0
    """One-minute load average just before the launch."""
    steal_fraction: float = 0.0
    """Share of CPU time that the hypervisor took during the launch."""
    notices: tuple[Notice, ...] = ()
    links: tuple[LinkCounters, ...] = ()
    emulator: EmulatorFigures | None = None
    timelines: tuple[Timeline, ...] = ()


@dataclass(frozen=True, slots=True)
class Plan:
    """What a run sets out to measure, and when it may stop."""

    cells: tuple[Cell, ...]
    seed: int
    time_budget_seconds: float
    precision: float = 0.02
    """Asked relative width: half of the median's 95 % interval over the median."""
    min_launches: int = 10
    max_launches: int = 60
    verify: bool = False
    seconds_per_cell: float = 0.01
    """Time that one launch spends on repetitions of one cell."""
    launch_limit_seconds: float = 120.0
    launcher_arguments: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Fact:
    """One piece of provenance of a host: `kernel` = `6.1.0`, `governor` = `performance`."""

    key: str
    value: str


@dataclass(frozen=True, slots=True)
class RunSummary:
    """A run as the store lists it."""

    id: int
    created_at: float
    command_line: str
    testbed: str
    implementations: tuple[str, ...]
    cells: int
    launches: int
    status: Literal["complete", "interrupted", "running"]
    stopped_because: str = ""


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
    """Adjusted for the number of cells (Holm)."""
    verdict: VerdictWord
    baseline_seconds: float
    candidate_seconds: float
    launches: tuple[int, int]
    options: Options = field(default=Options())
    placement: str = "block"


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """One cell's samples in short: quantities of the launches' medians, and the tail over all samples."""

    size_bytes: int
    median_seconds: float
    low_seconds: float
    high_seconds: float
    """95 % interval of the median."""
    p10_seconds: float
    p90_seconds: float
    p99_seconds: float
    min_seconds: float
    launches: int
    samples: int
    bytes_per_sample: float = 0.0
    precise: bool = False
    """The interval is within the asked relative width."""


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
    """Time at `at_bytes` over what the curve below would have given there; 1 where only the slope changes."""
    options: Options = field(default=Options())
    placement: str = "block"


@dataclass(frozen=True, slots=True)
class SummaryRow:
    """Geometric mean over cells of one class: how many times the baseline's time this implementation takes."""

    implementation: str
    category: Category
    size_class: Literal["small", "medium", "large", "all"]
    ratio: float
    ratio_low: float
    ratio_high: float
    wins: int
    """Cells where no other implementation is faster and at least one is significantly slower."""
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
