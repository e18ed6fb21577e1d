"""Opens the SQLite file: creates its tables, and turns SQLite's errors into ours.

Several Rankwise processes may use one store at once. The rollback journal is used, not WAL: WAL needs shared
memory, hence a local disk and a writable folder, and results are often on a cluster's network file system or
belong to somebody else. Writes are short transactions, and no read stays open, so waiting for one another
(BUSY_SECONDS) is enough.
"""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterator
from importlib import resources
from pathlib import Path

from rankwise.core.errors import InputError, StoreError
from rankwise.store.rows import DamagedRowError

BUSY_SECONDS = 30.0
"""How long to wait for another process that is writing."""

SCHEMA_VERSION = 11
"""Of schema.sql; raised with each change to it."""

APPLICATION_ID = 0x524B5753
"""`RKWS` in the file's header: tells our files from other programs' databases."""

_DAMAGED = (
    "the file is damaged or was changed by another program: save what can be read "
    "(sqlite3 FILE .recover | sqlite3 NEW) and use --store NEW, or move the file away"
)
_REMEDIES = {
    sqlite3.SQLITE_FULL: "free some disk space (rankwise delete), or keep results elsewhere with --store; "
    "everything stored before is kept, and --resume continues from it",
    sqlite3.SQLITE_BUSY: "another process keeps the file locked: wait for it, or use another file with --store",
    sqlite3.SQLITE_READONLY: "make the file and its folder writable, or use another file with --store",
    sqlite3.SQLITE_CANTOPEN: "check that its folder exists and is writable, or use another file with --store",
    sqlite3.SQLITE_NOTADB: "name a store that Rankwise wrote, or a file that does not exist yet, with --store",
    sqlite3.SQLITE_CORRUPT: _DAMAGED,
    sqlite3.SQLITE_IOERR: "check the disk and its file system (dmesg), or use another file with --store",
}


def open_database(path: Path, *, create: bool, busy_seconds: float = BUSY_SECONDS) -> sqlite3.Connection:
    """Open `path`, creating file and folder if `create`.

    Raises StoreError when that is impossible, InputError when there is no such file and `create` is false.
    """
    if create:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StoreError(
                f"cannot make the folder of the store {path}: {error.strerror}",
                "use another file with --store",
            ) from error
    elif not path.exists():
        raise InputError(
            f"no results are stored in {path}", "measure first: rankwise compare; or name it: --store"
        )
    mode = "rwc" if create else "rw"
    with translated(path, "open"):
        connection = sqlite3.connect(
            f"{path.resolve().as_uri()}?mode={mode}", uri=True, isolation_level=None, timeout=busy_seconds
        )
    try:
        with translated(path, "open"):
            _prepare(connection, path)
    except BaseException:
        connection.close()
        raise
    return connection


@contextlib.contextmanager
def translated(path: Path, doing: str) -> Iterator[None]:
    """Within: what SQLite or a damaged row raises becomes a StoreError that says what was tried and what to do."""
    try:
        yield
    except (sqlite3.Error, DamagedRowError, UnicodeDecodeError) as error:  # the last: of names in a damaged schema
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF  # the low byte: without the extension
        raise StoreError(f"cannot {doing} the store {path}: {error}", _REMEDIES.get(code, _DAMAGED)) from error


@contextlib.contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """Yield all or nothing, and durable on leaving; takes the lock at once, so that reads inside stay true."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:  # a full disk has rolled back already
            connection.execute("ROLLBACK")
        raise


def _prepare(connection: sqlite3.Connection, path: Path) -> None:
    connection.execute("PRAGMA synchronous = EXTRA")
    # In this order: another process may be creating the file, and tables appear together with the rest.
    tables = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
    version = _version(connection)
    application = connection.execute("PRAGMA application_id").fetchone()[0]
    if application != APPLICATION_ID and (application or version or tables):
        raise StoreError(
            f"{path} is the database of another program, not a store of Rankwise",
            "name another file with --store",
        )
    if version == 0:
        _create_tables(connection)
    elif version != SCHEMA_VERSION:
        raise StoreError(
            f"the store {path} was written by another version of Rankwise: schema {version}, not {SCHEMA_VERSION}",
            "read it with that version, or use another file with --store",
        )
    connection.execute("PRAGMA foreign_keys = ON")


def _version(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def _create_tables(connection: sqlite3.Connection) -> None:
    """All in one transaction; another process may have done it while this one waited for the lock."""
    connection.execute("PRAGMA auto_vacuum = FULL")  # before the first table: deleted runs give their space back
    script = (resources.files(__package__) / "schema.sql").read_text(encoding="utf-8")
    with transaction(connection):
        if _version(connection) == 0:
            for statement in _statements(script):
                connection.execute(statement)
            connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
            connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")


def _statements(script: str) -> Iterator[str]:
    """The single statements of a script: `executescript` would commit the open transaction."""
    statement = ""
    for line in script.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""
    if statement.strip():
        yield statement
