"""The lines of a log as a benchmark printed them: without what launchers, terminals and mails put around them.

Taken away: spaces before and behind; escape sequences of terminals (colours); the mark of the byte order, also of
UTF-16; and before a line, in any order,

    0:                       srun --label
    [0]                      mpiexec -prepend-rank of MPICH and Intel MPI
    [1,0]<stdout>:           mpirun --tag-output of Open MPI, with the job's name before the 1 since version 5
    2026-11-27T04:00:00Z     the time, as CI services and containers put it
    >                        a quotation in a mail
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from pathlib import Path

from rankwise.core.errors import InputError

MOST_CHARACTERS = 1 << 16
"""In one line: no benchmark writes longer ones."""
_HEAD_BYTES = 4096
_ESCAPE = re.compile(r"\x1b(?:\[[0-9;:?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\))")
_BEFORE = re.compile(
    r"\s*(?:(?:>|[0-9]{1,7}:(?=[\s#])|\[[0-9]{1,7}\](?=\s)|\[[^\[\]<>\s]{0,100}[0-9]{1,7},[0-9]{1,7}\]<\w{1,9}>:?"
    r"|[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}[^\s#]{0,16}(?=\s))\s*)*"
)
_BINARY = (
    (b"\x1f\x8b", "gzip"), (b"PK\x03\x04", "zip"), (b"\xfd7zXZ", "xz"), (b"BZh", "bzip2"),
    (b"\x28\xb5\x2f\xfd", "zstd"), (b"\x7fELF", "an ELF program"),
    (b"SQLite format 3", "a results file of Rankwise (SQLite)"), (b"%PDF", "PDF"),
    (b"\x89HDF", "HDF5"), (b"\x89PNG", "PNG"),
)  # fmt: skip
_TEXTS = (
    (r"<!doctype html|<html", "HTML"), (r"<", "XML"), (r"\{|\[\s*[\[{\"]", "JSON"),
    (r"num_ranks\b", "a GOAL schedule"),
    (r"@ mpiP", "an mpiP report"), (r"%%MatrixMarket", "a MatrixMarket file"),
    (r"\[[\w.\-]+\]\s*$|[\w\-]+\s*=\s*[\[\"0-9]", "TOML"),
    (r"[^,\n]+(?:,[^,\n]+){2,}$", "CSV"), (r"[0-9]+ (?:init|finalize|MPI_Init)\b", "a time-independent trace"),
)  # fmt: skip


def plain(line: str) -> str:
    """Return a line without what stands around it."""
    text = _ESCAPE.sub("", line) if "\x1b" in line else line
    return text[_BEFORE.match(text).end() :].rstrip()  # type: ignore[union-attr]


def lines_of(file: Path) -> Iterator[str]:
    """Yield the lines of a text in UTF-8 or UTF-16, each with its end; other bytes become U+FFFD.

    Raises InputError for what cannot be read, for a binary file, and for a line that is no line.
    """
    try:
        with file.open("rb") as head:
            encoding = _encoding(head.read(_HEAD_BYTES), file)
        with file.open(encoding=encoding, errors="replace") as text:
            for number in range(1, 1 << 62):
                line = text.readline(MOST_CHARACTERS + 1)
                if len(line) > MOST_CHARACTERS:
                    raise InputError(
                        f"{file}:{number}: the line has more than {MOST_CHARACTERS} characters",
                        "give the benchmark's output as it was printed",
                    )
                if not line:
                    return
                yield line
    except OSError as error:
        raise InputError(f"cannot read {file}: {error.strerror}", "name a file that can be read") from error


def _encoding(head: bytes, file: Path) -> str:
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    known = next((name for start, name in _BINARY if head.startswith(start)), "")
    half = len(head) // 2
    if head[1::2].count(0) > half * 0.8 and not head[::2].count(0):
        return "utf-16-le"
    if head[::2].count(0) > half * 0.8 and not head[1::2].count(0):
        return "utf-16-be"
    if known or 0 in head:
        raise InputError(
            f"{file}:1: it is a binary file" + (f" ({known})" if known else ""),
            "give the text that the benchmark printed; unpack it first if it is packed",
        )
    return "utf-8-sig"


def looks_like(file: Path) -> str:
    """Return the name of the format that the first line with words suggests; '' if none."""
    first = next((line for line in map(str.strip, lines_of(file)) if line and line[0] not in "#/"), "")
    return next((name for pattern, name in _TEXTS if re.match(pattern, first, re.IGNORECASE)), "")
