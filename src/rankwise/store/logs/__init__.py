"""Readers of what other benchmarks have written: logs of OSU and IMB, as results."""

from __future__ import annotations

from collections.abc import Iterable

from rankwise.store.logs import imb, osu
from rankwise.store.logs.before import Before
from rankwise.store.logs.lines import lines_of, looks_like, plain
from rankwise.store.logs.result import Log, LogResult

__all__ = ["Log", "LogResult", "lines_of", "looks_like", "read"]


_LONGEST = 1000
"""Characters of a line that a benchmark prints; those of launchers may be longer."""


def read(lines: Iterable[str], file: str = "log", ranks: int = 0) -> Log:
    """Return the results of a log of OSU or IMB, or of several in one file; the lines keep their ends.

    `ranks` are those of OSU's blocks where nothing else gives theirs. Raises InputError, with file and line, where
    they are not known, or more than a job can have.
    """
    log = Log(file)
    before, suite = Before(), ""
    block: osu.OsuBlock | imb.ImbBlock | None = None
    for number, line in enumerate(lines, start=1):
        if not block and "#" not in line and "run" not in line and "mpiexec" not in line:
            continue  # neither a title nor a launcher's line: most lines of large files
        text = plain(line)
        own = text if len(text) <= _LONGEST else ""
        began = osu.begun(own, number, before, ranks) or imb.begun(own, number, before, suite)
        if began or before.take(text):
            if block:
                block.close(log)
            block, before = began, Before() if began else before
            suite = began.suite if isinstance(began, imb.ImbBlock) else suite
        elif block:
            block.take(number, own, log, torn=not line.endswith("\n"))
    if block:
        block.close(log)
    return log
