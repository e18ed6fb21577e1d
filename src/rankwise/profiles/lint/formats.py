"""Which formats of settings files can be read, and the one that a text has."""

from __future__ import annotations

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


def findings(text: str, known: Known, name: str = "") -> Iterator[Finding]:
    """Yield what is wrong with a text of the format of this name, or of the first that recognises it, by line.

    Raises UnreadableError.
    """
    if len(text) > MOST_CHARACTERS:
        raise UnreadableError(1, f"it is longer than {MOST_CHARACTERS >> 20} MiB")
    found = FORMATS[name] if name else next((one for one in FORMATS.values() if one.recognises(text)), None)
    if found is None:
        raise UnreadableError(1, "it is not in any known format")
    yield from sorted(found.findings(text, known), key=lambda one: one.line)
