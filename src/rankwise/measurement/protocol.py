"""What the harness takes as arguments and says on its standard output (see csrc/harness/emit.c)."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, get_args

import numpy as np

from rankwise.core.launch_output import PROTOCOL_START
from rankwise.core.records import (
    Benchmark,
    Cell,
    CellFailure,
    FailureKind,
    Options,
    Quantity,
    Series,
    Start,
    Timeline,
    TimelineQuantity,
)
from rankwise.core.tuning import Candidate

Candidates = Mapping[str, Candidate]
"""By the labels of the cells that are measured with them; cells of other labels have what the launch loads."""
NO_CANDIDATES: Candidates = {}
END_MARKER = '{"rankwise":"end"'


@dataclass(frozen=True, slots=True)
class Spoken:
    """Everything that one run of the harness said, in records."""

    begun: bool
    ended: bool
    series: tuple[Series, ...]
    failures: tuple[CellFailure, ...]
    verified: tuple[Cell, ...]
    library: str = ""
    clock: str = ""
    clock_error_seconds: float = 0.0
    timer_resolution_seconds: float = 0.0
    timer_cost_seconds: float = 0.0
    timelines: tuple[Timeline, ...] = ()
    cells_seconds: float = 0.0
    ranks: int = 0
    """Of MPI_COMM_WORLD; 0: it did not say."""

    def answers(self) -> Counter[Cell]:
        """Return how many visits of each cell gave an answer of any kind."""
        times = (series.cell for series in self.series if series.quantity in ("time", "metric"))
        return Counter([*times, *(failure.cell for failure in self.failures), *self.verified])


NOTHING = Spoken(begun=False, ended=False, series=(), failures=(), verified=())
"""What a launch has said whose words are worth nothing."""

FEWEST_REPETITIONS = 3
"""In one launch, of cells so slow that no more fit into their time: launches, not repetitions, are the sample."""

FEWEST_IN_BRIEF, WARMUP_IN_BRIEF = 2, 1
"""The same, and operations before them, where every launch compares what has to be compared: over a long link a
visit then takes half as long, and twice as many launches tell more."""


def arguments(
    cells: Sequence[Cell], *, seconds_per_cell: float, limit_seconds: float, yielding: bool, verify: bool,
    from_barrier: bool = False, candidates: Candidates = NO_CANDIDATES, brief: bool = False,
) -> tuple[str, ...]:  # fmt: skip
    """Return the harness's command line for these cells, which must share ranks and options.

    `from_barrier`: repetitions start on leaving a barrier and not at an agreed moment, which ranks that share
    cores often miss. Over a long link they leave the barrier too far apart for that. `brief`: where operations are
    slow warm up and repeat as little as WARMUP_IN_BRIEF and FEWEST_IN_BRIEF say.
    """
    fewest = FEWEST_IN_BRIEF if brief else FEWEST_REPETITIONS
    flags = [
        "--seconds", f"{seconds_per_cell:.6g}", "--min-repetitions", str(fewest),
        "--limit", f"{limit_seconds:g}", *_option_flags(cells[0].options),
    ]  # fmt: skip
    if yielding:
        flags.append("--yield")
    if from_barrier:
        flags += ["--start", "barrier"]
    if brief:
        flags += ["--min-warmup", str(WARMUP_IN_BRIEF)]
    if verify:
        flags.append("--verify")
    for label in _switched(cells, candidates):
        flags += ["--candidate", ",".join(f"{name}={value}" for name, value in candidates[label].variables)]
    names = _names(cells, candidates)
    return (*flags, *(_argument(*names[cell]) for cell in cells))


def _switched(cells: Sequence[Cell], candidates: Candidates) -> tuple[str, ...]:
    """The labels of the candidates of these cells, which the harness counts in this order, from 1 on."""
    labels = dict.fromkeys(cell.label for cell in cells)
    return tuple(label for label in labels if label in candidates and not candidates[label].benchmark)


def _names(cells: Sequence[Cell], candidates: Candidates) -> dict[Cell, tuple[str, int, int]]:
    """The benchmark, size and candidate by which the harness knows each cell."""
    numbers = {label: number for number, label in enumerate(_switched(cells, candidates), 1)}
    less = {label: candidates[label].bytes_less for label in numbers}
    own = {label: candidate.benchmark for label, candidate in candidates.items() if candidate.benchmark}
    return {
        cell: (
            own.get(cell.label, cell.benchmark),
            cell.size_bytes - less.get(cell.label, 0),
            numbers.get(cell.label, 0),
        )
        for cell in cells
    }


def _argument(benchmark: str, size_bytes: int, candidate: int) -> str:
    return f"{benchmark}:{size_bytes}" + (f"@{candidate}" if candidate else "")


def _option_flags(options: Options) -> list[str]:
    flags = [
        "--datatype", options.datatype, "--layout", options.layout, "--operation", options.operation,
        "--root", options.root, "--window", str(options.window),
        "--messages", str(options.messages), "--polls", str(options.polls), "--target", options.target,
    ]  # fmt: skip
    flags += [
        "--groups", str(options.groups), "--threads", str(options.threads), "--sync", options.sync,
        "--topology", options.topology, *(["--in-place"] if options.in_place else []),
    ]  # fmt: skip
    if options.folder:
        flags += ["--folder", options.folder]
    if options.congestion_control:
        flags += ["--congestion-control", options.congestion_control]
    return [*flags, "--cold-cache"] if options.cold_cache else flags


def parse_list(output: str) -> tuple[Benchmark, ...]:
    """Return the benchmarks that `--list` names. Raises ValueError if it names none."""
    for message in _messages(output):
        if message["rankwise"] == "list":
            return tuple(Benchmark(**fields) for fields in message["benchmarks"])
    raise ValueError("no list of benchmarks in the harness's output")


def parse_run(output: str, cells: Sequence[Cell], candidates: Candidates = NO_CANDIDATES) -> Spoken:
    """Return the records in a run's output.

    `cells` are those asked for, known by benchmark, size and candidate: no two may share all three.
    """
    cells_by_name = {name: cell for cell, name in _names(cells, candidates).items()}
    begin: dict[str, Any] = {}
    end: dict[str, Any] = {}
    series: list[Series] = []
    failures: list[CellFailure] = []
    verified: list[Cell] = []
    timelines: list[Timeline] = []
    for message in _messages(output):
        kind = message["rankwise"]
        cell = cells_by_name.get(_known_by(message))
        if kind == "begin":
            begin = message
        if kind == "end":
            end = message
        if cell is None or kind in ("begin", "end"):
            continue
        try:
            if kind == "series":
                series.append(_series(cell, message))
            elif kind == "timeline":
                timelines.append(_timeline(cell, message))
            elif kind == "failure":
                failures.append(_failure(cell, message))
            elif kind == "verified":
                verified.append(cell)
        except (KeyError, TypeError, ValueError, OverflowError) as error:
            failures.append(CellFailure(cell, f"invalid harness output: {error!r}"))
    return Spoken(
        begun=bool(begin), ended=bool(end), series=tuple(series), failures=tuple(failures),
        verified=tuple(verified), library=str(begin.get("library", "")),
        clock=str(begin.get("clock", "")),
        clock_error_seconds=max(_seconds(said.get("clock_error_seconds")) for said in (begin, end)),
        timer_resolution_seconds=_seconds(begin.get("timer_resolution_seconds")),
        timer_cost_seconds=_seconds(begin.get("timer_cost_seconds")), timelines=tuple(timelines),
        cells_seconds=_seconds(end.get("cells_seconds")), ranks=max(_whole(begin.get("ranks", 0)), 0),
    )  # fmt: skip


def _series(cell: Cell, message: dict[str, Any]) -> Series:
    samples = np.asarray(message["samples_seconds"], dtype=np.float64)
    if samples.ndim != 1 or not np.all(np.isfinite(samples) & (samples >= 0)):
        raise ValueError("samples that are not times")
    if message["quantity"] not in get_args(Quantity):
        raise ValueError(f"the quantity {message['quantity']!r}")
    if message.get("start", "") not in get_args(Start):
        raise ValueError(f"the start {message['start']!r}")
    return Series(
        cell=cell,
        quantity=message["quantity"],
        samples_seconds=samples,
        bytes_per_sample=float(message["bytes_per_sample"]),
        batch=int(message["batch"]),
        messages_per_operation=int(message.get("messages_per_operation", 1)),
        discarded=int(message["discarded"]),
        start=message.get("start", ""),
    )


def _failure(cell: Cell, message: dict[str, Any]) -> CellFailure:
    if message["kind"] not in get_args(FailureKind):
        raise ValueError(f"the kind of failure {message['kind']!r}")
    return CellFailure(cell, str(message["reason"]), message["kind"])


def _known_by(message: dict[str, Any]) -> tuple[str, int, int]:
    """The benchmark, the size and the candidate of a record."""
    size_bytes, candidate = _whole(message.get("size_bytes")), _whole(message.get("candidate", 0))
    return str(message.get("benchmark", "")), size_bytes, candidate


def _whole(value: Any) -> int:
    return value if isinstance(value, int) else -1


def _seconds(value: Any) -> float:
    """A time, 0 where none that makes sense was said."""
    return float(value) if isinstance(value, int | float) and 0 <= value < 1e9 else 0.0


def _timeline(cell: Cell, message: dict[str, Any]) -> Timeline:
    times = np.asarray(message["times_seconds"], dtype=np.float64)
    values = np.asarray(message["values"], dtype=np.float64)
    if times.ndim != 1 or times.shape != values.shape or message["quantity"] not in get_args(TimelineQuantity):
        raise ValueError("a timeline with unequal numbers of times and values")
    return Timeline(cell=cell, quantity=message["quantity"], times_seconds=times, values=values)


def _messages(output: str) -> Iterator[dict[str, Any]]:
    """Every line that is the harness's; a line cut off by a kill, and what launchers say between, is left out."""
    for line in output.splitlines():
        if line.startswith(PROTOCOL_START):
            try:
                message = json.loads(line)
            except (ValueError, RecursionError):
                continue
            if isinstance(message, dict):
                yield message
