"""The rows of networks: a run's topology and measured paths; a launch's counters, emulator and timelines."""

from __future__ import annotations

import json
import math
import sqlite3
from collections.abc import Iterable
from dataclasses import asdict, is_dataclass
from typing import Any, Literal, TypeVar, get_args, get_origin, get_type_hints

from rankwise.core.errors import StoreError
from rankwise.core.network import EmulatorFigures, LinkCounters, PathFigures, Topology
from rankwise.core.records import Launch, Timeline
from rankwise.store import rows
from rankwise.store.runs import CellIds

R = TypeVar("R")


def topology_to_json(topology: Topology) -> str:
    """Return the whole description as one JSON object, keys being the fields' names."""
    return json.dumps(asdict(topology, dict_factory=_strict))


def topology_from_json(text: str) -> Topology:
    """Return the description that `topology_to_json` wrote; fields that it did not have get their default.

    Raises StoreError if this is not such a text.
    """
    try:
        return _record(Topology, json.loads(text))
    except (ValueError, TypeError, AttributeError, OverflowError, RecursionError) as error:
        raise StoreError(
            f"cannot read the testbed's description in the store: {error}",
            "the file was changed by another program, or is damaged: use a copy of it (--store), "
            "or delete the run",
        ) from error


def read_topology(connection: sqlite3.Connection, run_id: int) -> Topology | None:
    """Return the testbed of the run; None if it had no network to describe."""
    row = connection.execute("SELECT topology FROM run WHERE id = ?", [run_id]).fetchone()
    return None if row["topology"] is None else topology_from_json(row["topology"])


def write_paths(connection: sqlite3.Connection, run_id: int, paths: Iterable[PathFigures]) -> None:
    """Insert paths after those that the run has already."""
    first = connection.execute(
        "SELECT ifnull(max(position) + 1, 0) FROM path WHERE run_id = ?", [run_id]
    ).fetchone()[0]
    for position, path in enumerate(paths, start=first):
        rows.insert(connection, "path", {"run_id": run_id, "position": position, **rows.values(path)})


def read_paths(connection: sqlite3.Connection, run_id: int) -> tuple[PathFigures, ...]:
    """Return the paths of the run, in the order they were added."""
    return tuple(
        rows.build(PathFigures, row)
        for row in connection.execute("SELECT * FROM path WHERE run_id = ? ORDER BY position", [run_id]).fetchall()
    )


def write_traffic(connection: sqlite3.Connection, ids: CellIds, launch_id: int, launch: Launch) -> None:
    """Insert what was seen of the network during a launch."""
    own = {"launch_id": launch_id}
    rows.insert_list(connection, "link_counters", own, map(rows.values, launch.links))
    if launch.emulator is not None:
        rows.insert(connection, "emulator", {**own, **rows.values(launch.emulator)})
    timelines = (
        {
            "cell_id": ids[timeline.cell],
            "times_seconds": rows.to_blob(timeline.times_seconds),
            "values": rows.to_blob(timeline.values),
            **rows.values(timeline),
        }
        for timeline in launch.timelines
    )
    rows.insert_list(connection, "timeline", own, timelines)


def read_links(connection: sqlite3.Connection, launch_id: int) -> tuple[LinkCounters, ...]:
    """Return the counters of a launch's links, in the order they were stored."""
    counter_rows = connection.execute(
        "SELECT * FROM link_counters WHERE launch_id = ? ORDER BY position", [launch_id]
    )
    return tuple(rows.build(LinkCounters, row) for row in counter_rows.fetchall())


def read_emulator(connection: sqlite3.Connection, launch_id: int) -> EmulatorFigures | None:
    """Return the link emulator's own figures; None if the launch was not on emulated links."""
    row = connection.execute("SELECT * FROM emulator WHERE launch_id = ?", [launch_id]).fetchone()
    return None if row is None else rows.build(EmulatorFigures, row)


def build_timeline(row: sqlite3.Row) -> Timeline:
    """Return the timeline of a row of table `timeline` joined with its cell."""
    return rows.build(
        Timeline,
        row,
        cell=rows.build_cell(row),
        times_seconds=rows.from_blob(row["times_seconds"]),
        values=rows.from_blob(row["values"]),
    )


def _strict(fields: list[tuple[str, Any]]) -> dict[str, Any]:
    """JSON has no word for nan and infinity, and other programs refuse Python's: they become strings."""
    return {
        name: str(value) if isinstance(value, float) and not math.isfinite(value) else value
        for name, value in fields
    }


def _record(kind: type[R], fields: dict[str, Any]) -> R:
    hints = get_type_hints(kind)
    return kind(**{name: _value(hints[name], value) for name, value in fields.items() if name in hints})


def _value(hint: Any, value: Any) -> Any:
    if get_origin(hint) is tuple:
        return tuple(_value(get_args(hint)[0], element) for element in value)  # all of one type in these records
    if get_origin(hint) is Literal:
        return str(value)
    return _record(hint, value) if isinstance(hint, type) and is_dataclass(hint) else hint(value)
