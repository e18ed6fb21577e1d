"""Which formats of settings files can be read, and the one that a text has."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Protocol

from rankwise.profiles.lint import (
    environment,
    mpich_json,
    openmpi_han,
    openmpi_json,
    openmpi_rules,
    overlay_table,
    parameters,
)
from rankwise.profiles.lint.findings import Finding, Known, UnreadableError


class Format(Protocol):
    """A format is a module that recognises its texts and finds what is wrong with them."""

    TITLE: str

    def recognises(self, text: str) -> bool:
        """Return whether a text seems to be of this format."""

    def findings(self, text: str, known: Known) -> Iterable[Finding]:
        """Yield what is wrong. Raises UnreadableError."""


FORMATS: Mapping[str, Format] = {
    "overlay-table": overlay_table,
    "mpich-json": mpich_json,
    "openmpi-json": openmpi_json,
    "openmpi-han": openmpi_han,
    "openmpi-rules": openmpi_rules,
    "environment": environment,
    "openmpi-parameters": parameters,
}
"""In the order in which they are tried."""
MOST_CHARACTERS = 8 << 20
LONGEST_LINE = 1 << 20
_OTHERS = {
    "XML": re.compile(r"<"),
    "a program or a library": re.compile(r"\x7fELF"),
    "a log of OSU's benchmarks": re.compile(r"# OSU "),
    "a log of the Intel MPI Benchmarks": re.compile(r"#[-\s#]*Intel\(R\) MPI Benchmarks"),
    "a schedule in GOAL": re.compile(r"num_ranks\s"),
}
"""How files of other formats begin, and what these are."""


def findings(text: str, known: Known, name: str = "") -> Iterator[Finding]:
    """Yield what is wrong with a text of the format of this name, or of the first that recognises it, by line.

    Raises UnreadableError.
    """
    if len(text) > MOST_CHARACTERS:
        raise UnreadableError(1, f"it is longer than {MOST_CHARACTERS >> 20} MiB")
    long = next((place for place, line in enumerate(text.split("\n"), 1) if len(line) > LONGEST_LINE), 0)
    if long:
        raise UnreadableError(long, f"the line is longer than {LONGEST_LINE >> 10} KiB")
    if not text.strip():
        raise UnreadableError(1, "it is empty")
    looks = "" if name else _resemblance(text)
    if looks:
        raise UnreadableError(1, f"it looks like {looks}")
    chosen = (
        FORMATS[name]
        if name
        else next((candidate for candidate in FORMATS.values() if candidate.recognises(text)), None)
    )
    if chosen is None and _sets_nothing(text):
        return
    if chosen is None:
        raise UnreadableError(1, "it is not in any known format")
    yield from sorted(chosen.findings(text, known), key=lambda finding: finding.line)


def _sets_nothing(text: str) -> bool:
    """Whether it has comments alone, as parameter files have that installers leave."""
    return all(line.lstrip()[:1] in ("", "#") for line in text.split("\n"))


def _resemblance(text: str) -> str:
    """What else a text seems to be; '' where it may be any of these formats."""
    start = text.lstrip("\ufeff \t\r\n")[:400]
    if "\0" in start or "\ufffd" in start[:4]:
        return "a binary file, or text that is not UTF-8"
    return next((what for what, form in _OTHERS.items() if form.match(start)), "")
