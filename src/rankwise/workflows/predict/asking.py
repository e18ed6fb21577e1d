"""The words of one line of `rankwise predict`: collective operations, changes of a platform, ranges."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rankwise.analysis.predict.what_if import Change, parse_changes, parse_value
from rankwise.core.errors import InputError
from rankwise.workflows.predict.measured import sizes_of
from rankwise.workflows.predict.questions import Collective, algorithms_of

__all__ = ["MOST_STEPS", "collectives", "parse_changes", "parse_sweep"]

DEFAULT_SIZE_BYTES = 1 << 20
MOST_STEPS = 1000
"""Of a range."""


def collectives(
    operation: str, algorithm: str, sizes: tuple[int, ...] | None, more: Mapping[str, Any],
    store: Path | None = None, run_id: int | None = None,
) -> tuple[Collective, ...]:  # fmt: skip
    """Return a question for each size and algorithm; without sizes those of the run, without algorithm all.

    `more` are further fields of `Collective`. Raises InputError for names that there are not.
    """
    known = algorithms_of(operation)
    if algorithm and algorithm not in known:
        raise InputError(f"unknown algorithm {algorithm} for {operation}", f"known: {', '.join(known)}")
    if sizes is None:
        sizes = sizes_of(store, run_id, operation) if store and run_id else (DEFAULT_SIZE_BYTES,)
    return tuple(
        Collective(operation, name, size, **more)
        for size in sizes
        for name in ([algorithm] if algorithm else known)
    )


def parse_sweep(text: str) -> tuple[Change, tuple[float, float]]:
    """Return `wan.delay=1ms:100ms` as what is changed, and both ends. Raises InputError."""
    target, _, ends = text.partition("=")
    name, _, quantity = target.rpartition(".")
    low, colon, high = ends.partition(":")
    if not name or not colon or quantity not in ("rate", "delay"):
        raise InputError(f"'{text[:60]}' is not a range", "write NAME.delay=1ms:100ms or NAME.rate=100M:10G")
    kind = "rate" if quantity == "rate" else "delay"
    values = parse_value(kind, low), parse_value(kind, high)  # type: ignore[arg-type]
    if not 0 < values[0] < values[1]:
        raise InputError(f"'{ends[:60]}' is not a range", "begin above 0, with the lower end: 1ms:100ms")
    return Change(name, kind, values[0]), values  # type: ignore[arg-type]
