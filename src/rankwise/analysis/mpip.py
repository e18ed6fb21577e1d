"""mpiP's text report (Vetter and McCracken, PPoPP 2001): how often a program called what, with how many bytes.

It tells neither with whom, nor on which communicator: collectives are taken for those of all tasks.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from rankwise.analysis.application import class_bytes
from rankwise.core.errors import InputError
from rankwise.core.records import Notice

_FIRST = "@ mpiP"
_SECTION = re.compile(r"@--- ([A-Z][A-Za-z\- ]*?)(?: \(|:| -)")
_TASK = re.compile(r"@ MPI Task Assignment\s*: (\d+)")
_OF_RANK = re.compile(r"([A-Z]\w*)\s+\d+\s+(\d+)\s+(\d+)\s+([\d.e+]+)\s+([\d.e+]+)\s+([\d.e+]+)\s+([\d.e+]+)\s*$")
_TIMED = re.compile(r"(I?[Bb]arrier)\s+\d+\s+\d+\s+(\d+)\s")
_SENDS = re.compile(r"(I?[bsr]?send|sendrecv(_replace)?|start|startall|[bsr]?send_init)", re.IGNORECASE)
_RECEIVES = re.compile(r"(I?m?recv|recv_init)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Report:
    """How often what was called: operation and bytes, over all tasks."""

    tasks: int
    calls: tuple[tuple[str, int, int], ...]
    """Operation, bytes up to a power of two, calls."""


def is_report(text: str) -> bool:
    """Return whether a text is one of mpiP's."""
    return text.startswith(_FIRST)


def parse(text: str, source: str) -> Report:
    """Read a report. Raises InputError if it has no sizes of messages."""
    sections = _sections(text)
    tasks = len({match[1] for line in text.splitlines() if (match := _TASK.match(line))})
    counts: Counter[tuple[str, int]] = Counter()
    for name, calls, size in _of_ranks(sections.get("Callsite Message Sent statistics", [])):
        counts[name, class_bytes(size)] += calls
    for line in sections.get("Callsite Time statistics", []):
        if match := _TIMED.match(line):
            counts[match[1].lower(), 0] += int(match[2])
    if not counts or not tasks:
        raise InputError(
            f"{source} does not say what each task sent",
            "run mpiP without -c (a concise report) and -d (one without call sites)",
        )
    return Report(tasks, tuple((*key, count) for key, count in sorted(counts.items())))


def application_rows(report: Report) -> Iterator[tuple[str, int, int, int]]:
    """Yield operation, bytes, ranks and count, as `tune --for` takes them: collectives once for all tasks."""
    for name, size, calls in report.calls:
        if _SENDS.fullmatch(name):
            yield "send", size, 2, calls
        elif not _RECEIVES.fullmatch(name):
            yield _plain(name), size, report.tasks, max(round(calls / report.tasks), 1)


def notices(source: str) -> tuple[Notice, ...]:
    """Return what is to be said of what a report does not tell."""
    return (Notice(
        "communicators unknown", f"{source} does not tell communicators: collectives are taken for all tasks'",
        "record the program with `rankwise trace` to know them",
    ),)  # fmt: skip


def _plain(name: str) -> str:
    """`Iallreduce` is an allreduce."""
    return name[1:].lower() if name[0] == "I" and name[1:2].islower() else name.lower()


def _sections(text: str) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    lines: list[str] = []
    for line in text.splitlines():
        if line.startswith("@---"):
            match = _SECTION.match(line)
            lines = found.setdefault(match[1] if match else line, [])
        else:
            lines.append(line)
    return found


def _of_ranks(lines: list[str]) -> Iterator[tuple[str, int, int]]:
    """Function, calls and mean bytes of each place of each task."""
    for line in lines:
        if match := _OF_RANK.match(line):
            yield match[1], int(match[3]), _bytes(match[5])


def _bytes(word: str) -> int:
    try:
        value = float(word)
    except ValueError:
        return 0
    return round(value) if value < 1 << 62 else 0
