"""Records to rows and back. A column has the name of the record's field; tuples go to tables of their own."""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Hashable, Iterable, Mapping
from functools import cache
from typing import Any, Literal, TypeVar, get_args, get_origin, get_type_hints

import numpy as np

from rankwise.core.records import Cell, FloatArray, Options

R = TypeVar("R")
Row = Mapping[str, Any]

_STORED = np.dtype("<f8")


class DamagedRowError(Exception):
    """What a row holds cannot have been written by Rankwise; `connection.translated` makes a StoreError of it."""


def columns(record: type) -> dict[str, type]:
    """Return the fields of a record that fit into a column (not tuples, records, arrays), each with its type."""
    return _columns(record)


@cache
def _columns(record: Hashable) -> dict[str, type]:
    kinds = {name: str if get_origin(hint) is Literal else hint for name, hint in get_type_hints(record).items()}
    return {name: kind for name, kind in kinds.items() if kind in (str, int, float, bool)}


@cache
def _choices(record: Hashable) -> dict[str, tuple[str, ...]]:
    """The words that the fields may have which allow a few."""
    return {name: get_args(hint) for name, hint in get_type_hints(record).items() if get_origin(hint) is Literal}


def values(record: object) -> dict[str, Any]:
    """Return the record's scalar fields as column -> value; NumPy's scalars become Python's."""
    return {name: kind(getattr(record, name)) for name, kind in columns(type(record)).items()}


def build(record: type[R], row: Row | sqlite3.Row, **others: Any) -> R:
    """Return the record from a row that has its columns; `others` are the fields kept in other tables.

    Raises DamagedRowError.
    """
    kind_of_record: type = record
    of = record.__name__.lower()
    plain = {name: _value(row, name, kind, of) for name, kind in columns(record).items()}
    for name, known in _choices(kind_of_record).items():
        if name in plain and plain[name] not in known:
            raise DamagedRowError(f"{name} of a {of}: none of {', '.join(map(repr, known))}")
    return record(**plain, **others)


def number(row: Row | sqlite3.Row, name: str, of: str) -> float:
    """Return the number in a column, nan for NULL; `of` names the row in errors. Raises DamagedRowError."""
    return float(_value(row, name, float, of))


def _value(row: Row | sqlite3.Row, name: str, kind: type, of: str) -> Any:
    """The value of one column; nan was stored as NULL."""
    try:
        value = row[name]
        return math.nan if kind is float and value is None else kind(value)
    except (IndexError, KeyError, TypeError, ValueError, OverflowError) as error:
        raise DamagedRowError(f"{name} of a {of}: {error}") from error


def cell_values(cell: Cell) -> dict[str, Any]:
    """Return the columns of a cell, its options among them."""
    return values(cell) | values(cell.options)


def build_cell(row: Row | sqlite3.Row) -> Cell:
    """Return the cell of a row of table `cell`."""
    return build(Cell, row, options=build(Options, row))


def to_blob(array: FloatArray) -> bytes:
    """Return an array of floats as float64, little-endian."""
    return array.astype(_STORED).tobytes()


def from_blob(blob: object) -> FloatArray:
    """Return the array that was stored, of one dimension, not writable. Raises DamagedRowError if it is none."""
    if not isinstance(blob, bytes):
        raise DamagedRowError(f"samples are stored as {type(blob).__name__} instead of bytes")
    if len(blob) % _STORED.itemsize:
        raise DamagedRowError(f"samples of {len(blob)} bytes, not a whole number of float64")
    return np.frombuffer(blob, dtype=_STORED).astype(np.float64, copy=False)


def insert(connection: sqlite3.Connection, table: str, row: Row) -> int:
    """Insert one row and return its id."""
    names = ", ".join(f'"{name}"' for name in row)  # fields may be called like words of SQL
    places = ", ".join("?" * len(row))
    cursor = connection.execute(
        f"INSERT INTO {table} ({names}) VALUES ({places})", [_to_column(value) for value in row.values()]
    )
    return cursor.lastrowid or 0


def insert_list(connection: sqlite3.Connection, table: str, owner: Row, sequence: Iterable[Row]) -> None:
    """Insert the rows of a sequence that belongs to `owner`, in order."""
    for position, row in enumerate(sequence):
        insert(connection, table, {**owner, "position": position, **row})


def _to_column(value: Any) -> Any:
    # Arguments and variables that are not UTF-8 reach Python as lone surrogates, which SQLite cannot hold.
    return value.encode("utf-8", "backslashreplace").decode() if isinstance(value, str) else value
