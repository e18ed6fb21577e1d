"""One table of a description: typed reading of its keys, every refusal with file, line, key and remedy."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

from rankwise.core import units
from rankwise.core.errors import InputError
from rankwise.core.toml_places import Entry

T = TypeVar("T")
_TESTBED_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_HUGE = 10**30
"""Python refuses to write out much larger ones."""
"""Keys that descriptions once had, and what they are called now."""


class Section:
    """A section reads the keys of a table. Raises InputError for keys that are not among `known`."""

    def __init__(self, table: Entry, known: Iterable[str]) -> None:
        self.entry = table
        if not isinstance(table.value, dict):
            raise table.refused("must be a table", "write keys below a [header], or { key = value }")
        self._entries: dict[str, Entry] = table.value
        names = tuple(known)
        for key, entry in self._entries.items():
            if key not in names:
                raise entry.refused("unknown key", _nearest(key, names))

    def __contains__(self, key: str) -> bool:
        return key in self._entries

    def __getitem__(self, key: str) -> Entry:
        return self._entries[key]

    def at(self, key: str) -> Entry:
        """Return where to point at for this key: itself, or the table if it is not given."""
        return self._entries.get(key, self.entry)

    def tables(self, key: str) -> list[Entry]:
        """Return the elements of `[[key]]`; none if there are none."""
        if key not in self:
            return []
        entries = self[key].value
        if not isinstance(entries, list):
            raise self[key].refused("must be given as a list of tables", f"write [[{key}]] above each of them")
        return entries

    def named(self, key: str) -> dict[str, Entry]:
        """Return the tables `[key.NAME]` by name; none if there are none."""
        if key not in self:
            return {}
        entries = self[key].value
        if not isinstance(entries, dict):
            raise self[key].refused("must be tables with a name each", f"write [{key}.NAME] above each of them")
        return entries

    def text(self, key: str, default: str = "") -> str:
        """Return a string."""
        return self._read(key, default, _text)

    def choice(self, key: str, choices: Mapping[str, T]) -> T:
        """Return what the word stands for; the key must be there."""
        word = self.text(key)
        if word not in choices:
            raise self.at(key).refused(f"'{word}' is not supported", _nearest(word, tuple(choices)))
        return choices[word]

    def flag(self, key: str, default: bool) -> bool:
        """Return true or false."""
        return self._read(key, default, _flag)

    def count(self, key: str, default: int, low: int, high: int) -> int:
        """Return a whole number from `low` to `high`."""

        def read(value: Any) -> int:
            if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
                reason = f"{_shown(value)} is not a whole number from {low} to {high}"
                raise InputError(reason, f"write {key} = {low}")
            return value

        return self._read(key, default, read)

    def number(self, key: str, default: float, low: float, high: float) -> float:
        """Return a number from `low` to `high`."""

        def read(value: Any) -> float:
            if not isinstance(value, int | float) or isinstance(value, bool) or not low <= value <= high:
                reason = f"{_shown(value)} is not a number from {low:g} to {high:g}"
                raise InputError(reason, f"write {key} = {low:g}")
            return float(value)

        return self._read(key, default, read)

    def delay_seconds(self, key: str, default: float) -> float:
        """Return seconds from `5.8 ms`; a plain 0 needs no unit."""
        return self._read(key, default, lambda value: _quantity(value, units.parse_delay_seconds, "5.8 ms"))

    def rate_bits_per_second(self, key: str, default: float) -> float:
        """Return bits per second from `1 Gbit/s`; `unlimited` is 0; less than 1 bit/s is refused."""
        return self._read(key, default, _rate)

    def size_bytes(self, key: str, default: int, low: int = 0) -> int:
        """Return `256 KiB` or a number of bytes, at least `low`."""

        def read(value: Any) -> int:
            size = size_bytes(value)
            if size < low:
                raise InputError(f"{_shown(value)} is less than {low} bytes", f"write at least {key} = {low}")
            return size

        return self._read(key, default, read)

    def share(self, key: str, default: float) -> float:
        """Return `0.01 %` or a number from 0 to 1."""
        return self._read(key, default, _share)

    def _read(self, key: str, default: T, parse: Callable[[Any], T]) -> T:
        if key not in self:
            return default
        try:
            return parse(self[key].value)
        except InputError as error:
            raise self[key].refused(str(error), error.remedy) from error


def testbed_name(section: Section, default: str) -> str:
    """Return the testbed's name: a word, because it names files and stands in command lines."""
    name = section.text("name", default)
    if not _TESTBED_NAME.fullmatch(name):
        raise section.at("name").refused(f"invalid testbed name '{name}'", "use letters, digits, . _ and -")
    return name


def size_bytes(value: Any) -> int:
    """Return a size as it stands in TOML: a whole number of bytes, or text with a unit. Raises InputError."""
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < _HUGE:
        return units.parse_size_bytes(str(value))
    if isinstance(value, str):
        return units.parse_size_bytes(value)
    raise InputError(f"{_shown(value)} is not a size", 'write "256 KiB" or a number of bytes')


def _nearest(name: str, known: tuple[str, ...]) -> str:
    near = difflib.get_close_matches(name, known, n=1, cutoff=0.5)
    return f"did you mean {near[0]}?" if near else f"known: {', '.join(known)}"


def _shown(value: Any) -> str:
    if isinstance(value, str):
        return f"'{value}'"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int) and abs(value) > _HUGE:
        return "a huge number"
    return "a table" if isinstance(value, dict) else "a list" if isinstance(value, list) else str(value)


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise InputError(f"{_shown(value)} is not a string", "write it in quotation marks")
    return value


def _flag(value: Any) -> bool:
    if not isinstance(value, bool):
        raise InputError(f"{_shown(value)} is neither true nor false", "write true or false")
    return value


def _quantity(value: Any, parse: Callable[[str], float], example: str) -> float:
    """Text with a unit; a plain number could be any unit, so only 0 passes."""
    if isinstance(value, str):
        return parse(value)
    if isinstance(value, int | float) and not isinstance(value, bool):
        if value == 0:
            return 0.0
        if value < 0:
            raise InputError(f"{_shown(value)} is negative", f'write a positive quantity: "{example}"')
        raise InputError(
            f"{_shown(value)} has no unit", f'write a number and its unit in quotation marks: "{example}"'
        )
    raise InputError(f"{_shown(value)} is not a quantity", f'write a number and its unit: "{example}"')


def _rate(value: Any) -> float:
    if value == "unlimited":
        return 0.0
    rate = _quantity(value, units.parse_rate_bits_per_second, "1 Gbit/s")
    if rate < 1:
        raise InputError(f"link rate too low: {rate:.3g} bit/s", 'write "1 Gbit/s", or "unlimited"')
    return rate


def _share(value: Any) -> float:
    if isinstance(value, str):
        return units.parse_share(value)
    if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1:
        return float(value)
    raise InputError(f"{_shown(value)} is not a share from 0 to 1", 'write "0.01 %" or 0.0001')
