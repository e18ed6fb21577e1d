"""What a launch loads, as one record whose identity is its content."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, field

import msgspec

from rankwise.core.records import Implementation
from rankwise.core.tuning import Native, Tuning

ID_CHARACTERS = 16


@dataclass(frozen=True, slots=True)
class Configuration:
    """A configuration is an implementation with all that a launch of it loads.

    `tuning` has the settings in Rankwise's words, `native` what is loaded: files with their texts, variables,
    arguments. Two configurations with the same content have the same id, whatever people call them.
    """

    implementation: str
    tuning: Tuning = field(default=Tuning())
    native: Native = field(default=Native())
    library: str = ""
    """The library's own version string: an MPI that was upgraded in place is another configuration."""

    @property
    def content(self) -> str:
        """All of it as JSON, the same text for the same content: what the id is a digest of."""
        return msgspec.json.encode(self, order="deterministic").decode()

    @property
    def id(self) -> str:
        """The first 64 bits of the content's SHA-256, in hexadecimal."""
        return hashlib.sha256(self.content.encode("utf-8", "backslashreplace")).hexdigest()[:ID_CHARACTERS]

    @property
    def is_default(self) -> bool:
        """Whether it loads nothing, so that the implementation runs as it is installed."""
        return self.tuning == Tuning() and self.native == Native()


def plain(implementation: Implementation) -> Configuration:
    """Return the configuration of an implementation that loads nothing."""
    return Configuration(implementation.id, library=implementation.library_version)


def from_content(text: str) -> Configuration:
    """Return the configuration that `Configuration.content` gave this text. Raises ValueError."""
    return msgspec.json.decode(text, type=Configuration)


def by_id(configurations: Iterable[Configuration]) -> dict[str, Configuration]:
    """Return the configurations by their ids, each once."""
    return {configuration.id: configuration for configuration in configurations}
