"""Which collective operations one line of the command asks about."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rankwise.core.errors import InputError
from rankwise.workflows.predict.measured import sizes_of
from rankwise.workflows.predict.questions import Collective, algorithms_of

DEFAULT_SIZE_BYTES = 1 << 20


def collectives(
    operation: str, algorithm: str, sizes: tuple[int, ...] | None, more: Mapping[str, Any],
    store: Path | None = None, run_id: int | None = None,
) -> tuple[Collective, ...]:  # fmt: skip
    """Return a question for each size and algorithm; without sizes those of the run, without algorithm all.

    `more` are further fields of `Collective`. Raises InputError for names that there are not.
    """
    known = algorithms_of(operation)
    if algorithm and algorithm not in known:
        raise InputError(f"there is no algorithm {algorithm} for {operation}", f"there is: {', '.join(known)}")
    if sizes is None:
        sizes = sizes_of(store, run_id, operation) if store and run_id else (DEFAULT_SIZE_BYTES,)
    return tuple(
        Collective(operation, name, size, **more)
        for size in sizes
        for name in ([algorithm] if algorithm else known)
    )
