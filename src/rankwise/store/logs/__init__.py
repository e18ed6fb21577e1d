"""Readers of what other benchmarks have written: logs of OSU and IMB, as results."""

from __future__ import annotations

from rankwise.store.logs import imb, osu
from rankwise.store.logs.result import LogResult

__all__ = ["LogResult", "read"]


def read(text: str, ranks: int = 2) -> tuple[LogResult, ...]:
    """Return the results of a log of OSU or IMB, or of several in one file; none where there are none.

    `ranks` are those of OSU's, which do not tell theirs. Of several results of one cell the last counts.
    """
    found = {one.place: one for one in (*osu.read(text, ranks), *imb.read(text))}
    return tuple(found.values())
