"""Stored runs: list, delete, and export them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from io import TextIOBase
from pathlib import Path
from typing import Literal, cast, get_args

from rankwise.analysis.listing import list_cells
from rankwise.core.errors import InputError
from rankwise.core.records import RunSummary
from rankwise.report import peer_logs
from rankwise.store.export import Format as TableFormat
from rankwise.store.export import LinkTable, OutputTable, Table, TimelineTable, write_text
from rankwise.store.export import export as export_table
from rankwise.store.store import Store

__all__ = ["FORMATS", "ExportRequest", "Format", "Rows", "delete", "export", "get", "runs"]

Format = TableFormat | Literal["osu", "imb"]
"""Of tables, or the layout of another benchmark's log."""
FORMATS: tuple[Format, ...] = (*get_args(TableFormat), "osu", "imb")
Rows = Literal["samples", "timelines", "links", "output"]
"""What a row of an export is: a sample, a moment of a TCP connection, a launch and link, or a launch."""


@dataclass(frozen=True, slots=True)
class ExportRequest:
    """What is to be exported, and how."""

    run: int | None = None
    """None: the newest."""
    format: Format = "csv"
    rows: Rows = "samples"
    medians: bool = False
    """One row a launch and cell, not one a sample."""


def runs(store: Path | None = None) -> list[RunSummary]:
    """Return the stored runs, oldest first. Raises InputError if there is no such store."""
    with Store(store, create=False) as opened:
        return opened.runs()


def get(run_ids: Sequence[int], store: Path | None = None) -> list[RunSummary]:
    """Return these runs, each once. Raises UnknownNameError for one that is not stored."""
    with Store(store, create=False) as opened:
        return [opened.run(run_id) for run_id in dict.fromkeys(run_ids)]


def delete(run_ids: Sequence[int], store: Path | None = None) -> None:
    """Delete these runs with all their samples. Raises InputError for one that is being measured."""
    with Store(store, create=False) as opened:
        for run_id in run_ids:
            opened.delete(run_id)


def export(request: ExportRequest, target: Path | TextIOBase, store: Path | None = None) -> None:
    """Write a run as one tidy table; a file appears whole or not at all.

    Raises InputError for what does not go together, HostError if it cannot be written.
    """
    if request.medians and request.rows != "samples":
        raise InputError(
            f"--medians is for samples, not for {request.rows}", f"leave out --medians or --rows {request.rows}"
        )
    if request.format == "parquet" and not isinstance(target, Path):
        raise InputError("Parquet cannot be written to standard output", "name a file with -o FILE.parquet")
    with Store(store, create=False) as opened:
        run_id = opened.run(request.run).id
        if request.format not in get_args(TableFormat):
            write_text(_listing(opened, run_id, request), target)
            return
        if request.rows == "samples":
            table = Table(opened, run_id, medians=request.medians)
        else:
            table = _TABLES[request.rows](opened, run_id)
        export_table(table, cast("TableFormat", request.format), target)


_TABLES: dict[str, Callable[[Store, int], Table]] = {
    "timelines": TimelineTable, "links": LinkTable, "output": OutputTable,
}  # fmt: skip


def _listing(store: Store, run_id: int, request: ExportRequest) -> str:
    """The run as a log of OSU or IMB; only times are in such logs."""
    if request.rows != "samples":
        raise InputError(f"logs of OSU and IMB have no {request.rows}", f"leave out --rows {request.rows}")
    known = {benchmark.name: benchmark for benchmark in store.benchmarks(run_id)}
    return peer_logs.text_of(list_cells(store.launches(run_id), known), request.format)
