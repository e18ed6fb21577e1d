"""Logs of the Intel MPI Benchmarks, from 3 to 2021: each benchmark between lines of dashes, its columns, its rows.

    #    Intel(R) MPI Benchmarks 2021.8, MPI-1 part         before the first benchmark: the suite
    # Benchmarking PingPong                                 or Multi-PingPong with `-multi`
    # #processes = 2                                        IMB-MT adds (threads: 2);
                                                            or ( 2 groups of 4 processes each running ... )
    [#    MODE: AGGREGATE]                                  IMB-EXT, -IO and -RMA: each benchmark has two modes
    [Group] #bytes #repetitions     t[usec]   Mbytes/sec    [defects]; a row a group with `-multi 1`
                1         1000         0.25         4.00

The columns have the names of src_c/IMB_output.c. A block ends with the next title of any benchmark, with a
launcher's line, and with a comment that is not known. Reference: IMB_output.c, IMB_g_info.c and MT_benchmark.h of
2021.11; of other versions what people have posted. What is used, named and refused is in docs/formats.md.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace

from rankwise.core.peers import IMB_NAMES, category_of
from rankwise.core.records import Options, Quantity
from rankwise.store.logs.before import Before
from rankwise.store.logs.block import Block
from rankwise.store.logs.result import Log, Row, cells_of, ours

_SUITE = re.compile(r"#\s*Intel ?\(R\) MPI Benchmark.*?,\s*(?P<part>.*)")
_TITLE = re.compile(r"#\s*Benchmarking\s+(?P<multi>Multi-)?(?P<name>\S+)")
_PROCESSES = re.compile(r"#processes\s*=\s*([0-9]{1,18})\b(?:.*\(threads: ([0-9]{1,6})\))?")
_GROUPS = re.compile(r"\(\s*([0-9]{1,18}) groups of ([0-9]{1,18}) processes")
_MODE = re.compile(r"#\s*MODE:\s*(NON-)?AGGREGATE")
_WINDOW = re.compile(r"# window_size = ([0-9]{1,9})")
_SILENT = re.compile(r"#[\s.\-]*$|# Group |#\s+[0-9. ]+$|# \( [0-9]+ additional process|# All processes entering")
_TIMES: dict[str, Quantity] = {
    "t[usec]": "time", "t_avg[usec]": "time", "t_pure[usec]": "time", "t_ovrl[usec]": "total",
    "t_cpu[usec]": "compute",
}  # fmt: skip
_RATE = "mbytes/sec"
_LOCAL = {"Put_local": "Unidir_put", "Get_local": "Unidir_get"}
"""What IMB-RMA completes locally, and the same completed at the target."""


@dataclass(slots=True)
class ImbBlock(Block):
    """A benchmark whose lines follow, or the lines before the first one."""

    TIMES = _TIMES
    RATES = (_RATE,)
    suite: str
    ranks: int = 0
    groups: int = 1
    of_groups: list[dict[str, float]] = field(default_factory=list)
    """The rows of single groups (`-multi 1`) since the last size."""
    aggregates: bool = False

    def take(self, number: int, line: str, log: Log, *, torn: bool) -> None:
        """Take one of its lines."""
        if not self.benchmark or not line:
            return
        if "#repetitions" in line or line.startswith("#bytes"):
            self.columns = tuple(name.lower() for name in line.split())
        elif line.startswith("#"):
            self._comment(number, line, log)
        elif self.columns and line[0] in "0123456789.":
            self._row(number, line.split(), log, torn=torn)

    def _comment(self, number: int, line: str, log: Log) -> None:
        if processes := _PROCESSES.search(line):
            self.ranks = log.ranks(number, int(processes[1]))
            self.options = replace(self.options, threads=max(1, int(processes[2] or 1)))
        elif groups := _GROUPS.search(line):
            self.ranks, self.groups = log.ranks(number, int(groups[1]) * int(groups[2])), int(groups[1])
            if self.benchmark != "multi_pingpong":
                self.options = replace(self.options, groups=int(groups[1]))
        elif mode := _MODE.match(line):
            self.aggregates = not mode[1]
        elif window := _WINDOW.match(line):
            self.options = replace(self.options, window=int(window[1]))
        elif not _SILENT.match(line):
            self._unknown_comment(number, line, log)

    def _row(self, number: int, words: list[str], log: Log, *, torn: bool) -> None:
        row = cells_of(words, self.columns, torn=torn)
        if row is None or not self.ranks:
            why = "the row does not fit the columns" if self.ranks else "the number of processes is missing"
            log.leave_out(number, f"{why} of '{self.title}'")
            return
        if "group" in row:
            same = [other for other in self.of_groups if other.get("#bytes") == row.get("#bytes")]
            self.of_groups = [*same, row]
            if len(self.of_groups) < self.groups:
                return
            row, self.of_groups = _over_groups(self.of_groups), []
        name = f"{self.benchmark}_aggregate" if self.aggregates else self.benchmark
        size = row.get("#bytes", 0.0) / self.options.threads
        wrong = f"defects {row['defects']:g}" if row.get("defects") else ""
        place = Row(name, size, self.ranks, self.options, self.before.variant, self.line, wrong)
        self._keep_row(row, place, max(1, self.ranks // 2), log)


def _over_groups(rows: list[dict[str, float]]) -> dict[str, float]:
    """What `-multi 0` prints: the slowest group, but the mean of averages."""
    return {
        name: sum(row[name] for row in rows) / len(rows)
        if name == "t_avg[usec]"
        else (min if name == _RATE else max)(row[name] for row in rows)
        for name in rows[0]
    }


def begun(line: str, number: int, before: Before, suite: str) -> ImbBlock | None:
    """Return the block that begins with this line, a title or that of a suite; None if none does."""
    if part := _SUITE.match(line):
        return ImbBlock(number, "", "", before, part["part"])
    match = _TITLE.match(line)
    if not match:
        return None
    theirs = match["name"]
    benchmark = ours(IMB_NAMES, _LOCAL.get(theirs, theirs))
    options = Options()
    if theirs in _LOCAL:
        options = replace(options, sync="flush-local")
    elif category_of(benchmark) == "one-sided" and (
        suite.startswith("MPI-2") or theirs in ("Unidir_Put", "Unidir_Get")
    ):
        options = replace(options, sync="fence")
    if match["multi"] and benchmark == "pingpong":
        benchmark = "multi_pingpong"
    return ImbBlock(number, f"IMB {match['multi'] or ''}{theirs}", benchmark, before, suite, options=options)
