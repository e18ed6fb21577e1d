"""The answer to one question about hosts that are to be measured on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Level = Literal["ok", "note", "bad"]


@dataclass(frozen=True, slots=True)
class Finding:
    """A finding is the answer to one question; `note` can blur a measurement, `bad` will, or stops it."""

    question: str
    level: Level
    answer: str
    remedy: str = ""
