"""Results of logs, and what the readers of logs share."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from rankwise.core.errors import InputError
from rankwise.core.limits import MOST_RANKS
from rankwise.core.peers import UNSIZED
from rankwise.core.records import Options, Quantity
from rankwise.core.units import decimal_number

MEGA = 1e6
_MOVED = {"bibandwidth": 2, "bibandwidth_persistent": 2, "put_bibandwidth": 2, "message_rate": 2}
"""Messages that a bandwidth is the sum of, where it is not one."""
_TORN = re.compile(r"[0-9]+\.[0-9]?|[0-9]+")
"""A number with two decimals whose end is missing."""


@dataclass(frozen=True, slots=True)
class LogResult:
    """What a log says of one benchmark at one size."""

    benchmark: str
    """Our name for it, or theirs where we have none; with what has no option here: `pingpong_device_host`."""
    size_bytes: int
    ranks: int
    quantity: Quantity
    seconds: float
    """A mean: of repetitions, and of ranks."""
    bytes_per_sample: float = 0.0
    options: Options = field(default=Options())
    variant: str = ""
    """The implementation and its settings, where the log names them: Rankwise's own do."""
    wrong: str = ""
    """Why its data are wrong; '' if they are right, or nobody looked. Then the time means nothing."""
    block: int = 0
    """The line of its block's title. Blocks of the same kind are runs of their own."""

    @property
    def place(self) -> tuple[str, int, int, Quantity]:
        """What identifies a result within a run."""
        return (self.benchmark, self.size_bytes, self.ranks, self.quantity)

    @property
    def kind(self) -> tuple[str, str, int, Options]:
        """What the blocks of several runs share."""
        return (self.variant, self.benchmark, self.ranks, self.options)


@dataclass(slots=True)
class Log:
    """What was found in a log so far."""

    file: str
    results: list[LogResult] = field(default_factory=list)
    unused: dict[str, list[int]] = field(default_factory=dict)
    """What was not used and why, with the numbers of the lines."""

    def leave_out(self, number: int, why: str) -> None:
        """Remember that a line was not used."""
        self.unused.setdefault(why, []).append(number)

    def ranks(self, number: int, ranks: int) -> int:
        """Return a number of ranks. Raises InputError for more than a job can have."""
        if not 1 <= ranks <= MOST_RANKS:
            raise InputError(f"{self.file}:{number}: {ranks} ranks", f"a job has 1 to {MOST_RANKS}")
        return ranks


def cells_of(words: Sequence[str], columns: Sequence[str], *, torn: bool) -> dict[str, float] | None:
    """Return a row's numbers by column; None if the line does not fit the columns.

    In the column `validation` stands Pass (1) or Fail (0). `torn`: the file ends in this line, so its last number
    counts only with both of its decimals.
    """
    if len(words) != len(columns) or (
        torn and _TORN.fullmatch(words[-1]) and columns[-1] not in ("iterations", "transmitsize", "size")
    ):
        return None
    row: dict[str, float] = {}
    for name, word in zip(columns, words, strict=True):
        number = {"pass": 1.0, "fail": 0.0}.get(word.lower()) if name == "validation" else decimal_number(word)
        if number is None:
            return None
        row[name] = number
    return row


@dataclass(frozen=True, slots=True)
class Row:
    """Where a row's results belong."""

    benchmark: str
    size: float
    ranks: int
    options: Options
    variant: str
    block: int
    wrong: str = ""

    def timed(self, quantity: Quantity, micro: float) -> LogResult | None:
        """Return a time in microseconds as a result; None if it is none."""
        size_bytes = 0 if self.benchmark in UNSIZED else int(self.size)
        if not micro > 0 or size_bytes >= 1 << 62:
            return None
        return self._result(size_bytes, quantity, micro / MEGA, 0.0)

    def rated(self, mega_per_second: float, pairs: int) -> LogResult | None:
        """Return a bandwidth in MB/s as the time of one message of each pair; None if it is none."""
        moved = self.size * _MOVED.get(self.benchmark, 1) * pairs
        if not mega_per_second > 0 or not 0 < moved < 1 << 62:
            return None
        seconds = moved / (mega_per_second * MEGA)
        return self._result(int(self.size), "time", seconds, moved) if 0 < seconds < math.inf else None

    def _result(self, size_bytes: int, quantity: Quantity, seconds: float, moved: float) -> LogResult:
        return LogResult(
            self.benchmark, size_bytes, self.ranks, quantity, seconds, moved, self.options, self.variant,
            self.wrong, self.block,
        )  # fmt: skip


def ours(names: Mapping[str, str], theirs: str) -> str:
    """Return our name for theirs (names: ours to theirs), or theirs in lower case.

    Spellings with and without hyphens are the same: logs have both.
    """
    plain = _plain(theirs)
    return next((name for name, title in names.items() if _plain(title) == plain), plain.replace(" ", "_"))


def _plain(name: str) -> str:
    return " ".join(name.lower().replace("-", "").split())
