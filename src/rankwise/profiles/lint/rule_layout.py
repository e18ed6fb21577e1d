"""The words of Open MPI's classic rules files, and the correction of a wrong count."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from rankwise.core.units import whole_number
from rankwise.profiles.lint.findings import Finding, UnreadableError

_VERSION = re.compile(r"\s*rule-file-version-([0-9]{1,3})(?!\S)")
_OF_RULE = {1: (4,), 2: (4, 5)}
_LEAST_OF_RULE, _MOST_OF_RULE = 3, 6
"""Words of a line that is taken for a rule, one too few or too many."""


@dataclass
class _Word:
    line: int
    text: str


class Words:
    """The words of a file without its comments, each with its line; `version` is that of the file's form."""

    def __init__(self, text: str) -> None:
        match = _VERSION.match(text)
        self.version = int(match[1]) if match else 1
        if match:
            text = "\n" * match[0].count("\n") + text[match.end() :]
        self._words = [
            _Word(line, word)
            for line, content in enumerate(text.split("\n"), 1)
            for word in content.partition("#")[0].split()
        ]
        self._at = 0
        self.lines: list[tuple[int, list[str]]] = [
            (line, [word.text for word in group])
            for line, group in itertools.groupby(self._words, key=lambda word: word.line)
        ]
        """The words of each line that has any, with its number."""
        self._last = text.count("\n") + 1

    @property
    def left(self) -> bool:
        """Return whether there is another word."""
        return self._at < len(self._words)

    def next(self, what: str) -> tuple[int, str]:
        """Return the next word and its line. Raises UnreadableError where there is none."""
        if not self.left:
            raise UnreadableError(self._last, f"the file ends where {what} is expected")
        word = self._words[self._at]
        self._at += 1
        return word.line, word.text

    def peek(self) -> str:
        """Return the next word without taking it; '' where there is none."""
        return self._words[self._at].text if self.left else ""

    def on_line(self, line: int) -> bool:
        """Return whether the next word stands on this line, too."""
        return self.left and self._words[self._at].line == line

    def count(self, what: str) -> int:
        """Return the next word, which is a count. Raises UnreadableError."""
        line, written = self.next(what)
        number = whole_number(written)
        if number is None:
            raise UnreadableError(line, f"'{written[:20]}' is not {what}, which is expected here")
        return number


@dataclass
class _Section:
    """The rules of one communicator size, and the words above them that belong to no rule."""

    above: list[tuple[int, str]] = field(default_factory=list)
    rules: list[tuple[int, list[str]]] = field(default_factory=list)


def miscounts(words: Words) -> Iterator[Finding]:
    """Yield which counts are wrong, and which rules lack a number; nothing unless each rule has its own line."""
    sections = _sections(words)
    if (
        not sections
        or len(sections[0].above) != 5
        or any(len(section.above) not in (2, 4) for section in sections[1:])
    ):
        return
    takes = _OF_RULE.get(words.version, _OF_RULE[2])
    collectives = [sections[:1]]
    for section in sections[1:]:
        if len(section.above) == 4:
            collectives.append([section])
        else:
            collectives[-1].append(section)
    yield from _count(sections[0].above[0], "collectives", len(collectives))
    for each in collectives:
        yield from _count(each[0].above[-3], "communicator sizes", len(each))
    for section in sections:
        yield from _count(section.above[-1], "message sizes", len(section.rules))
        for line, written in section.rules:
            if len(written) not in takes:
                yield Finding(
                    line, "syntax", f"a rule has {takes[0]} numbers, and this one {len(written)}",
                    "SIZE ALGORITHM FANOUT SEGMENT",
                )  # fmt: skip


def _sections(words: Words) -> list[_Section]:
    sections: list[_Section] = []
    current = _Section()
    if any(len(written) > _MOST_OF_RULE for _, written in words.lines):
        return []
    for line, written in words.lines:
        if len(written) >= _LEAST_OF_RULE:
            current.rules.append((line, written))
            continue
        if current.rules:
            sections.append(current)
            current = _Section()
        current.above += [(line, word) for word in written]
    return [*sections, current] if current.rules else []


def _count(written: tuple[int, str], what: str, there: int) -> Iterator[Finding]:
    line, word = written
    if whole_number(word) != there:
        follow = "follows" if there == 1 else "follow"
        yield Finding(
            line, "out of range", f"{word[:20]} {what} are announced, and {there} {follow}", f"write {there}"
        )
