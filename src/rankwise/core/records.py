"""The frozen records in which the layers meet. Times are seconds, sizes are bytes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np
import numpy.typing as npt

from rankwise.core.network import EmulatorFigures, LinkCounters

FloatArray = npt.NDArray[np.float64]
Environment = tuple[tuple[str, str], ...]
"""Extra environment variables, as pairs so that records stay hashable."""

Category = Literal[
    "point-to-point", "collective", "nonblocking", "persistent", "neighbourhood", "one-sided", "start-up", "file",
    "guideline", "schedule", "pattern", "baseline", "harness", "program",
]  # fmt: skip
"""`guideline`: mock-ups, which do what another benchmark does by other operations; `schedule`: a collective by an
algorithm of ours, over the MPI's messages; `program`: metrics of a user's own program."""
Quantity = Literal["time", "total", "compute", "metric"]
"""`time`: the operation itself. Nonblocking collectives add `total` (with computation put between start and
wait) and `compute` (that computation alone); overlap is 1 - (total - compute) / time. `metric`: a figure that a
user's own program printed, in its own unit."""

Start = Literal["", "agreed", "barrier"]
"""How the ranks begin a repetition: at an agreed moment (a window), or on leaving a barrier; '' is not known."""
Starts = Literal["", "agreed", "barrier", "mixed"]
"""Those of several series."""
Target = Literal["polls", "computes"]
Sync = Literal["flush", "flush-local", "lock", "fence", "pscw"]
Topology = Literal["cartesian", "graph"]
TimelineQuantity = Literal["congestion window", "round trip", "retransmits", "flow"]
LaunchStatus = Literal["finished", "failed", "timed out"]
FailureKind = Literal["failed", "unsupported", "wrong data"]
RunKind = Literal[
    "compare", "bench", "guidelines", "search", "validation", "study", "import", "program", "fit",
]  # fmt: skip
"""`fit` measures what a platform is made of; `program` compares a user's own program; `search` and `validation`
are the two halves of tuning; `study` is the parent of what a study measures."""
MPI_WARNING = "mpi-warning"
"""The kind of notices that repeat a warning of an MPI: each of these is shown, of other kinds one."""
OWN: frozenset[Quantity] = frozenset({"time", "metric"})
"""What a cell is measured for: the other quantities are taken beside its time."""
DEFAULT = "default"
"""The label of cells that load nothing: the implementation as it is installed."""


@dataclass(frozen=True, slots=True)
class Notice:
    """A typed warning: `kind` for machines, `message` for people, `remedy` for both."""

    kind: str
    message: str
    remedy: str = ""

    def __str__(self) -> str:
        """Return it as one line for people."""
        return f"{self.message}; {self.remedy}" if self.remedy else self.message


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
    """Those that the smoke test really used; empty when the library does not tell."""
    environment: Environment = ()
    status: Literal["works", "broken", "untested"] = "untested"
    reason: str = ""
    remedy: str = ""


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
    in_place: bool = False
    """Can be done in place (MPI_IN_PLACE)."""
    groups: bool = True
    """Can run on several groups of ranks at once."""
    reduces: bool = False
    """Computes with what it moves: its `byte` is a float of 4 bytes."""
    one_clock: bool = False
    """Timed by one rank alone: whether the clocks of the ranks agree does not matter."""


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
    polls: int = 16
    """Calls of MPI_Test during the computation beside a nonblocking operation."""
    target: Target = "polls"
    """What the other rank does during one-sided operations: `polls` waits inside MPI, `computes` does not."""
    in_place: bool = False
    """Of collectives: the input is where the output goes."""
    groups: int = 1
    """Of ranks, on all of which the operation runs at once."""
    threads: int = 1
    """Of each rank in the threaded benchmarks; with more than one, all is measured with MPI_THREAD_MULTIPLE."""
    sync: Sync = "flush"
    """How one-sided operations are completed; `pscw`: post, start, complete, wait."""
    topology: Topology = "cartesian"
    """Of neighbourhood collectives: a torus of two dimensions, or ranks at distances of 1, 2, 4... in a ring."""
    folder: str = ""
    """Where the files of MPI-IO are; '': TMPDIR of each rank, or /tmp."""


@dataclass(frozen=True, slots=True, order=True)
class Cell:
    """One point of a plan: cells are compared that differ in their implementation or what it loads alone."""

    implementation: str
    benchmark: str
    size_bytes: int
    ranks: int
    options: Options = field(default=Options())
    label: str = DEFAULT
    """What people call the settings: a profile's name, or a trial's. Which these are says `configuration`."""
    testbed: str = "local"
    placement: str = "block"
    configuration: str = ""
    """The id of the `core.configuration.Configuration` that is loaded; '' in runs stored before there were any."""

    @property
    def variant(self) -> str:
        """The name that comparisons show: `mpich-5.0.2`, or `mpich-5.0.2 + wan` with a profile."""
        return variant_name(self.implementation, self.label)


def variant_name(implementation: str, label: str) -> str:
    """Return what people read for an implementation with the settings of this label; it is never parsed."""
    return implementation if label == DEFAULT else f"{implementation} + {label}"


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
    messages_per_operation: int = 1
    """One of which is a sample: the timer spans batch x messages_per_operation samples."""
    discarded: int = 0
    """Repetitions discarded because a rank started later than agreed."""
    start: Start = ""


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
    kind: FailureKind = "failed"


