"""Writes plain values as TOML that people can read and compare line by line; Python's tomllib only reads.

Tables of a list stand on one line each where they hold nothing long, else below a [[header]] of their own.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

_WIDTH = 100
_BARE = re.compile(r"[A-Za-z0-9_-]+")
_QUOTES_THAT_END = re.compile(r'(?<="")"|"\Z')
_ESCAPES = {code: f"\\u{code:04X}" for code in (*range(0x20), 0x7F)}
_ESCAPES |= {ord("\\"): "\\\\", ord("\t"): "\\t", ord("\r"): "\\r"}


def toml_text(table: Mapping[str, Any]) -> str:
    """Return the text of a table of texts, numbers, lists and tables. Lone surrogates, which TOML cannot hold, are
    written as Python spells them."""
    return "\n".join(_lines(table, "")) + "\n"


def _lines(table: Mapping[str, Any], path: str) -> Iterator[str]:
    """Plain keys before sub-tables: what follows a header belongs to it."""
    for key, value in table.items():
        if not _has_header(value):
            yield f"{_key(key)} = {_value(value)}"
    for key, value in table.items():
        full = f"{path}.{_key(key)}" if path else _key(key)
        if not _has_header(value):
            continue
        for subtable in [value] if isinstance(value, dict) else value:
            yield ""
            yield f"[{full}]" if isinstance(value, dict) else f"[[{full}]]"
            yield from _lines(subtable, full)


def _has_header(value: Any) -> bool:
    if isinstance(value, dict):
        return True
    if not isinstance(value, list) or not all(isinstance(element, dict) for element in value):
        return False
    return not all(map(_is_short, value))


def _is_short(value: Any) -> bool:
    """May stand on a line with others: no text of several lines, no list of tables in it."""
    if isinstance(value, dict):
        return all(_is_short(element) and not _holds_tables(element) for element in value.values())
    return not (isinstance(value, str) and "\n" in value)


def _holds_tables(value: Any) -> bool:
    return isinstance(value, list) and any(isinstance(element, dict | list) for element in value)


def _value(value: Any) -> str:
    if isinstance(value, str):
        return _long_text(value) if "\n" in value else _text(value)
    if isinstance(value, list):
        line = _inline(value)
        if not value or (len(line) <= _WIDTH and not _holds_tables(value)):
            return line
        return "[\n" + "".join(f"  {_element(element)},\n" for element in value) + "]"
    return _inline(value)


def _element(value: Any) -> str:
    """Of a list that has a line for each: within a list of lists, texts of several lines may stand as such."""
    return "[" + ", ".join(map(_value, value)) + "]" if isinstance(value, list) else _inline(value)


def _inline(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{_key(key)} = {_inline(element)}" for key, element in value.items()) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(map(_inline, value)) + "]"
    return _text(value) if isinstance(value, str) else repr(value)


def _key(name: str) -> str:
    return name if _BARE.fullmatch(name) else _text(name)


def _text(text: str) -> str:
    return json.dumps(_writable(text), ensure_ascii=False).replace("\x7f", "\\u007F")


def _long_text(text: str) -> str:
    """Line by line; what ends no line is escaped, for readers may take carriage returns for line ends."""
    kept = "\n".join(line.translate(_ESCAPES) for line in _writable(text).split("\n"))
    return '"""\n' + _QUOTES_THAT_END.sub(r'\\"', kept) + '"""'


def _writable(text: str) -> str:
    return text.encode("utf-8", "backslashreplace").decode()
