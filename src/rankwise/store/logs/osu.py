"""Logs of the OSU micro-benchmarks (OMB), from 2 to 7.5: a title, settings, the columns, a line for each size.

    [# Number of Sender threads: 1 / # Number of Receiver threads: 2]     osu_latency_mt, before its title
    # OSU MPI-CUDA Latency Test v7.4                                      or (Version 2.1), or no version
    [# Window creation: ...]  [# Synchronization: ...]  [# [ pairs: 2 ] [ window size: 64 ]]
    [# Send Buffer on HOST (H) and Receive Buffer on DEVICE (D)]  [# Datatype: ...]
    # Size       Avg Latency(us)   [Min, Max, Iterations]   [Validation]   [P50 Tail Lat(us) ...]   [Transmit Size]
    1                       0.25

Several blocks `# Datatype`, columns and rows may follow one title (`-T`). A block ends with the next title of any
benchmark, OSU's of OpenSHMEM, UPC and NCCL among them; with a size that is not larger than the one before; with a
launcher's line; and with a comment that is not known. Reference: c/util/osu_util.c and osu_util_mpi.c of 7.4, and
osu_pt2pt.c and osu_coll.c of 5.3; of other versions what people have posted. What is used, named and refused is in
docs/formats.md.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from rankwise.core.errors import InputError
from rankwise.core.peers import OSU_TITLES, category_of
from rankwise.core.records import Options, Quantity, Sync
from rankwise.core.units import decimal_number
from rankwise.store.logs.before import Before
from rankwise.store.logs.block import Block
from rankwise.store.logs.result import Log, Row, cells_of, ours

_TITLE = re.compile(r"#\s*(?P<by>OSU|OMB)\b[\s-]*(?P<title>.*?)\s*(?:\s\(?[vV](?:ersion\s*)?[0-9][\w.\-]*\)?.*)?$")
_MPI = re.compile(r"(?:(?:MPI )?One Sided )?(?=MPI)")
_DEVICE = re.compile(r"\s*-(CUDA|ROCM|SYCL|OPENACC|MANAGED)\b")
_PAIRS = re.compile(r"# \[ pairs: ([0-9]{1,18}) \](?: \[ window size: (\w+) \])?")
_INIT = re.compile(r"nprocs: ([0-9]{1,18}), min: .*, avg: ([0-9.]+) ms")
_SETTING = re.compile(r"#\s*(Window creation|Synchronization|Datatype): (.*?)\.?$")
_BUFFERS = re.compile(r"# (?:Send Buffer|Rank 0 Memory) on (\w+).*? and (?:Receive Buffer|Rank 1 Memory) on (\w+)")
_FORKED = re.compile(r"# Number of forked processes in (sender|receiver): ([0-9]{1,6})")
_SYNCS: dict[str, Sync] = {
    "MPI_Win_flush": "flush", "MPI_Win_flush_local": "flush-local", "MPI_Win_lock/unlock": "lock",
    "MPI_Win_fence": "fence", "MPI_Win_post/start/complete/wait": "pscw",
}  # fmt: skip
_DATATYPES = {
    "MPI_CHAR": "byte",
    "MPI_BYTE": "byte",
    "MPI_INT": "int",
    "MPI_FLOAT": "float",
    "MPI_DOUBLE": "double",
}
_REDUCING = ("reduce", "accumulate")
_TIMES: dict[str, Quantity] = {
    "latency(us)": "time", "avglatency(us)": "time", "purecomm.(us)": "time", "overall(us)": "total",
    "compute(us)": "compute",
}  # fmt: skip
"""Columns of times, without their blanks."""
_RATES = ("bandwidth(mb/s)", "bi-bandwidth(mb/s)", "bandwidth(mb/sec)", "mb/s")
_COLUMN = re.compile(
    r"(?:avg |min |max )?latency ?\(us\)|(?:bi-)?bandwidth ?\(mb/s(?:ec)?\)|mb/s\b|messages/s\b|overall ?\(us\)"
    r"|compute ?\(us\)|coll\. init ?\(us\)|mpi_(?:test|wait) ?\(us\)|(?:pure|min|max) comm\. ?\(us\)"
    r"|overlap ?\(%\)|validation|iterations|transmit size|p[0-9]{1,2} tail (?:lat ?\(us\)|bw ?\(mb/s\))|size"
)
_THREADS = 2
"""Of osu_latency_mt where it does not print them."""
_TWO = frozenset({
    "pingpong", "bandwidth", "bibandwidth", "pingpong_threads", "pingpong_persistent", "bandwidth_persistent",
    "bibandwidth_persistent", "mpi_multiprocess_latency_test",
})  # fmt: skip
"""Their programs refuse any other number of processes, as the one-sided ones do."""


@dataclass(slots=True)
class OsuBlock(Block):
    """A benchmark whose lines follow; without a name if it is not one of MPI."""

    TIMES = _TIMES
    RATES = _RATES
    asked_ranks: int
    marks: tuple[str, ...] = ()
    """Differences from this benchmark that no option expresses."""
    pairs: int = 0
    last_size: float = -1.0

    def take(self, number: int, line: str, log: Log, *, torn: bool) -> None:
        """Take one of its lines."""
        if not self.benchmark or not line:
            return
        if columns := _columns(line):
            self.columns, self.last_size = columns, -1.0
        elif line.startswith("#"):
            self._comment(number, line, log)
        elif started := _INIT.match(line):
            row = Row("init", 0, log.ranks(number, int(started[1])), Options(), "", self.line)
            self._keep(row.timed("time", 1e3 * (decimal_number(started[2]) or 0.0)), log)
        elif self.columns and line[0] in "0123456789.":
            self._row(number, line.split(), log, torn=torn)

    def close(self, log: Log) -> None:
        """Name a block without results, and one of something else than MPI."""
        if not self.benchmark:
            log.leave_out(self.line, f"'{self.title}' is not a benchmark of MPI")
        Block.close(self, log)

    def _comment(self, number: int, line: str, log: Log) -> None:
        if pairs := _PAIRS.match(line):
            self.pairs = log.ranks(number, int(pairs[1]))
            if pairs[2] and pairs[2].isdecimal():
                self.options = replace(self.options, window=int(pairs[2][:9]))
        elif setting := _SETTING.match(line):
            self._setting(setting[1], setting[2])
        elif buffers := _BUFFERS.match(line):
            kinds = [kind.lower() for kind in buffers.groups()]
            self.marks = tuple(
                mark for mark in self.marks if mark not in ("cuda", "rocm", "sycl", "openacc", "managed")
            )
            self.marks += tuple(kinds) if kinds != ["host", "host"] else ()
        elif forked := _FORKED.match(line):
            self.marks += (f"{forked[2]}_{forked[1]}s",)
        elif not line.startswith("# Overall =") and line.strip("# "):
            self._unknown_comment(number, line, log)

    def _setting(self, name: str, value: str) -> None:
        if name == "Synchronization" and value in _SYNCS:
            self.options = replace(self.options, sync=_SYNCS[value])
        elif name == "Datatype":
            self.columns = ()
            reduces = any(word in self.benchmark for word in _REDUCING)
            own = {"MPI_FLOAT": "byte", "MPI_CHAR": "char", "MPI_BYTE": "char"} if reduces else {}
            datatype = own.get(value) or _DATATYPES.get(value) or value.removeprefix("MPI_").lower()
            self.options = replace(self.options, datatype=datatype)
        elif value not in ("MPI_Win_allocate",):
            self.marks += (value.removeprefix("MPI_").lower().replace("/", "_"),)

    def _row(self, number: int, words: list[str], log: Log, *, torn: bool) -> None:
        row = cells_of(words, self.columns, torn=torn)
        if row is None:
            log.leave_out(number, f"the row does not fit the columns of '{self.title}'")
            return
        if "size" in row and row["size"] <= self.last_size:
            log.leave_out(number, f"the sizes of '{self.title}' begin again without a title")
            self.columns = ()
            return
        self.last_size = row.get("size", -1.0)
        wrong = "its validation failed" if row.get("validation") == 0 else ""
        marks = (*self.marks, "derived") if "transmitsize" in row else self.marks
        place = Row(
            "_".join([self.benchmark, *marks]), row.get("size", 0.0), self._ranks(number, log), self._options(),
            self.before.variant, self.line, wrong,
        )  # fmt: skip
        self._keep_row(row, place, self.pairs or 1, log)

    def _options(self) -> Options:
        if self.benchmark != "pingpong_threads":
            return self.options
        return replace(self.options, threads=self.before.receivers or _THREADS)

    def _ranks(self, number: int, log: Log) -> int:
        """Of the block, by the surest that is known. Raises InputError if nothing is."""
        fixed = 2 if self.benchmark in _TWO or category_of(self.benchmark) == "one-sided" else 2 * self.pairs
        ranks = self.before.measured or fixed or self.before.launched or self.asked_ranks
        if not ranks:
            raise InputError(
                f"{log.file}:{number}: the log does not give the number of ranks of '{self.title}'",
                "give it with -n",
            )
        return log.ranks(number, ranks)


def begun(line: str, number: int, before: Before, asked_ranks: int) -> OsuBlock | None:
    """Return the block that this line is the title of; None if it is none."""
    match = _TITLE.match(line)
    if not match:
        return None
    title = match["title"]
    device = _DEVICE.search(title)
    name = _DEVICE.sub("", title)
    mpi = _MPI.match(name) if match["by"] == "OSU" else None
    benchmark = ours(OSU_TITLES, name[mpi.end() :]) if mpi else ""
    marks: tuple[str, ...] = (device[1].lower(),) if device else ()
    if benchmark == "pingpong_threads" and before.senders not in (0, 1, before.receivers):
        marks += (f"{before.senders}_senders",)
    return OsuBlock(number, f"{match['by']} {title}", benchmark, before, asked_ranks, marks=marks)


def _columns(line: str) -> tuple[str, ...]:
    """The names of the columns, without blanks and in lower case; none if this line does not name them.

    The sharp may be missing: osu_ibarrier before 7.2 has none.
    """
    text = " ".join(line.lstrip("# \t").lower().split())
    if _COLUMN.sub("", text).strip():
        return ()
    names = tuple(name.replace(" ", "") for name in _COLUMN.findall(text))
    return names if any(name in _TIMES or name in _RATES for name in names) else ()
