"""The rows of configurations: each is stored once, by the digest of its content."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable

from rankwise.core import configuration
from rankwise.core.configuration import Configuration
from rankwise.core.errors import StoreError


def write_configurations(connection: sqlite3.Connection, configurations: Iterable[Configuration]) -> None:
    """Insert those that are not stored yet."""
    connection.executemany(
        "INSERT OR IGNORE INTO configuration (id, implementation, content) VALUES (?, ?, ?)",
        [(each.id, each.implementation, each.content) for each in configurations],
    )


def read_configurations(connection: sqlite3.Connection, run_id: int) -> dict[str, Configuration]:
    """Return those that the run's cells or launches name, by id. Raises StoreError for one that is damaged."""
    selected = connection.execute(
        "SELECT id, content FROM configuration WHERE id IN (SELECT configuration FROM cell WHERE run_id = ?) "
        "OR id IN (SELECT configuration FROM segment JOIN launch ON launch.id = launch_id WHERE run_id = ?)",
        [run_id, run_id],
    ).fetchall()
    return {row["id"]: _built(row["id"], row["content"]) for row in selected}


def delete_unused(connection: sqlite3.Connection) -> None:
    """Delete those that no run names any more."""
    connection.execute(
        "DELETE FROM configuration WHERE id NOT IN (SELECT configuration FROM cell) "
        "AND id NOT IN (SELECT configuration FROM segment)"
    )


def _built(identity: str, content: str) -> Configuration:
    try:
        return configuration.from_content(content)
    except ValueError as error:
        raise StoreError(
            f"configuration {identity} in the store is damaged: {error}", "measure again, or restore the file"
        ) from error
