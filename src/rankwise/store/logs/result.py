"""One line of a log as we understand it, and what the readers of logs share."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from rankwise.core.peers import UNSIZED
from rankwise.core.records import Quantity

MEGA = 1e6
_MOVED = {"bibandwidth": 2, "bibandwidth_persistent": 2, "put_bibandwidth": 2, "message_rate": 2}
"""Messages that a bandwidth is the sum of, where it is not one."""


@dataclass(frozen=True, slots=True)
class LogResult:
    """What a log says of one benchmark at one size."""

    benchmark: str
    """Our name for it, or theirs where we have none."""
    size_bytes: int
    ranks: int
    quantity: Quantity
    seconds: float
    """A mean: of repetitions, and of ranks."""
    bytes_per_sample: float = 0.0

    @property
    def place(self) -> tuple[str, int, int, Quantity]:
        """What tells results apart."""
        return (self.benchmark, self.size_bytes, self.ranks, self.quantity)


def numbers(words: list[str]) -> list[float]:
    """Return the leading words that are finite numbers, at least 0."""
    found: list[float] = []
    for word in words:
        try:
            number = float(word)
        except ValueError:
            break
        if not math.isfinite(number) or number < 0:
            break
        found.append(number)
    return found


def timed(benchmark: str, size: float, ranks: int, quantity: Quantity, micro: float) -> LogResult | None:
    """Return a time in microseconds as a result; None if it is none."""
    size_bytes = 0 if benchmark in UNSIZED else int(size)
    if not micro > 0 or size_bytes >= 1 << 62:
        return None
    return LogResult(benchmark, size_bytes, ranks, quantity, micro / MEGA)


def rated(benchmark: str, size: float, ranks: int, mega_per_second: float, pairs: int) -> LogResult | None:
    """Return a bandwidth in MB/s as the time of one message of each pair; None if it is none."""
    moved = size * _MOVED.get(benchmark, 1) * pairs
    if not mega_per_second > 0 or not 0 < moved < 1 << 62:
        return None
    seconds = moved / (mega_per_second * MEGA)
    return LogResult(benchmark, int(size), ranks, "time", seconds, moved) if 0 < seconds < math.inf else None


def ours(names: Mapping[str, str], theirs: str) -> str:
    """Return our name for theirs (names: ours to theirs), or theirs in lower case.

    Spellings with and without hyphens are the same: logs have both.
    """
    plain = _plain(theirs)
    return next((name for name, title in names.items() if _plain(title) == plain), plain.replace(" ", "_"))


def _plain(name: str) -> str:
    return " ".join(name.lower().replace("-", "").split())
