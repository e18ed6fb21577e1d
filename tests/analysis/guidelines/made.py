"""Checks and violations of guidelines, made by hand for the tests beside this file."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from rankwise.analysis.guidelines.checks import Check, Word
from rankwise.core.records import Options

GATHER = Check(
    "gather_as_allgather", "mpich-5.0.2", "mpich-5.0.2", "gather", "allgather", 1024, 4, Options(), "block",
    1e-5, 1e-5, 1.0, 0.9, 1.1, 0.01, "holds", 12,
)  # fmt: skip


def one(word: Word, size_bytes: int = 1024, ratio: float = 1.0, **changes: Any) -> Check:
    """The check with this outcome; its interval is 0.1 to either side."""
    times = {
        "operation_seconds": ratio * 1e-5,
        "ratio": ratio,
        "ratio_low": ratio - 0.1,
        "ratio_high": ratio + 0.1,
    }
    return replace(GATHER, word=word, size_bytes=size_bytes, **times, **changes)
