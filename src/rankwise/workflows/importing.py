"""Results that other benchmarks have written: read, and stored as a run like our own."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from rankwise.core.errors import InputError
from rankwise.core.peers import category_of
from rankwise.core.records import (
    Benchmark,
    Cell,
    CellFailure,
    Implementation,
    Launch,
    Notice,
    Options,
    Plan,
    Quantity,
    Segment,
    Series,
)
from rankwise.store import logs
from rankwise.store.logs import Log, LogResult
from rankwise.store.store import Store

_NAMED_LINES = 3
"""Line numbers that a notice lists."""


@dataclass(frozen=True, slots=True)
class LogFile:
    """A log, and what its results are called."""

    path: Path
    name: str = ""
    """'': by the file's own name."""


@dataclass(frozen=True, slots=True)
class ImportRequest:
    """Which logs are to be read."""

    files: tuple[LogFile, ...]
    command_line: str
    ranks: int = 0
    """Of OSU's results where the log does not give them."""


@dataclass(frozen=True, slots=True)
class Imported:
    """What came of it."""

    run_id: int
    results: int
    launches: int
    notices: tuple[Notice, ...] = ()
    """What was not used, and data that are wrong."""


def import_logs(request: ImportRequest, store: Path) -> Imported:
    """Read logs of OSU and IMB and store them as one run of the kind `import`.

    Each block of results counts as one launch of what its file is called: several blocks of the same kind, in one
    file or in several of one name, are several launches. Raises InputError for a file that cannot be read or holds
    no results.
    """
    read = [_read(file.path, request.ranks) for file in request.files]
    named: defaultdict[str, list[Log]] = defaultdict(list)
    for file, own, log in zip(
        request.files, _own_names([log_file.path for log_file in request.files]), read, strict=True
    ):
        named[file.name or own].append(log)
    launches = [launch for name, own_logs in named.items() for launch in _launches(name, own_logs, request)]
    cells = tuple(dict.fromkeys(cell for launch in launches for cell in _cells(launch)))
    variants = dict.fromkeys(cell.implementation for cell in cells)
    names = dict.fromkeys(cell.benchmark for cell in cells)
    notices = tuple(notice for log in read for notice in _notices(log))
    with Store(store) as opened:
        run_id = opened.begin_run(
            request.command_line, "elsewhere", Plan(cells, seed=0, time_budget_seconds=0.0), kind="import",
            implementations=[_implementation(name) for name in variants],
            benchmarks=[Benchmark(name, category_of(name), "imported") for name in names],
        )  # fmt: skip
        for launch in launches:
            opened.add_launch(run_id, launch)
        opened.add_notices(run_id, notices)
        opened.finish_run(run_id, "complete", "imported")
    return Imported(
        run_id, sum(not result.wrong for log in read for result in log.results), len(launches), notices
    )


def _read(file: Path, ranks: int) -> Log:
    log = logs.read(logs.lines_of(file), str(file), ranks)
    if not log.results:
        like = logs.looks_like(file)
        unused = "; ".join(f"line {lines[0]}: {why}" for why, lines in list(log.unused.items())[:_NAMED_LINES])
        raise InputError(
            f"{file}:1: no results of the OSU micro-benchmarks or the Intel MPI Benchmarks"
            + (f"; it looks like {like}" if like else "") + (f"; {unused}" if unused else ""),
            "give the benchmark's whole output, with its lines that begin with #",
        )  # fmt: skip
    return log


def _own_names(files: Sequence[Path]) -> list[str]:
    """The files' names; where several have one, with as much of their paths as makes them unique.

    Raises InputError for a file that is there twice.
    """
    parts = [file.resolve().parts for file in files]
    if len(set(parts)) < len(parts):
        raise InputError("a file is given twice", "its results would count as two launches: give it once")
    names = [file.name for file in files]
    for length in range(2, max(map(len, parts), default=0) + 1):
        names = [
            "/".join(own[-length:]) if names.count(name) > 1 else name
            for name, own in zip(names, parts, strict=True)
        ]
    return names


def _notices(log: Log) -> Iterable[Notice]:
    wrong = [result for result in log.results if result.wrong]
    if wrong:
        yield Notice(
            "import-wrong", f"{log.file}: the data of {len(wrong)} results are wrong: {wrong[0].wrong}",
            "they are left out; see the benchmark's own output",
        )  # fmt: skip
    for why, lines in log.unused.items():
        shown = ", ".join(map(str, lines[:_NAMED_LINES])) + (", ..." if len(lines) > _NAMED_LINES else "")
        yield Notice("import-unused", f"{log.file}:{shown}: not used: {why}", "see docs/formats.md")


def _implementation(name: str) -> Implementation:
    return Implementation(name, "import", "", "", "", "", source="import", status="works")


def _cells(launch: Launch) -> list[Cell]:
    return [*(series.cell for series in launch.series), *(failure.cell for failure in launch.failures)]


def _launches(name: str, own_logs: Sequence[Log], request: ImportRequest) -> list[Launch]:
    """One for each run of a kind of block; each result is a single sample, for means are all that is known."""
    blocks: defaultdict[tuple[str, str, int, Options], list[tuple[int, int]]] = defaultdict(list)
    series: defaultdict[tuple[str, int, Options, int], list[tuple[Cell, Quantity, LogResult]]] = defaultdict(list)
    for number, log in enumerate(own_logs):
        for result in log.results:
            runs = blocks[result.kind]
            if runs[-1:] != [(number, result.block)]:
                runs.append((number, result.block))
            whose = f"{name}: {result.variant}" if result.variant else name
            cell = Cell(
                whose, result.benchmark, result.size_bytes, result.ranks, result.options, testbed="elsewhere"
            )
            series[whose, result.ranks, result.options, len(runs)].append((cell, result.quantity, result))
    written_at = max(file.path.stat().st_mtime for file in request.files)
    return [
        Launch(
            (Segment(whose, ranks),), "finished", request.command_line, (), written_at, 0.0,
            series=tuple(
                Series(cell, quantity, np.array([log_result.seconds]), log_result.bytes_per_sample)
                for cell, quantity, log_result in of_launch
                if not log_result.wrong
            ),
            failures=tuple(
                CellFailure(cell, log_result.wrong, "wrong data")
                for cell, _, log_result in of_launch
                if log_result.wrong
            ),
        )
        for (whose, ranks, _, _), of_launch in sorted(series.items(), key=lambda item: item[0])
    ]  # fmt: skip
