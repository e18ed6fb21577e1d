"""The rows of a run: its plan, implementations, benchmarks, provenance, and how it stands."""

from __future__ import annotations

import math
import os
import platform
import sqlite3
import time
from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

from rankwise.core import process
from rankwise.core.records import Benchmark, Cell, Fact, Implementation, Plan, RunSummary
from rankwise.store import rows

QUIET_SECONDS = 600.0
"""A run of another host counts as interrupted after this long without a launch, beyond a launch's limit."""


def owner() -> dict[str, Any]:
    """Return the columns that say that this process measures a run from now on."""
    return {
        "owner_host": platform.node(),
        "owner_process": process.identity(os.getpid()),
        "owner_since": time.time(),
    }


def write_plan(connection: sqlite3.Connection, run: Mapping[str, Any], plan: Plan) -> int:
    """Insert the run with these columns and its plan; return the run's id."""
    run_id = rows.insert(connection, "run", {**run, **rows.values(plan), "seed": str(plan.seed)})
    arguments = ({"argument": argument} for argument in plan.launcher_arguments)
    rows.insert_list(connection, "launcher_argument", {"run_id": run_id}, arguments)
    for position, cell in enumerate(plan.cells):
        rows.insert(connection, "cell", {"run_id": run_id, "plan_position": position, **rows.cell_values(cell)})
    return run_id


def read_plan(connection: sqlite3.Connection, run_id: int) -> Plan:
    """Return the whole plan, as it was begun."""
    run = connection.execute("SELECT * FROM run WHERE id = ?", [run_id]).fetchone()
    arguments = _list(connection, "launcher_argument", run_id)
    cells = connection.execute(
        "SELECT * FROM cell WHERE run_id = ? AND plan_position IS NOT NULL ORDER BY plan_position", [run_id]
    ).fetchall()
    return rows.build(
        Plan,
        run,
        cells=tuple(map(rows.build_cell, cells)),
        launcher_arguments=tuple(row["argument"] for row in arguments),
    )


class CellIds:
    """The ids of a run's cells; a cell that was not planned is inserted when it is asked for."""

    def __init__(self, connection: sqlite3.Connection, run_id: int) -> None:
        self._connection = connection
        self._run_id = run_id
        cell_rows = connection.execute("SELECT * FROM cell WHERE run_id = ?", [run_id]).fetchall()
        self._ids: dict[Cell, int] = {rows.build_cell(row): row["id"] for row in cell_rows}

    def __getitem__(self, cell: Cell) -> int:
        if cell not in self._ids:
            self._ids[cell] = rows.insert(
                self._connection, "cell", {"run_id": self._run_id, **rows.cell_values(cell)}
            )
        return self._ids[cell]


def write_implementations(
    connection: sqlite3.Connection, run_id: int, implementations: Iterable[Implementation]
) -> None:
    """Insert the implementations in order, with their transports and variables."""
    for position, implementation in enumerate(implementations):
        row = {"run_id": run_id, "position": position, **rows.values(implementation)}
        rows.insert(connection, "implementation", row)
        own = {"run_id": run_id, "implementation": implementation.id}
        transports = ({"transport": transport} for transport in implementation.transports)
        rows.insert_list(connection, "implementation_transport", own, transports)
        variables = ({"name": name, "value": value} for name, value in implementation.environment)
        rows.insert_list(connection, "implementation_environment", own, variables)


def read_implementations(connection: sqlite3.Connection, run_id: int) -> tuple[Implementation, ...]:
    """Return the implementations as they were when the run began."""
    transports: dict[str, list[str]] = defaultdict(list)
    for row in _list(connection, "implementation_transport", run_id):
        transports[row["implementation"]].append(row["transport"])
    variables: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for row in _list(connection, "implementation_environment", run_id):
        variables[row["implementation"]].append((row["name"], row["value"]))
    return tuple(
        rows.build(
            Implementation, row, transports=tuple(transports[row["id"]]), environment=tuple(variables[row["id"]])
        )
        for row in _list(connection, "implementation", run_id)
    )


def write_benchmarks(connection: sqlite3.Connection, run_id: int, benchmarks: Iterable[Benchmark]) -> None:
    """Insert the benchmarks as the harness listed them."""
    rows.insert_list(connection, "benchmark", {"run_id": run_id}, map(rows.values, benchmarks))


def read_benchmarks(connection: sqlite3.Connection, run_id: int) -> tuple[Benchmark, ...]:
    """Return the benchmarks as the harness listed them when the run began."""
    return tuple(rows.build(Benchmark, row) for row in _list(connection, "benchmark", run_id))


def write_facts(connection: sqlite3.Connection, run_id: int, facts: Iterable[Fact]) -> None:
    """Insert the provenance of one more moment of the run."""
    moment = connection.execute(
        "SELECT ifnull(max(moment) + 1, 0) FROM fact WHERE run_id = ?", [run_id]
    ).fetchone()
    rows.insert_list(connection, "fact", {"run_id": run_id, "moment": moment[0]}, map(rows.values, facts))


def read_facts(connection: sqlite3.Connection, run_id: int) -> list[tuple[Fact, ...]]:
    """Return the provenance of each moment: when the run began, then at each resumption."""
    moments: dict[int, list[Fact]] = defaultdict(list)
    for row in connection.execute(
        "SELECT * FROM fact WHERE run_id = ? ORDER BY moment, position", [run_id]
    ).fetchall():
        moments[row["moment"]].append(rows.build(Fact, row))
    return [tuple(facts) for facts in moments.values()]


def read_summaries(connection: sqlite3.Connection, run_id: int | None = None) -> list[RunSummary]:
    """Return every run (or this one) in short, oldest first."""
    chosen, parameters = ("", []) if run_id is None else ("WHERE id = ?", [run_id])
    run_rows = connection.execute(
        "SELECT *, (SELECT count(*) FROM cell WHERE run_id = run.id AND plan_position IS NOT NULL) AS cells, "
        "(SELECT count(*) FROM launch WHERE run_id = run.id) AS launches, "
        "(SELECT max(started_at + seconds) FROM launch WHERE run_id = run.id) AS last_launch_ended_at "
        f"FROM run {chosen} ORDER BY id",
        parameters,
    ).fetchall()
    names: dict[int, list[str]] = defaultdict(list)
    for row in connection.execute("SELECT run_id, id FROM implementation ORDER BY run_id, position").fetchall():
        names[row["run_id"]].append(row["id"])
    return [
        rows.build(RunSummary, {**row, "status": _status(row)}, implementations=tuple(names[row["id"]]))
        for row in run_rows
    ]


def _status(run: sqlite3.Row) -> str:
    """As stored, but a run whose process is gone is not running, whatever it wrote last."""
    if run["status"] != "running":
        return str(run["status"])
    if run["owner_host"] == platform.node():
        return "running" if process.is_alive(str(run["owner_process"])) else "interrupted"
    # Processes of another host (or container) cannot be seen from here, only that nothing comes any more.
    begun, ended, limit = (
        rows.number(run, name, "run") for name in ("owner_since", "last_launch_ended_at", "launch_limit_seconds")
    )
    last_sign = begun if math.isnan(ended) else max(begun, ended)
    quiet = time.time() - last_sign > QUIET_SECONDS + (0.0 if math.isnan(limit) else limit)
    return "interrupted" if quiet else "running"


def _list(connection: sqlite3.Connection, table: str, run_id: int) -> list[sqlite3.Row]:
    return connection.execute(f"SELECT * FROM {table} WHERE run_id = ? ORDER BY position", [run_id]).fetchall()
