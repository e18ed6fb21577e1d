"""Is this machine fit to measure on, what is missing, and which command gets it?"""

from __future__ import annotations

from rankwise.testbeds import fitness, host
from rankwise.testbeds.fitness import Finding

__all__ = ["Finding", "examine"]


def examine(ranks: int | None = None, largest_bytes: int = 4 << 20) -> list[Finding]:
    """Return what was found for so many ranks (None: one for each usable core, two at least)."""
    return fitness.examine(ranks or max(2, host.usable_cores()), largest_bytes)