@dataclass(frozen=True, slots=True)
class Segment:
    """The part of a launch that one configuration runs."""

    implementation: str
    ranks: int
    configuration: str = ""
    """The configuration's id; '' in launches stored before there were any."""
    program: str = ""
    """Program and arguments, quoted as a shell reads them."""


@dataclass(frozen=True, slots=True)
class Library:
    """A file that ranks have really loaded: an MPI, or what carries its messages and starts its processes."""

    kind: str
    """Its name without `lib` and version: mpi, mpich, lam, fabric, ucp, pmix."""
    path: str
    version: str = ""
    """As the file itself tells; '' where it does not."""


@dataclass(frozen=True, slots=True, eq=False)
class Launch:
    """One start of a job and what came of it."""

    segments: tuple[Segment, ...]
    status: LaunchStatus
    command: str
    environment: Environment
    started_at: float
    """Seconds since the epoch."""
    seconds: float
    series: tuple[Series, ...] = ()
    failures: tuple[CellFailure, ...] = ()
    verified: tuple[Cell, ...] = ()
    """Cells whose data were checked and right."""
    verifying: bool = False
    """Looked whether data are right, and timed nothing."""
    reason: str = ""
    stdout: str = ""
    stderr: str = ""
    """What was printed, without the results, as `core.launch_output.kept` shortens it."""
    oversubscribed: bool = False
    yielding: str = ""
    clock: str = ""
    """`shared` (hosts share a kernel) or `synchronised`."""
    clock_error_seconds: float = 0.0
    """At most so much may the clocks of two hosts be off: an upper bound."""
    timer_resolution_seconds: float = 0.0
    timer_cost_seconds: float = 0.0
    """Of reading the clock once, which is part of every sample."""
    load: float = 0.0
    """One-minute load average just before the launch."""
    steal_fraction: float = 0.0
    """Share of CPU time that the hypervisor took during the launch."""
    notices: tuple[Notice, ...] = ()
    links: tuple[LinkCounters, ...] = ()
    emulator: EmulatorFigures | None = None
    timelines: tuple[Timeline, ...] = ()
    stage: str = ""
    """Of a search: the stage that asked for the launch."""
    libraries: tuple[Library, ...] = ()
    """What its ranks had loaded, seen from outside; empty where nobody could look, or it ended too soon."""
    transports: str = ""
    """What carried messages (`shm, ofi/tcp`), as the library told a launch that verified data; '' in others."""
    cells_seconds: float = 0.0
    """What all visits to cells took together; the rest of `seconds` is starting and ending. 0: not known."""

    @property
    def implementation(self) -> str:
        """The implementation, or those of all segments with ` + ` between them."""
        return " + ".join(dict.fromkeys(segment.implementation for segment in self.segments))

    @property
    def ranks(self) -> int:
        """The ranks of all segments together."""
        return sum(segment.ranks for segment in self.segments)

    def visits(self) -> dict[tuple[Cell, Quantity], list[Series]]:
        """Return what was measured, one series a visit, in order of time: a launch may visit a cell repeatedly.

        Samples that are not finite are left out, and so are series without any other.
        """
        by_cell: dict[tuple[Cell, Quantity], list[Series]] = {}
        for series in self.series:
            finite = series.samples_seconds[np.isfinite(series.samples_seconds)]
            if finite.size:
                visit = replace(series, samples_seconds=finite)
                by_cell.setdefault((series.cell, series.quantity), []).append(visit)
        return by_cell

    def values(self, quantile: float = 0.5) -> dict[tuple[Cell, Quantity], float]:
        """Return the launch's one value of each cell and quantity: `launch_value` of its visits."""
        return {measured: launch_value(visits, quantile) for measured, visits in self.visits().items()}


def launch_value(visits: Sequence[Series], quantile: float = 0.5) -> float:
    """Return the value that stands for a launch in every statistic: the geometric mean of its visits' medians.

    Visits share the launch's ranks and pages, so they are not observations of their own. The geometric mean, as
    times are compared by ratios: the value's logarithm is the mean of the visits' logarithms, whose variance is
    what `stats.variances` reckons with, and the inverse of a rate's value is the value of the inverses. It has no
    bias by the number of visits, as a median or a minimum of all repetitions has. Another `quantile` takes the
    place of the medians. The arithmetic mean, where one of them is not above 0.
    """
    each = np.array([np.quantile(series.samples_seconds, quantile) for series in visits])
    return float(np.exp(np.mean(np.log(each)))) if each.size > 1 and np.all(each > 0) else float(np.mean(each))


@dataclass(frozen=True, slots=True)
class Plan:
    """What a run sets out to measure, and when it may stop."""

    cells: tuple[Cell, ...]
    seed: int
    time_budget_seconds: float
    precision: float = 0.02
    """Asked relative width: half of the median's 95 % interval over the median."""
    min_launches: int = 10
    max_launches: int = 200
    verify: bool = False
    """Look whether data are right instead of timing."""
    verify_first: bool = False
    """Do that once in each implementation and configuration, before anything is timed."""
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
    kind: RunKind = "compare"
    parent: int = 0
    """The run that this one is part of: a validation's search, a study; 0: none."""
