"""Logs of the Intel MPI Benchmarks: each benchmark between lines of dashes, its columns, and a line for each size.

# Benchmarking PingPong
# #processes = 2
       #bytes #repetitions      t[usec]   Mbytes/sec
            1         1000         0.25         4.00
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from rankwise.core.peers import IMB_NAMES
from rankwise.core.records import Quantity
from rankwise.store.logs.result import LogResult, numbers, ours, rated, timed

_TITLE = re.compile(r"^#\s*Benchmarking (?:Multi-)?(?P<name>\S+)")
_PROCESSES = re.compile(r"#processes\s*=\s*(\d{1,7})\b")
_GROUPS = re.compile(r"\(\s*\d+ groups of (\d{1,7}) processes")
_TIMES: dict[str, Quantity] = {
    "t[usec]": "time", "t_avg[usec]": "time", "t_pure[usec]": "time", "t_ovrl[usec]": "total",
    "t_cpu[usec]": "compute",
}  # fmt: skip
_RATE = "mbytes/sec"


def read(text: str) -> Iterator[LogResult]:
    """Yield the results; lines that are none, and those of single groups of processes, are passed over."""
    benchmark, ranks = "", 0
    columns: list[str] = []
    for line in text.splitlines():
        title, processes = _TITLE.match(line), _PROCESSES.search(line) or _GROUPS.search(line)
        if title:
            benchmark, columns, ranks = ours(IMB_NAMES, title["name"]), [], 0
        elif line.startswith("# OSU"):
            benchmark = ""
        elif processes:
            ranks = int(processes[1])
        elif "#repetitions" in line:
            columns = [name.lower() for name in line.split()]
        elif benchmark and ranks and columns and "group" not in columns:
            yield from _results(benchmark, columns, line, ranks)


def _results(benchmark: str, columns: list[str], line: str, ranks: int) -> Iterator[LogResult]:
    row = dict(zip(columns, numbers(line.split()), strict=False))
    size = row.get("#bytes", 0.0)
    times = [name for name in columns if name in _TIMES and name in row]
    for name in times:
        result = timed(benchmark, size, ranks, _TIMES[name], row[name])
        if result:
            yield result
    if _RATE in row and not times:
        result = rated(benchmark, size, ranks, row[_RATE], max(1, ranks // 2))
        if result:
            yield result
