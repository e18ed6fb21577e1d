"""What Open MPI's monitoring component wrote: a file for each rank, with what it sent to whom.

With `pml_monitoring_enable` 1 messages of collectives are among the others (E); with 2 they are apart (I). Sizes
are counted by powers of two, collectives by kind and communicator but not by operation, persistent sends not at
all (Bosilca et al., EuroMPI 2017).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from rankwise.core.errors import InputError
from rankwise.core.records import Notice

_LINE = re.compile(r"([EI])\s+(\d+)\s+(\d+)\s+(\d+) bytes\s+(\d+) msgs sent(?:\s+([\d,]+))?\s*$")
_KIND = re.compile(r"(?:O2A|A2O|A2A)\s+\d+\s+\d+ bytes\s+(\d+) msgs sent")
_FILE = re.compile(r"(.+)\.\d+\.prof")
MOST_RANKS = 1 << 24


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
    files: tuple[Path, ...] = field(default=())


def is_monitoring(text: str) -> bool:
    """Return whether a text is such a file, or several of them one behind the other."""
    return any(_LINE.match(line.strip()) for line in text.splitlines())


def files_of(path: Path) -> tuple[Path, ...]:
    """Return the files of all ranks: those in a folder, or those beside a file `NAME.RANK.prof`.

    Raises InputError for a folder with files of several runs, or without any.
    """
    match = _FILE.fullmatch(path.name)
    if not path.is_dir():
        beside = path.parent.glob(f"{_escaped(match[1])}.*.prof") if match else ()
        return tuple(sorted(one for one in beside if _FILE.fullmatch(one.name))) or (path,)
    found = {one: match[1] for one in sorted(path.iterdir()) if (match := _FILE.fullmatch(one.name))}
    names = sorted(set(found.values()))
    if len(names) > 1:
        raise InputError(
            f"{path} has what Open MPI's monitoring wrote of several runs: {', '.join(names[:4])}",
            f"name one file of the run: {next(iter(found))}",
        )
    if not found:
        raise InputError(f"{path} has neither a trace nor files of Open MPI's monitoring (NAME.RANK.prof)",
                         "name the folder of `rankwise trace`, or a matrix")  # fmt: skip
    return tuple(found)


def _escaped(name: str) -> str:
    return re.sub(r"([*?\[])", r"[\1]", name)


def read_files(files: Sequence[Path]) -> Monitored:
    """Read them. Raises InputError for what cannot be read, and for ranks that are missing."""
    parts = []
    for path in files:
        try:
            parts.append(path.read_text())
        except (OSError, UnicodeDecodeError) as error:
            raise InputError(f"cannot read {path}: {error}", "give what Open MPI's monitoring wrote") from error
    found = parse("\n".join(parts), str(files[0]))
    missing = sorted(set(range(found.ranks)) - {one.source for one in found.sent})
    if len(files) == 1 and missing and _FILE.fullmatch(files[0].name):
        shown = ", ".join(map(str, missing[:5])) + (", ..." if len(missing) > 5 else "")
        raise InputError(
            f"{files[0]} is of one rank: what ranks {shown} sent is not there",
            "put the files of all ranks beside it: NAME.0.prof, NAME.1.prof, ...",
        )
    return Monitored(found.sent, found.ranks, found.collectives, tuple(files))


def parse(text: str, source: str) -> Monitored:
    """Read lines of one rank or of several. Raises InputError if there is none that says who sent what."""
    sent = []
    collectives: list[int] = []
    for line in text.splitlines():
        if match := _LINE.match(line.strip()):
            numbers = tuple(int(one) for one in (match[6] or "").split(",") if one)
            ranks = int(match[2]), int(match[3])
            if max(ranks) >= MOST_RANKS:
                raise InputError(f"{source} names rank {max(ranks)}", "that is more than any job has")
            if match[1] == "E":
                sent.append(Sent(*ranks, int(match[4]), int(match[5]), numbers))
        elif match := _KIND.match(line.strip()):
            collectives.append(int(match[1]))
    if not sent:
        raise InputError(
            f"{source} does not say what was sent to whom",
            "record it: --mca pml_monitoring_enable 2 --mca pml_monitoring_enable_output 3 "
            "--mca pml_monitoring_filename FILE",
        )
    return Monitored(tuple(sent), 1 + max(max(one.source, one.destination) for one in sent), sum(collectives))


def application_rows(found: Monitored) -> Iterator[tuple[str, int, int, int]]:
    """Yield operation, bytes, ranks and count, as `tune --for` takes them: messages alone."""
    for one in found.sent:
        if one.messages and sum(one.by_size) == one.messages:
            yield from _by_size(one)
        elif one.messages:
            yield "send", round(one.bytes / one.messages), 2, one.messages


def _by_size(one: Sent) -> Iterator[tuple[str, int, int, int]]:
    """Sizes within a power of two are its lower or its upper end, whichever sums up to the bytes better."""
    counts = [(place, count) for place, count in enumerate(one.by_size) if count]
    low = {place: 1 << (place - 1) if place else 0 for place, _ in counts}
    high = {place: (1 << place) - 1 if place else 0 for place, _ in counts}
    totals = [sum(size[place] * count for place, count in counts) for size in (low, high)]
    size = low if abs(one.bytes - totals[0]) <= abs(one.bytes - totals[1]) else high
    for place, count in counts:
        yield "send", size[place], 2, count


def notices(found: Monitored, source: str) -> tuple[Notice, ...]:
    """Return what is to be said of what the files do not tell."""
    if not found.collectives:
        return ()
    return (Notice(
        "collectives by kind", f"{source}: of {found.collectives} collectives the operation is not told",
        "record the program with `rankwise trace` to tune them",
    ),)  # fmt: skip
