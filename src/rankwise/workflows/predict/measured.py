"""What a stored run measured, beside what is predicted."""

from __future__ import annotations

import shutil
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from rankwise.analysis.listing import list_cells
from rankwise.analysis.predict.results import Measured
from rankwise.core.errors import InputError
from rankwise.core.flows import Flow as CoreFlow
from rankwise.core.flows import benchmark_of, is_pattern, pattern_of
from rankwise.core.programs import WALL_TIME, Program, stored_program
from rankwise.core.records import FloatArray, Launch, Notice
from rankwise.core.schedule_names import is_schedule, operation_of
from rankwise.simulation.results import Flow, Simulation
from rankwise.store.store import Store
from rankwise.workflows.predict.questions import Collective, Files, Question

LAUNCHING = Notice(
    "launching", "a program's wall time begins with its launcher; the prediction begins when MPI_Init ends",
    r"for short programs compare the seconds that they print: --metric 'Time in seconds = *(\S+)'",
)  # fmt: skip


def sizes_of(store: Path, run_id: int, operation: str) -> tuple[int, ...]:
    """Return the sizes that a run measured of an operation. Raises InputError if it measured none."""
    with Store(store) as opened:
        sizes = {
            cell.size_bytes for cell in opened.plan(run_id).cells if operation_of(cell.benchmark) == operation
        }
    if not sizes:
        raise InputError(f"run {run_id} did not measure {operation}", "rankwise show RUN shows what it measured")
    return tuple(sorted(sizes))


def testbed_of_run(store: Path, run_id: int) -> str:
    """Return the name of the testbed of a run."""
    with Store(store) as opened:
        return opened.run(run_id).testbed


def beside_pattern(store: Path, run_id: int, flows: Sequence[Flow]) -> tuple[Measured, ...]:
    """Return each flow of a pattern as the run measured it, and the time until the last one ended.

    Starts are compared as a benchmark's name has them, to the microsecond. Raises InputError if the run did not
    measure this pattern.
    """
    benchmark = benchmark_of(
        CoreFlow(flow.from_rank, flow.to_rank, flow.size_bytes, flow.start_seconds) for flow in flows
    )  # fmt: skip
    with Store(store) as opened:
        lines = [line for launch in opened.launches(run_id) for line in launch.timelines]
    known: defaultdict[tuple[str, str], list[FloatArray]] = defaultdict(list)
    for line in lines:
        cell = line.cell
        if line.quantity != "flow" or not is_pattern(cell.benchmark):
            continue
        if benchmark_of(pattern_of(cell.benchmark, cell.size_bytes)) == benchmark:
            known[cell.implementation, cell.placement].append(line.times_seconds.reshape(-1, len(flows)))
    if not known:
        raise InputError(
            f"run {run_id} did not measure this pattern",
            f"rankwise show {run_id} shows what it measured; rankwise bench {benchmark[:60]} measures it",
        )
    measured = []
    starts = np.array([flow.start_seconds for flow in flows])
    ours = np.array([flow.end_seconds for flow in flows])
    for (variant, placement), each in known.items():
        rows = np.concatenate(each)
        whole = float(np.median(np.max(rows + starts, axis=1)))
        cells = [("until the last ends", sum(flow.size_bytes for flow in flows), whole, float(ours.max()))]
        cells += [
            (
                f"{flow.from_rank} -> {flow.to_rank}",
                flow.size_bytes,
                float(seconds),
                flow.end_seconds - flow.start_seconds,
            )
            for flow, seconds in zip(flows, np.median(rows, axis=0), strict=True)
        ]
        measured += [
            Measured(variant, name, size, ranks_of_flows(flows), placement, seconds, predicted, "", True)
            for name, size, seconds, predicted in cells
        ]
    return tuple(measured)


def is_of_program(store: Path, run_id: int) -> bool:
    """Return whether a run measured a program as a whole."""
    with Store(store) as opened:
        return opened.run(run_id).kind == "program"


