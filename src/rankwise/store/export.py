"""Writes a run as a tidy table, for other tools: one row a sample, a launch and cell, a moment, or a link.

Launches are read and written one by one, so that a run of any size fits into memory.
"""

from __future__ import annotations

import contextlib
import csv
import io
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from rankwise.core.errors import HostError
from rankwise.core.network import EmulatorFigures, LinkCounters
from rankwise.core.records import Cell, Launch, Options, Series, launch_value
from rankwise.core.whole_files import written_beside
from rankwise.store import rows
from rankwise.store.store import Store

Format = Literal["csv", "jsonl", "parquet"]

_OWN = {"run": int, "launch": int, "started_at": float, "version": str}
_CELL = {**rows.columns(Cell), **rows.columns(Options), "quantity": str}
_SERIES = {"batch": int, "bytes_per_sample": float, "start": str}
_SAMPLE = {"repetition": int, "seconds": float}
_MEDIAN = {"samples": int, "median_seconds": float, "min_seconds": float, "max_seconds": float}
_MOMENT = {"time_seconds": float, "value": float}
_OUTPUT = {"status": str, "reason": str, "stdout": str, "stderr": str}
_COUNTERS = {name: kind for name, kind in rows.columns(LinkCounters).items() if kind is int}


@dataclass(frozen=True, slots=True)
class _Chunk:
    """Rows with much in common: `fixed` is the same in all of them, `varying` has an array of numbers a column."""

    fixed: dict[str, Any]
    varying: dict[str, npt.NDArray[Any]]

    def rows(self) -> Iterator[tuple[Any, ...]]:
        """Yield the varying part of each row, as plain numbers."""
        return zip(*(column.tolist() for column in self.varying.values()), strict=True)


class Table:
    """The rows of one run, launch by launch; `medians`: one row a launch, cell and quantity.

    Columns: run, launch (1 is the run's first), started_at (seconds since the epoch), version (of the
    implementation), the fields of the cell and its options, quantity, batch, bytes_per_sample, start; then
    repetition (from 0, in the order measured) and seconds, or samples, median_seconds, min_ and max_seconds.
    """

    def __init__(self, store: Store, run_id: int, *, medians: bool = False) -> None:
        self._store = store
        self._run_id = run_id
        self._medians = medians
        self.columns: dict[str, type] = {**_OWN, **_CELL, **_SERIES, **(_MEDIAN if medians else _SAMPLE)}

    def launches(self) -> Iterator[list[_Chunk]]:
        """Yield the chunks of each launch that has any."""
        versions = {
            implementation.id: implementation.version
            for implementation in self._store.implementations(self._run_id)
        }
        for number, launch in enumerate(self._store.iter_launches(self._run_id), start=1):
            own = {
                "run": self._run_id,
                "launch": number,
                "started_at": launch.started_at,
                "version": " + ".join(versions.get(segment.implementation, "") for segment in launch.segments),
            }
            chunks = self._chunks(own, launch, versions)
            if chunks:
                yield chunks

    def _chunks(self, own: dict[str, Any], launch: Launch, versions: Mapping[str, str]) -> list[_Chunk]:
        if self._medians:
            return [
                self._chunk(own | _version(cell, versions), visits[0], _in_short(visits))
                for (cell, _), visits in launch.visits().items()
            ]
        return [
            self._chunk(
                own | _version(series.cell, versions), series,
                {"repetition": np.arange(series.samples_seconds.size), "seconds": series.samples_seconds},
            )
            for series in launch.series
            if series.samples_seconds.size
        ]  # fmt: skip

    def _chunk(self, own: dict[str, Any], series: Series, varying: dict[str, npt.NDArray[Any]]) -> _Chunk:
        fixed = own | rows.cell_values(series.cell) | rows.values(series)
        return _Chunk({name: fixed[name] for name in {**_OWN, **_CELL, **_SERIES}}, varying)


def _in_short(visits: Sequence[Series]) -> dict[str, npt.NDArray[Any]]:
    samples = np.concatenate([visit.samples_seconds for visit in visits])
    numbers = (samples.size, launch_value(visits), samples.min(), samples.max())
    return {name: np.array([number]) for name, number in zip(_MEDIAN, numbers, strict=True)}


class TimelineTable(Table):
    """What the kernel said of TCP connections: one row a moment.

    Columns: run, launch, started_at, version, the fields of the cell and its options, quantity; then
    time_seconds since the cell's first message, and the value (bytes, seconds or a count).
    """

    def __init__(self, store: Store, run_id: int) -> None:
        super().__init__(store, run_id)
        self.columns = {**_OWN, **_CELL, **_MOMENT}

    def _chunks(self, own: dict[str, Any], launch: Launch, versions: Mapping[str, str]) -> list[_Chunk]:
        return [
            _Chunk(
                own | _version(timeline.cell, versions) | rows.cell_values(timeline.cell) | rows.values(timeline),
                {"time_seconds": timeline.times_seconds, "value": timeline.values},
            )
            for timeline in launch.timelines
            if timeline.times_seconds.size
        ]


