"""mpiP's text report (Vetter and McCracken, PPoPP 2001): how often a program called what, with how many bytes.

It tells neither with whom, nor on which communicator: collectives are taken for those of all tasks.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from rankwise.analysis.application import class_bytes
from rankwise.analysis.recordings.base import Format, Recording, Row, Source, Totals
from rankwise.core.errors import InputError
from rankwise.core.records import Notice
from rankwise.core.units import MOST_COUNT, decimal_number, format_size

WHAT = "a report of mpiP"
_FIRST = "@ mpiP"
_SECTION = re.compile(r"@--- ([A-Z][A-Za-z\- ]*?)(?: \(|:| -)")
_TASK = re.compile(r"@ MPI Task Assignment\s*: (\d+)")
_OF_RANK = re.compile(
    r"([A-Z]\w*)\s+\d+\s+(\d{1,18})\s+(\d{1,18})\s+([\d.e+]+)\s+([\d.e+]+)\s+([\d.e+]+)\s+([\d.e+]+)\s*$", re.ASCII
)
_TIMED = re.compile(r"(I?[Bb]arrier)\s+\d+\s+\d+\s+(\d{1,18})\s", re.ASCII)
_SENDS = re.compile(r"(I?[bsr]?send|sendrecv(_replace)?|start|startall|[bsr]?send_init)", re.IGNORECASE)
_RECEIVES = re.compile(r"(I?m?recv|recv_init)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Report:
    """How often what was called: operation and bytes, over all tasks."""

    tasks: int
    calls: tuple[tuple[str, int, int], ...]
    """Operation, bytes up to a power of two, calls."""
    averaged: int
    """Calls at places whose messages differed in size: each is taken for one of the mean."""
    averaged_bytes: int


def parse(text: str, source: str) -> Report:
    """Read a report. Raises InputError if it has no sizes of messages."""
    sections = _sections(text)
    tasks = len({match[1] for line in text.splitlines() if (match := _TASK.match(line))})
    counts: Counter[tuple[str, int]] = Counter()
    averaged = averaged_bytes = 0
    for site in _of_ranks(sections.get("Callsite Message Sent statistics", [])):
        counts[site.function, class_bytes(site.mean_bytes)] += site.calls
        if site.differ:
            averaged += site.calls
            averaged_bytes += site.calls * site.mean_bytes
    for line in sections.get("Callsite Time statistics", []):
        if match := _TIMED.match(line):
            counts[match[1].lower(), 0] += int(match[2])
    if not counts or not tasks:
        raise InputError(
            f"{source} has no sizes of the messages of each task",
            "run mpiP without -c (a concise report) and -d (one without call sites)",
        )
    return Report(tasks, tuple((*key, count) for key, count in sorted(counts.items())), averaged, averaged_bytes)


def rows(report: Report) -> Iterator[Row]:
    """Yield operation, bytes, ranks and count: collectives once for all tasks."""
    for name, size, calls in report.calls:
        if _SENDS.fullmatch(name):
            yield "send", size, 2, calls
        elif not _RECEIVES.fullmatch(name):
            yield _plain(name), size, report.tasks, max(round(calls / report.tasks), 1)


def notices(report: Report, source: str) -> tuple[Notice, ...]:
    """Return what is to be said of what a report does not tell."""
    remedy = "record the program with `rankwise trace` to know them"
    notices = [Notice(
        "communicators unknown",
        f"{source} has no communicators: collectives are assumed to be of all tasks", remedy,
    )]  # fmt: skip
    if report.averaged:
        sized = sum(calls for name, _, calls in report.calls if name != "barrier")
        notices.append(Notice(
            "sizes averaged",
            f"{source} has only the mean of each call site's sizes: {report.averaged} of {sized} calls, "
            f"{format_size(report.averaged_bytes)}, are at call sites whose messages differ in size, and are "
            "taken for calls of the mean", remedy,
        ))  # fmt: skip
    return tuple(notices)


def _plain(name: str) -> str:
    """`Iallreduce` is an allreduce."""
    return name[1:].lower() if name[0] == "I" and name[1:2].islower() else name.lower()


def _sections(text: str) -> dict[str, list[str]]:
    sections: dict[str, list[str]] = {}
    lines: list[str] = []
    for line in text.splitlines():
        if line.startswith("@---"):
            match = _SECTION.match(line)
            lines = sections.setdefault(match[1] if match else line, [])
        else:
            lines.append(line)
    return sections


@dataclass(frozen=True, slots=True)
class _Site:
    """A call site of one task."""

    function: str
    calls: int
    mean_bytes: int
    differ: bool
    """Its messages were not all of one size."""


def _of_ranks(lines: list[str]) -> Iterator[_Site]:
    for line in lines:
        if match := _OF_RANK.match(line):
            yield _Site(match[1], int(match[3]), _bytes(match[5]), match[4] != match[6])


def _bytes(word: str) -> int:
    value = decimal_number(word) or 0.0
    return round(value) if value <= MOST_COUNT else 0


def _read(source: Source) -> Recording:
    report = parse(source.text(), str(source.path))
    return Recording(source.path, WHAT, totals=Totals(tuple(rows(report)), notices(report, str(source.path))))


FORMAT = Format(WHAT, lambda source: source.head.startswith(_FIRST), _read)
