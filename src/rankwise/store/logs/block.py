"""What the blocks of OSU's and IMB's logs share: a title, then lines of settings and of results."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from rankwise.core.records import Options, Quantity
from rankwise.store.logs.before import Before
from rankwise.store.logs.result import Log, LogResult, Row


@dataclass(slots=True)
class Block:
    """A benchmark whose lines follow; each format has a subclass that reads them."""

    TIMES: ClassVar[Mapping[str, Quantity]]
    """Columns of times, and what they are."""
    RATES: ClassVar[Collection[str]]
    """Columns of bandwidths."""
    line: int
    title: str
    benchmark: str
    """'': none that is read."""
    before: Before
    options: Options = field(default_factory=Options, kw_only=True)
    columns: tuple[str, ...] = field(default=(), kw_only=True)
    rows: int = field(default=0, kw_only=True)
    """Results so far."""

    def close(self, log: Log) -> None:
        """Name a block without results."""
        if self.benchmark and not self.rows:
            log.leave_out(self.line, f"'{self.title}' has no results")

    def _unknown_comment(self, number: int, line: str, log: Log) -> None:
        """Name a comment that is not known; after the first row it ends the block."""
        log.leave_out(number, f"the comment '{line[:60]}' is not known")
        self.columns = () if self.rows else self.columns

    def _keep_row(self, row: Mapping[str, float], place: Row, pairs: int, log: Log) -> None:
        """Keep a row's times, in microseconds; without any its bandwidth, in MB/s, summed over so many pairs."""
        timed = [name for name in self.columns if name in self.TIMES]
        for name in timed:
            self._keep(place.timed(self.TIMES[name], row[name]), log)
        for name in () if timed else self.RATES:
            if name in row:
                self._keep(place.rated(row[name], pairs), log)

    def _keep(self, result: LogResult | None, log: Log) -> None:
        if result:
            log.results.append(result)
            self.rows += 1
