"""JSON whose keys and values know their lines, with every key of an object that comes twice.

What parsers take besides JSON is a dialect: `open-mpi`, of json-parser as Open MPI 6 has it (`opal/util/json`), a
byte order mark and a comma behind the last value; `json-c`, of MPICH, that comma, comments of C, and 'text'.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from json import JSONDecodeError
from json.decoder import scanstring  # type: ignore[attr-defined]
from typing import Literal

from rankwise.profiles.lint.findings import UnreadableError

MOST_DEPTH = 200
_SPACE = re.compile(r"[ \t\r\n]*")
_SPACE_AND_COMMENTS = re.compile(r"(?:[ \t\r\n]+|//[^\n]*|/\*(?:[^*]|\*(?!/))*\*/)*")
_QUOTED = re.compile(r"'((?:[^'\\]|\\.)*)'", re.DOTALL)
_NUMBER = re.compile(r"-?[0-9]+(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?")
_WORDS = {"true": True, "false": False, "null": None}
Scalar = str | int | float | bool | None
Dialect = Literal["", "open-mpi", "json-c"]


@dataclass(frozen=True, slots=True)
class Node:
    """A value with its line: a scalar, a list of nodes, or an object's entries in order."""

    line: int
    value: Scalar | list[Node] | list[tuple[str, Node]]
    is_object: bool = False

    @property
    def entries(self) -> list[tuple[str, Node]]:
        """The entries of an object; none for anything else."""
        return self.value if self.is_object else []  # type: ignore[return-value]

    @property
    def items(self) -> list[Node]:
        """The values of a list; none for anything else."""
        return self.value if isinstance(self.value, list) and not self.is_object else []  # type: ignore[return-value]

    @property
    def is_list(self) -> bool:
        """Whether it is a list."""
        return isinstance(self.value, list) and not self.is_object

    def get(self, key: str) -> Node | None:
        """Return the last value of this key, which is the one that counts."""
        return next((node for name, node in reversed(self.entries) if name == key), None)


def parse(text: str, *, dialect: Dialect = "", ends: bool = True) -> Node:
    """Return the text's only value; its first one unless the text has to end there. Raises UnreadableError."""
    reader = _Reader(text, dialect)
    node = reader.value(0)
    reader.space()
    if ends and reader.at < len(text):
        raise reader.error("something follows the end")
    return node


class _Reader:
    def __init__(self, text: str, dialect: Dialect) -> None:
        self.text = text
        self._dialect = dialect
        self._is_json_c = dialect == "json-c"
        self.at = int(dialect == "open-mpi" and text.startswith("\ufeff"))
        self._counted = 0
        self._line = 1

    def error(self, what: str) -> UnreadableError:
        return UnreadableError(self.line(), f"this is not JSON: {what}")

    def line(self) -> int:
        self._line += self.text.count("\n", self._counted, self.at)
        self._counted = self.at
        return self._line

    def space(self) -> str:
        match = (_SPACE_AND_COMMENTS if self._is_json_c else _SPACE).match(self.text, self.at)
        self.at = match.end() if match else self.at
        if self.text.startswith(("//", "/*"), self.at) and not self._is_json_c:
            raise self.error("comments are not taken here")
        return self.text[self.at : self.at + 1]

    def value(self, depth: int) -> Node:
        first = self.space()
        line = self.line()
        if depth > MOST_DEPTH:
            raise self.error(f"values are nested more than {MOST_DEPTH} deep")
        if first == "{":
            return Node(line, list(self._members("}", depth)), is_object=True)
        if first == "[":
            return Node(line, [node for _, node in self._members("]", depth)])
        return Node(line, self._scalar(first))

    def _members(self, end: str, depth: int) -> Iterator[tuple[str, Node]]:
        self.at += 1
        if self.space() == end:
            self.at += 1
            return
        while True:
            name = self._key() if end == "}" else ""
            yield name, self.value(depth + 1)
            following = self.space()
            self.at += 1
            if following == end:
                return
            if following != ",":
                self.at -= 1
                raise self.error(f"',' or '{end}' is missing")
            if self._dialect and self.space() == end:
                self.at += 1
                return

    def _key(self) -> str:
        if self.space() not in ('"', "'" if self._is_json_c else '"'):
            raise self.error("a key in double quotes is missing")
        name = self._string()
        if self.space() != ":":
            raise self.error("':' is missing")
        self.at += 1
        return name

    def _string(self) -> str:
        quoted = _QUOTED.match(self.text, self.at) if self._is_json_c else None
        if quoted:
            self.at = quoted.end()
            return quoted[1]
        try:
            text, self.at = scanstring(self.text, self.at + 1, True)
        except JSONDecodeError as error:
            raise self.error(error.msg) from error
        return str(text)

    def _scalar(self, first: str) -> Scalar:
        if first == '"' or (first == "'" and self._is_json_c):
            return self._string()
        for word, value in _WORDS.items():
            if self.text.startswith(word, self.at):
                self.at += len(word)
                return value
        match = _NUMBER.match(self.text, self.at)
        if match is None:
            raise self.error("a value is missing")
        self.at = match.end()
        whole = re.fullmatch(r"-?[0-9]{1,400}", match[0])
        return int(match[0]) if whole else float(match[0])
