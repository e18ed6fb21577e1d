"""Results that other benchmarks have written: read, and stored as a run beside our own."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from rankwise.core.errors import InputError
from rankwise.core.peers import category_of
from rankwise.core.records import Benchmark, Cell, Implementation, Launch, Plan, Segment, Series
from rankwise.store import logs
from rankwise.store.logs import LogResult
from rankwise.store.store import Store


@dataclass(frozen=True, slots=True)
class ImportRequest:
    """Which logs are to be read."""

    files: tuple[Path, ...]
    command_line: str
    name: str = ""
    """What stands in place of the implementation; '': each file's own name."""
    ranks: int = 2
    """Of OSU's logs, which do not tell theirs."""


@dataclass(frozen=True, slots=True)
class Imported:
    """What came of it."""

    run_id: int
    results: int


def import_logs(request: ImportRequest, store: Path) -> Imported:
    """Read logs of OSU and IMB and store them as one run of the kind `import`.

    Raises InputError for a file that cannot be read or holds no results.
    """
    found: dict[str, tuple[LogResult, ...]] = {}
    for file in request.files:
        name = request.name or file.name
        found[name] = (*found.get(name, ()), *_read(file, request.ranks))
    launches = [launch for name, results in found.items() for launch in _launches(name, results, request)]
    cells = tuple(dict.fromkeys(series.cell for launch in launches for series in launch.series))
    names = dict.fromkeys(cell.benchmark for cell in cells)
    with Store(store) as opened:
        run_id = opened.begin_run(
            request.command_line, "elsewhere", Plan(cells, seed=0, time_budget_seconds=0.0), kind="import",
            implementations=[_implementation(name) for name in found],
            benchmarks=[Benchmark(name, category_of(name), "imported") for name in names],
        )  # fmt: skip
        for launch in launches:
            opened.add_launch(run_id, launch)
        opened.finish_run(run_id, "complete", "imported")
    return Imported(run_id, sum(map(len, found.values())))


def _read(file: Path, ranks: int) -> tuple[LogResult, ...]:
    try:
        text = file.read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise InputError(f"cannot read {file}: {error.strerror}", "name a file that can be read") from error
    results = logs.read(text, ranks)
    if not results:
        raise InputError(
            f"{file} holds no results of the OSU micro-benchmarks or the Intel MPI Benchmarks",
            "give the benchmark's whole output, with its lines that begin with #",
        )
    return results


def _implementation(name: str) -> Implementation:
    return Implementation(name, "import", "", "", "", "", source="import", status="works")


def _launches(name: str, results: Sequence[LogResult], request: ImportRequest) -> list[Launch]:
    """One for each number of ranks; every result is a single sample, for means are all that is known."""
    by_ranks: defaultdict[int, dict[tuple[Cell, str], Series]] = defaultdict(dict)
    for one in results:
        cell = Cell(name, one.benchmark, one.size_bytes, one.ranks, testbed="elsewhere")
        samples = np.array([one.seconds])
        by_ranks[one.ranks][cell, one.quantity] = Series(cell, one.quantity, samples, one.bytes_per_sample)
    written_at = max(file.stat().st_mtime for file in request.files)
    return [
        Launch(
            (Segment(name, ranks),), "finished", request.command_line, (), written_at, 0.0,
            series=tuple(series.values()),
        )
        for ranks, series in sorted(by_ranks.items())
    ]  # fmt: skip