class OutputTable(Table):
    """What launches printed beside their results: one row a launch.

    Columns: run, launch, started_at, version, implementation, ranks, status, reason, stdout, stderr, seconds.
    """

    def __init__(self, store: Store, run_id: int) -> None:
        super().__init__(store, run_id)
        self.columns = {**_OWN, "implementation": str, "ranks": int, **_OUTPUT, "seconds": float}

    def _chunks(self, own: dict[str, Any], launch: Launch, versions: Mapping[str, str]) -> list[_Chunk]:
        fixed = own | {"implementation": launch.implementation, "ranks": launch.ranks}
        printed = {name: getattr(launch, name) for name in _OUTPUT}
        return [_Chunk(fixed | printed, {"seconds": np.array([launch.seconds])})]


class LinkTable(Table):
    """What went over the links: one row a launch and direction of a link.

    Columns: run, launch, started_at, version, implementation, ranks; the emulator's figures for the whole
    launch; the link and its counters. Without an emulator its figures are nan, those that are no floats null.
    """

    def __init__(self, store: Store, run_id: int) -> None:
        super().__init__(store, run_id)
        job = {"implementation": str, "ranks": int}
        self.columns = {**_OWN, **job, **rows.columns(EmulatorFigures), "link": str, **_COUNTERS}

    def _chunks(self, own: dict[str, Any], launch: Launch, versions: Mapping[str, str]) -> list[_Chunk]:
        if launch.emulator is not None:
            figures = rows.values(launch.emulator)
        else:
            kinds = rows.columns(EmulatorFigures)
            figures = {name: math.nan if kind is float else None for name, kind in kinds.items()}
        fixed = own | {"implementation": launch.implementation, "ranks": launch.ranks} | figures
        return [
            _Chunk(
                fixed | {"link": counters.link}, {name: np.array([getattr(counters, name)]) for name in _COUNTERS}
            )
            for counters in launch.links
        ]


def write_text(text: str, target: Path | io.TextIOBase) -> None:
    """Write a text to a file, which appears whole or not at all, or to an open stream. Raises HostError."""
    if not isinstance(target, Path):
        target.write(text)
        return
    with _translated(target), _appearing_whole(target) as path:
        path.write_text(text, encoding="utf-8")


def _version(cell: Cell, versions: Mapping[str, str]) -> dict[str, str]:
    """Of the cell's own implementation, in a launch of several too."""
    return {"version": versions.get(cell.implementation, "")}


def export(table: Table, kind: Format, target: Path | io.TextIOBase) -> None:
    """Write the table to a file, which appears whole or not at all, or as text to an open stream.

    Raises HostError if the file cannot be written, or if Parquet is asked for without pyarrow. Parquet needs
    a path.
    """
    if not isinstance(target, Path):
        _write_text(table, kind, target)
        return
    with _translated(target), _appearing_whole(target) as path:
        if kind == "parquet":
            _write_parquet(table, path)
        else:
            with path.open("w", encoding="utf-8", newline="") as stream:
                _write_text(table, kind, stream)


@contextlib.contextmanager
def _translated(target: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        reason = error.strerror or str(error)
        raise HostError(f"cannot write {target}: {reason}", "name another file with -o") from error


@contextlib.contextmanager
def _appearing_whole(target: Path) -> Iterator[Path]:
    """A file beside the target that takes its place on success; a device or a pipe is written directly."""
    target = target.resolve()
    if target.exists() and not target.is_file():
        yield target
        return
    with written_beside(target) as beside:
        yield beside


def _write_text(table: Table, kind: Format, stream: io.TextIOBase) -> None:
    if kind == "csv":
        stream.write(_csv_line(list(table.columns)) + "\n")
    for chunks in table.launches():
        for chunk in chunks:
            stream.writelines(_csv_lines(chunk) if kind == "csv" else _json_lines(chunk))


def _csv_lines(chunk: _Chunk) -> Iterator[str]:
    fixed = _csv_line(list(chunk.fixed.values()))
    for row in chunk.rows():
        yield f"{fixed},{','.join(map(repr, row))}\n"


def _csv_line(cells: list[Any]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\r\n").writerow(cells)  # of which fields with either are quoted
    return text.getvalue().removesuffix("\r\n")


def _json_lines(chunk: _Chunk) -> Iterator[str]:
    fixed = json.dumps({name: _finite(value) for name, value in chunk.fixed.items()})
    names = list(chunk.varying)
    for row in chunk.rows():
        varying = json.dumps(dict(zip(names, map(_finite, row), strict=True)))
        yield f"{fixed[:-1]}, {varying[1:]}\n"


def _finite(value: Any) -> Any:
    """JSON has no word for nan and infinity: null."""
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _write_parquet(table: Table, path: Path) -> None:
    try:
        import pyarrow as arrow  # noqa: PLC0415 - optional and large
        from pyarrow import parquet  # noqa: PLC0415
    except ImportError as error:
        raise HostError("Parquet is written by pyarrow, which is not installed", _PYARROW) from error
    types = {int: arrow.int64(), float: arrow.float64(), str: arrow.string(), bool: arrow.bool_()}
    schema = arrow.schema([(name, types[kind]) for name, kind in table.columns.items()])

    def batch(chunk: _Chunk) -> Any:
        length = len(next(iter(chunk.varying.values())))
        fixed = {
            name: arrow.repeat(arrow.scalar(value, schema.field(name).type), length)
            for name, value in chunk.fixed.items()
        }
        return arrow.record_batch(fixed | chunk.varying, schema=schema)

    with parquet.ParquetWriter(path, schema) as writer:
        for chunks in table.launches():
            writer.write_table(arrow.Table.from_batches([batch(chunk) for chunk in chunks]))


_PYARROW = "pip install 'rankwise[parquet]', or export as csv or jsonl"