def beside_program(store: Path, run_id: int, question: Files, simulation: Simulation) -> tuple[Measured, ...]:
    """Return what the run found the traced program to take: by the clock, and by metrics that speak of seconds.

    Raises InputError if the run did not measure it, or not on as many ranks.
    """
    if len(question.files) > 1:
        raise InputError("a run has measured one program, not several at the same time", "predict one of them")
    with Store(store) as opened:
        if opened.run(run_id).kind != "program":
            raise InputError(
                f"run {run_id} has measured no program",
                "rankwise compare -n RANKS -- ./app measures one",
            )
        program = stored_program(opened.request(run_id)).program
        launches = opened.launches(run_id)
    traced = question.program
    if traced and not _is_program(program, traced):
        raise InputError(
            f"run {run_id} measured {' '.join(program.arguments)}, and the trace is one of {' '.join(traced)}",
            f"rankwise compare -n RANKS -- {' '.join(traced)} measures it",
        )
    ranks = len(simulation.jobs[0].finish_seconds)
    times = _times(program, launches, ranks)
    if not times:
        typed, names = " ".join(program.arguments), ", ".join(metric.name for metric in program.metrics)
        raise InputError(
            f"run {run_id} has no time of {typed} on {ranks} ranks: looked for launches on so many ranks with a "
            f"value of {names}",
            f"rankwise show {run_id} lists what it measured; rankwise compare -n {ranks} -- {typed} measures it",
        )
    return tuple(
        Measured(
            variant, name, 0, ranks, placement, float(np.median(values)), simulation.total_seconds, "", True,
        )
        for (variant, name, placement), values in times.items()
    )  # fmt: skip


def _times(
    program: Program, launches: Sequence[Launch], ranks: int
) -> dict[tuple[str, str, str], list[float]]:  # fmt: skip
    """Seconds, one value a launch, by variant, metric and placement: the wall time, and metrics that are times."""
    units = {metric.name: metric.unit_seconds for metric in program.metrics}
    times: defaultdict[tuple[str, str, str], list[float]] = defaultdict(list)
    for launch in launches:
        values = {cell: value for (cell, _), value in launch.values().items() if cell.ranks == ranks}
        if values and WALL_TIME not in units:
            cell = next(iter(values))
            times[cell.variant, WALL_TIME, cell.placement].append(launch.seconds)
        for cell, value in values.items():
            if unit := units[cell.benchmark]:
                times[cell.variant, cell.benchmark, cell.placement].append(value * unit)
    return dict(times)


def _is_program(program: Program, traced: Sequence[str]) -> bool:
    """Whether this was traced: files by whatever path they are named, the program also in another folder."""
    first, *others = program.arguments
    same = Path(first).name == Path(traced[0]).name or _file(program, first) == _file(program, traced[0])
    return (
        same
        and len(traced) == len(program.arguments)
        and all(
            argument == other or _file(program, argument) == _file(program, other)
            for argument, other in zip(others, traced[1:], strict=True)
        )
    )


def _file(program: Program, word: str) -> Path | str:
    """The file that a word names, from the folder of the program's start or by PATH; else the word."""
    for path in (Path(program.folder, word), Path(shutil.which(word) or "")):
        if word and path.is_file():
            return path.resolve()
    return word


def ranks_of_flows(flows: Sequence[Flow]) -> int:
    """Return how many ranks the flows take."""
    return 1 + max(max(flow.from_rank, flow.to_rank) for flow in flows)


def beside(
    store: Path, run_id: int, question: Question, ranks: int, totals: Mapping[tuple[str, int], float]
) -> tuple[Measured, ...]:
    """Return the run's cells that were predicted: those of the same operation, size and number of ranks.

    An algorithm is set beside the schedule's own benchmark; the fastest one of each size also beside the MPI's own
    way, whose algorithm is not known. Raises InputError if the run has no such cell.
    """
    if not isinstance(question, Collective):
        raise InputError(
            "a run has measured operations, patterns of messages and programs, no schedule of your own",
            "compare `rankwise predict collective`, `pattern` or `trace` with it",
        )
    with Store(store) as opened:
        known = {benchmark.name: benchmark for benchmark in opened.benchmarks(run_id)}
        rows = list_cells(opened.launches(run_id), known)
    fastest: dict[int, str] = {}
    for (algorithm, size), total in totals.items():
        if size not in fastest or total < totals[fastest[size], size]:
            fastest[size] = algorithm
    measured = []
    for row in rows:
        if row.quantity != "time" or row.ranks != ranks or operation_of(row.benchmark) != question.operation:
            continue
        own = is_schedule(row.benchmark)
        algorithm = row.benchmark.partition(".")[2].partition(":")[0] if own else fastest.get(row.size_bytes, "")
        if (algorithm, row.size_bytes) in totals:
            measured.append(Measured(
                row.implementation, row.benchmark, row.size_bytes, row.ranks, row.placement, row.median_seconds,
                totals[algorithm, row.size_bytes], algorithm, own,
            ))  # fmt: skip
    if not measured:
        raise InputError(
            f"run {run_id} has no {question.operation} of these sizes on {ranks} ranks",
            f"rankwise show {run_id} shows what it measured; give the number of ranks with -n",
        )
    return tuple(sorted(measured, key=lambda cell: (cell.size_bytes, cell.benchmark, cell.variant)))
