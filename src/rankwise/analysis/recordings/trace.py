"""The folder that `rankwise trace` writes."""

from __future__ import annotations

from rankwise.analysis.recordings.base import Format, Recording, Source
from rankwise.analysis.trace import reading

WHAT = "a trace of `rankwise trace` (its folder)"


def _read(source: Source) -> Recording:
    return Recording(source.path, WHAT, calls=reading.read(source.path))


FORMAT = Format(WHAT, lambda source: reading.has_trace(source.path), _read)
