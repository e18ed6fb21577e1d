"""The rows of launches: series of samples, failures, notices; what they saw of the network is in networks.py."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable

from rankwise.core.records import CellFailure, Launch, Library, Notice, Segment, Series
from rankwise.store import networks, rows
from rankwise.store.runs import CellIds


def write_launch(connection: sqlite3.Connection, run_id: int, launch: Launch) -> None:
    """Insert a launch with everything in it."""
    ids = CellIds(connection, run_id)
    launch_id = rows.insert(connection, "launch", {"run_id": run_id, **rows.values(launch)})
    own = {"launch_id": launch_id}
    rows.insert_list(connection, "segment", own, map(rows.values, launch.segments))
    variables = ({"name": name, "value": value} for name, value in launch.environment)
    rows.insert_list(connection, "launch_environment", own, variables)
    rows.insert_list(connection, "launch_library", own, map(rows.values, launch.libraries))
    series = (
        {"cell_id": ids[visit.cell], "samples_seconds": rows.to_blob(visit.samples_seconds), **rows.values(visit)}
        for visit in launch.series
    )
    rows.insert_list(connection, "series", own, series)
    rows.insert_list(connection, "verified", own, ({"cell_id": ids[cell]} for cell in launch.verified))
    for failure in launch.failures:
        row = {"run_id": run_id, **own, "cell_id": ids[failure.cell], **rows.values(failure)}
        rows.insert(connection, "failure", row)
    write_notices(connection, run_id, launch.notices, launch_id)
    networks.write_traffic(connection, ids, launch_id, launch)


def write_failures(connection: sqlite3.Connection, run_id: int, failures: Iterable[CellFailure]) -> None:
    """Insert what failed before any launch."""
    ids = CellIds(connection, run_id)
    for failure in failures:
        row = {"run_id": run_id, "cell_id": ids[failure.cell], **rows.values(failure)}
        rows.insert(connection, "failure", row)


def write_notices(
    connection: sqlite3.Connection, run_id: int, notices: Iterable[Notice], launch_id: int | None = None
) -> None:
    """Insert notices of a launch, or of the run as a whole (`launch_id` None)."""
    for notice in notices:
        rows.insert(connection, "notice", {"run_id": run_id, "launch_id": launch_id, **rows.values(notice)})


def launch_ids(connection: sqlite3.Connection, run_id: int) -> list[int]:
    """Return the ids of a run's launches, in the order they were stored."""
    id_rows = connection.execute("SELECT id FROM launch WHERE run_id = ? ORDER BY id", [run_id]).fetchall()
    return [row["id"] for row in id_rows]


def read_launch(connection: sqlite3.Connection, launch_id: int) -> Launch | None:
    """Return the launch exactly as it was stored; None if it was deleted meanwhile."""
    row = connection.execute("SELECT * FROM launch WHERE id = ?", [launch_id]).fetchone()
    if row is None:
        return None
    variables = connection.execute(
        "SELECT name, value FROM launch_environment WHERE launch_id = ? ORDER BY position", [launch_id]
    ).fetchall()
    segments = connection.execute(
        "SELECT * FROM segment WHERE launch_id = ? ORDER BY position", [launch_id]
    ).fetchall()
    libraries = connection.execute(
        "SELECT * FROM launch_library WHERE launch_id = ? ORDER BY position", [launch_id]
    ).fetchall()
    series = _with_cells(connection, "series", launch_id, "position")
    verified = _with_cells(connection, "verified", launch_id, "position")
    timelines = _with_cells(connection, "timeline", launch_id, "position")
    return rows.build(
        Launch,
        row,
        segments=tuple(rows.build(Segment, segment) for segment in segments),
        environment=tuple((variable["name"], variable["value"]) for variable in variables),
        series=tuple(
            rows.build(
                Series,
                visit,
                cell=rows.build_cell(visit),
                samples_seconds=rows.from_blob(visit["samples_seconds"]),
            )
            for visit in series
        ),
        verified=tuple(map(rows.build_cell, verified)),
        failures=_failures(_with_cells(connection, "failure", launch_id, "failure.id")),
        notices=_notices(
            connection.execute("SELECT * FROM notice WHERE launch_id = ? ORDER BY id", [launch_id]).fetchall()
        ),
        links=networks.read_links(connection, launch_id),
        emulator=networks.read_emulator(connection, launch_id),
        timelines=tuple(map(networks.build_timeline, timelines)),
        libraries=tuple(rows.build(Library, library) for library in libraries),
    )


def read_failures(connection: sqlite3.Connection, run_id: int) -> tuple[CellFailure, ...]:
    """Return what failed before any launch."""
    return _failures(
        connection.execute(
            "SELECT * FROM cell JOIN failure ON failure.cell_id = cell.id "
            "WHERE failure.run_id = ? AND launch_id IS NULL ORDER BY failure.id",
            [run_id],
        ).fetchall()
    )


def read_notices(connection: sqlite3.Connection, run_id: int) -> tuple[Notice, ...]:
    """Return the notices about the run as a whole."""
    return _notices(
        connection.execute(
            "SELECT * FROM notice WHERE run_id = ? AND launch_id IS NULL ORDER BY id", [run_id]
        ).fetchall()
    )


def _with_cells(connection: sqlite3.Connection, table: str, launch_id: int, order: str) -> list[sqlite3.Row]:
    return connection.execute(
        f"SELECT * FROM cell JOIN {table} ON {table}.cell_id = cell.id WHERE launch_id = ? ORDER BY {order}",
        [launch_id],
    ).fetchall()


def _failures(failure_rows: Iterable[sqlite3.Row]) -> tuple[CellFailure, ...]:
    return tuple(rows.build(CellFailure, row, cell=rows.build_cell(row)) for row in failure_rows)


def _notices(notice_rows: Iterable[sqlite3.Row]) -> tuple[Notice, ...]:
    return tuple(rows.build(Notice, row) for row in notice_rows)
