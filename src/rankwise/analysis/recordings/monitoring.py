"""What Open MPI's monitoring component wrote: a file for each rank, with what it sent to whom.

With `pml_monitoring_enable` 1 messages of collectives are among the others (E); with 2 they are apart (I). Sizes
are counted by powers of two, collectives by kind and communicator but not by operation, persistent sends not at
all (Bosilca et al., EuroMPI 2017).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from rankwise.analysis.recordings.base import Format, Recording, Row, Source, Totals, Traffic
from rankwise.analysis.recordings.matrix import of_entries
from rankwise.core.errors import InputError
from rankwise.core.limits import MOST_RANKS
from rankwise.core.records import Notice
from rankwise.core.units import whole_number

WHAT = "output of Open MPI's monitoring (its folder, or a file NAME.RANK.prof)"
_FIRST = "# POINT TO POINT"
_LINE = re.compile(
    r"([EI])\s+(\d{1,18})\s+(\d{1,18})\s+(\d{1,18}) bytes\s+(\d{1,18}) msgs sent(?:\s+([\d,]+))?\s*$", re.ASCII
)
_KIND = re.compile(r"(?:O2A|A2O|A2A)\s+\d+\s+\d+ bytes\s+(\d{1,18}) msgs sent", re.ASCII)
_FILE = re.compile(r"(.+)\.\d+\.prof")


@dataclass(frozen=True, slots=True)
class Sent:
    """What one rank sent to another one."""

    source: int
    destination: int
    bytes: int
    messages: int
    by_size: tuple[int, ...] = ()
    """Messages of no bytes, of 1, of 2 and 3, of 4 to 7, and so on; with those of collectives; maybe not known."""


@dataclass(frozen=True, slots=True)
class Monitored:
    """What all ranks whose files were read sent."""

    sent: tuple[Sent, ...]
    ranks: int
    collectives: int = 0
    """Calls, of which the operation is not known."""


def _recognizes(source: Source) -> bool:
    """A folder with files of such names, or a file of one or several ranks."""
    if source.path.is_dir():
        return any(_FILE.fullmatch(file.name) for file in source.path.iterdir())
    head = source.head
    return head.startswith(_FIRST) or any(_LINE.match(line.strip()) for line in head.splitlines())


def files_of(path: Path) -> tuple[Path, ...]:
    """Return the files of all ranks: those in a folder, or those beside a file `NAME.RANK.prof`.

    Raises InputError for a folder with files of several runs.
    """
    match = _FILE.fullmatch(path.name)
    if not path.is_dir():
        beside = path.parent.glob(f"{_escaped(match[1])}.*.prof") if match else ()
        return tuple(sorted(file for file in beside if _FILE.fullmatch(file.name))) or (path,)
    names_of_runs = {file: match[1] for file in sorted(path.iterdir()) if (match := _FILE.fullmatch(file.name))}
    names = sorted(set(names_of_runs.values()))
    if len(names) > 1:
        raise InputError(
            f"{path} has what Open MPI's monitoring wrote of several runs: {', '.join(names[:4])}",
            f"name one file of the run: {next(iter(names_of_runs))}",
        )
    return tuple(names_of_runs)


def _escaped(name: str) -> str:
    return re.sub(r"([*?\[])", r"[\1]", name)


def read_files(sources: Sequence[Source]) -> Monitored:
    """Read them. Raises InputError for what cannot be read, and for ranks that are missing."""
    files = tuple(source.path for source in sources)
    monitored = parse("\n".join(source.text() for source in sources), str(files[0]))
    missing = sorted(set(range(monitored.ranks)) - {sent.source for sent in monitored.sent})
    if len(files) == 1 and missing and _FILE.fullmatch(files[0].name):
        shown = ", ".join(map(str, missing[:5])) + (", ..." if len(missing) > 5 else "")
        raise InputError(
            f"{files[0]} is of one rank: what ranks {shown} sent is not there",
            "put the files of all ranks beside it: NAME.0.prof, NAME.1.prof, ...",
        )
    return monitored


def parse(text: str, source: str) -> Monitored:
    """Read lines of one rank or of several. Raises InputError if there is none that says who sent what."""
    sent = []
    collectives: list[int] = []
    for line in text.splitlines():
        if match := _LINE.match(line.strip()):
            numbers = tuple(whole_number(count) or 0 for count in (match[6] or "").split(",") if count)
            ranks = int(match[2]), int(match[3])
            if max(ranks) >= MOST_RANKS:
                raise InputError(f"{source} names rank {max(ranks)}", f"a job has at most {MOST_RANKS} ranks")
            if match[1] == "E":
                sent.append(Sent(*ranks, int(match[4]), int(match[5]), numbers))
        elif match := _KIND.match(line.strip()):
            collectives.append(int(match[1]))
    if not sent:
        raise InputError(
            f"{source} has no senders and receivers",
            "record it: --mca pml_monitoring_enable 2 --mca pml_monitoring_enable_output 3 "
            "--mca pml_monitoring_filename FILE",
        )
    return Monitored(tuple(sent), 1 + max(max(line.source, line.destination) for line in sent), sum(collectives))


def rows(monitored: Monitored) -> Iterator[Row]:
    """Yield operation, bytes, ranks and count: messages alone."""
    for sent in monitored.sent:
        if sent.messages and sum(sent.by_size) == sent.messages:
            yield from _by_size(sent)
        elif sent.messages:
            yield "send", round(sent.bytes / sent.messages), 2, sent.messages


def _by_size(sent: Sent) -> Iterator[Row]:
    """Sizes within a power of two are its lower or its upper end, whichever sums up to the bytes better."""
    counts = [(place, count) for place, count in enumerate(sent.by_size) if count]
    low = {place: 1 << (place - 1) if place else 0 for place, _ in counts}
    high = {place: (1 << place) - 1 if place else 0 for place, _ in counts}
    totals = [sum(size[place] * count for place, count in counts) for size in (low, high)]
    size = low if abs(sent.bytes - totals[0]) <= abs(sent.bytes - totals[1]) else high
    for place, count in counts:
        yield "send", size[place], 2, count


def notices(monitored: Monitored, source: str) -> tuple[Notice, ...]:
    """Return what is to be said of what the files do not tell."""
    if not monitored.collectives:
        return ()
    return (Notice(
        "collectives by kind", f"{source}: the operation of {monitored.collectives} collectives is not recorded",
        "record the program with `rankwise trace` to tune them",
    ),)  # fmt: skip


def _read(source: Source) -> Recording:
    files = files_of(source.path)
    monitored = read_files([source] if files == (source.path,) else [Source.of(file) for file in files])
    matrix = of_entries(
        source.path, [(sent.source, sent.destination, float(sent.bytes)) for sent in monitored.sent]
    )
    totals = Totals(tuple(rows(monitored)), notices(monitored, str(source.path)))
    return Recording(source.path, WHAT, totals=totals, traffic=Traffic(matrix))


FORMAT = Format(WHAT, _recognizes, _read)
