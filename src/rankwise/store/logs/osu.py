"""Logs of the OSU micro-benchmarks: a title, a line that names the columns, and a line for each size.

# OSU MPI Latency Test v7.4
# Size          Latency (us)
1                       0.25
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from rankwise.core.peers import OSU_TITLES
from rankwise.core.records import Quantity
from rankwise.store.logs.result import LogResult, numbers, ours, rated, timed

_TITLE = re.compile(r"^#\s*OSU (?P<title>MPI.*?)(?:,.*|\s+v\d\S*)?\s*$")
_DEVICE = re.compile(r"\s*-(?:CUDA|ROCM|SYCL|OPENACC)\b")
_PAIRS = re.compile(r"\[ pairs: (\d{1,6}) \]")
_TIMES: dict[str, Quantity] = {
    "latency(us)": "time", "avglatency(us)": "time", "purecomm.(us)": "time", "overall(us)": "total",
    "compute(us)": "compute",
}  # fmt: skip
"""Columns of times, without their blanks."""
_RATES = ("bandwidth(mb/s)", "mb/s")


def read(text: str, ranks: int) -> Iterator[LogResult]:
    """Yield the results; lines that are none are passed over."""
    benchmark, pairs = "", 1
    columns: list[str] = []
    for line in text.splitlines():
        title = _TITLE.match(line)
        if title:
            benchmark = ours(OSU_TITLES, _DEVICE.sub("", title["title"]))
            columns, pairs = [], 1
        elif line.startswith("# Benchmarking"):
            benchmark = ""  # of IMB
        elif line.startswith("#"):
            found = _PAIRS.search(line)
            pairs = max(1, int(found[1])) if found else pairs
            columns = _columns(line) or columns
        elif benchmark and columns:
            yield from _results(benchmark, columns, line, max(ranks, 2 * pairs if pairs > 1 else 0), pairs)


def _columns(line: str) -> list[str]:
    """The names of the columns, without blanks and in lower case; none if this line does not name them."""
    names = [name.replace(" ", "").lower() for name in re.split(r"\s{2,}", line.lstrip("# \t"))]
    return names if any(name in _TIMES or name in _RATES for name in names) else []


def _results(benchmark: str, columns: list[str], line: str, ranks: int, pairs: int) -> Iterator[LogResult]:
    row = dict(zip(columns, numbers(line.split()), strict=False))
    size = row.get("size", 0.0)
    latency = [name for name in columns if name in _TIMES and name in row]
    for name in latency:
        result = timed(benchmark, size, ranks, _TIMES[name], row[name])
        if result:
            yield result
    for name in _RATES:
        result = rated(benchmark, size, ranks, row[name], pairs) if name in row and not latency else None
        if result:
            yield result
