"""TOML whose every key knows its file and line, so that an error can point at it: tomllib keeps neither."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from typing import Any

from rankwise.core.errors import InputError

Steps = tuple[str | int, ...]
"""The way from the top of a file to a value: names of tables and numbers of elements."""

_TOKEN = re.compile(
    r"""
      (?P<blank>  [ \t\r]+ | \#[^\n]* )
    | (?P<string> \"{3}(?:\\.|[^\\])*?\"{3,5} | '{3}.*?'{3,5} | "(?:\\.|[^"\\\n])*" | '[^'\n]*' )
    | (?P<mark>   [\[\]{},=.\n] )
    | (?P<bare>   [^\s\#"'\[\]{},=.]+ )
    """,
    re.VERBOSE | re.DOTALL,
)
_ERROR_LINE = re.compile(r"\(at line (\d+), column \d+\)")
MOST_DEPTH = 64
"""As deep as tables and lists may lie in one another: nothing that is read here takes more than ten."""


class _TooDeepError(Exception):
    """A key lies too deep, in that line."""

    def __init__(self, line: int) -> None:
        self.line = line


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry is a value, the key that it was given to, and where: FILE and line."""

    value: Any
    """A scalar, or `dict[str, Entry]`, or `list[Entry]`."""
    key: str
    """In full, as one would write it: `site.rennes.delay`, `link[2].rate`."""
    file: str
    line: int

    @property
    def place(self) -> str:
        """Return `FILE:LINE`."""
        return f"{self.file}:{self.line}"

    def refused(self, reason: str, remedy: str = "") -> InputError:
        """Return the error that this value cannot be used."""
        subject = f"{self.key}: " if self.key else ""
        return InputError(f"{self.place}: {subject}{reason}", remedy)


def parse(text: str, file: str) -> Entry:
    """Return the whole text as one table. Raises InputError with the parser's line and words."""
    try:
        data = tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # beside its own: numbers of 5,000 digits, 1,000 brackets
        match = _ERROR_LINE.search(str(error))
        line = int(match[1]) if match else text.count("\n") + 1
        raise InputError(f"{file}:{line}: this is not TOML: {error}", "correct that line") from error
    try:
        lines = key_lines(text)
    except _TooDeepError as error:
        raise InputError(
            f"{file}:{error.line}: nesting deeper than {MOST_DEPTH} levels",
            "correct that line",
        ) from error
    return _entry(data, (), file, lines, 1)


def _entry(value: Any, steps: Steps, file: str, lines: dict[Steps, int], above: int) -> Entry:
    line = lines.get(steps, above)
    if isinstance(value, dict):
        value = {key: _entry(element, (*steps, key), file, lines, line) for key, element in value.items()}
    elif isinstance(value, list):
        value = [_entry(element, (*steps, index), file, lines, line) for index, element in enumerate(value)]
    return Entry(value, _spelt(steps), file, line)


def _spelt(steps: Steps) -> str:
    path = "".join(f"[{step + 1}]" if isinstance(step, int) else f".{step}" for step in steps)
    return path.removeprefix(".")


def key_lines(text: str) -> dict[Steps, int]:
    """Return the line of every key and element of a text that tomllib accepts, by the way to it."""
    return _KeyLines(text).lines


class _KeyLines:
    """Reads no values, only where they begin and end; what tomllib has refused never comes here.

    A key of n parts has n ways to it that are stored: without a bound a short file would fill the memory.
    """

    def __init__(self, text: str) -> None:
        self.lines: dict[Steps, int] = {}
        self._elements: dict[Steps, int] = {}
        self._at = 0
        self._tokens: list[tuple[str, str, int]] = []
        line = 1
        for match in _TOKEN.finditer(text):
            if match.lastgroup != "blank":
                self._tokens.append((str(match.lastgroup), match[0], line))
            line += match[0].count("\n")
        base: Steps = ()
        while self._at < len(self._tokens):
            if self._take("\n"):
                continue
            base = self._header() if self._peek() == "[" else self._pair(base)

    def _peek(self) -> str:
        kind, word, _ = self._tokens[self._at] if self._at < len(self._tokens) else ("mark", "", 0)
        return word if kind == "mark" else "word"

    def _take(self, mark: str) -> bool:
        found = self._peek() == mark
        self._at += found
        return found

    def _set(self, steps: Steps, line: int) -> None:
        if len(steps) > MOST_DEPTH:
            raise _TooDeepError(line)
        self.lines.setdefault(steps, line)

    def _header(self) -> Steps:
        line = self._tokens[self._at][2]
        self._take("[")
        repeated = self._take("[")
        keys = self._key()
        while self._take("]"):
            pass
        steps: Steps = ()
        for number, key in enumerate(keys, start=1):
            steps = (*steps, key)
            self._set(steps, line)
            if repeated and number == len(keys):
                self._elements[steps] = self._elements.get(steps, -1) + 1
            if steps in self._elements:
                steps = (*steps, self._elements[steps])
                self._set(steps, line)
        self.lines[steps] = line  # a table that a longer header opened before gets its own line
        return steps

    def _key(self) -> list[str]:
        keys = []
        while True:
            kind, word, _ = self._tokens[self._at]
            self._at += 1
            keys.append(str(tomllib.loads(f"x={word}")["x"]) if kind == "string" else word)
            if not self._take("."):
                return keys

    def _pair(self, base: Steps) -> Steps:
        line = self._tokens[self._at][2]
        steps = base
        for key in self._key():
            steps = (*steps, key)
            self._set(steps, line)
        self._take("=")
        self._value(steps)
        return base

    def _value(self, steps: Steps) -> None:
        self._set(steps, self._tokens[self._at][2])
        if self._take("["):
            index = 0
            while not self._take("]"):
                if not (self._take(",") or self._take("\n")):
                    self._value((*steps, index))
                    index += 1
        elif self._take("{"):
            while not self._take("}"):
                if not (self._take(",") or self._take("\n")):
                    self._pair(steps)
        else:
            while self._peek() in ("word", "."):
                self._at += 1
