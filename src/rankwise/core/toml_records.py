"""Frozen records as plain tables and back, by their own annotations; what is at its default is not written."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import MISSING, Field, fields, is_dataclass
from types import NoneType, UnionType
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from rankwise.core.toml_places import Entry

R = TypeVar("R")
_WORDS: dict[object, str] = {str: "a string", int: "a whole number", float: "a number", bool: "true or false"}


def to_plain(value: Any) -> Any:
    """Return a record as a dict of the fields that differ from their defaults, tuples as lists, without None."""
    if is_dataclass(value) and not isinstance(value, type):
        own = {field.name: getattr(value, field.name) for field in fields(value) if not _is_default(value, field)}
        return {name: to_plain(element) for name, element in own.items() if element is not None}
    return [to_plain(element) for element in value] if isinstance(value, tuple) else value


def _is_default(record: Any, field: Field[Any]) -> bool:
    return field.default is not MISSING and bool(getattr(record, field.name) == field.default)


def to_record(kind: type[R], entry: Entry) -> R:
    """Return the record that a table holds. Raises InputError with file, line and key where it does not."""
    table = entry.value
    if not isinstance(table, dict):
        raise entry.refused("must be a table", "write keys below a [header], or { key = value }")
    hints = get_type_hints(kind)
    for key, value_entry in table.items():
        if key not in hints:
            raise value_entry.refused("unknown key", _nearest(key, hints))
    values = {}
    for field in fields(kind):  # type: ignore[arg-type] # only dataclasses come here
        if field.name in table:
            values[field.name] = _value(hints[field.name], table[field.name])
        elif field.default is MISSING and field.default_factory is MISSING:
            if NoneType not in get_args(hints[field.name]):
                raise entry.refused(
                    f"{field.name} is missing", f"add {field.name} = {_expected(hints[field.name])}"
                )
            values[field.name] = None
    return kind(**values)


def _value(hint: Any, entry: Entry) -> Any:
    if get_origin(hint) in (Union, UnionType):
        return _value(next(alternative for alternative in get_args(hint) if alternative is not NoneType), entry)
    if get_origin(hint) is tuple:
        return _elements(get_args(hint), entry)
    if is_dataclass(hint) and isinstance(hint, type):
        return to_record(hint, entry)
    value = entry.value
    if get_origin(hint) is Literal:
        if not isinstance(value, str):
            raise entry.refused("must be a string", _nearest("", get_args(hint)))
        if value not in get_args(hint):
            raise entry.refused(f"'{value}' is not supported", _nearest(value, get_args(hint)))
        return value
    if hint is float and isinstance(value, int) and not isinstance(value, bool):
        try:
            return float(value)
        except OverflowError as error:
            raise entry.refused("this number is too large", "correct that line") from error
    if type(value) is not hint:
        raise entry.refused(f"must be {_expected(hint)}", "correct that line")
    return value


def _elements(kinds: tuple[Any, ...], entry: Entry) -> tuple[Any, ...]:
    if not isinstance(entry.value, list):
        raise entry.refused("must be a list", "write [ ... ]")
    if kinds[-1] is Ellipsis:
        return tuple(_value(kinds[0], element) for element in entry.value)
    if len(entry.value) != len(kinds):
        raise entry.refused(f"has {len(entry.value)} elements instead of {len(kinds)}", "correct that line")
    return tuple(_value(kind, element) for kind, element in zip(kinds, entry.value, strict=True))


def _expected(hint: Any) -> str:
    return _WORDS.get(hint, "a list" if get_origin(hint) is tuple else "a table")


def _nearest(name: str, known: Iterable[str]) -> str:
    names = list(known)
    near = difflib.get_close_matches(name, names, n=1, cutoff=0.5)
    return f"did you mean {near[0]}?" if near else f"known: {', '.join(names)}"
