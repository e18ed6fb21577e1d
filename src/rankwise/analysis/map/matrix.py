"""What ranks send one another, read from files of several kinds.

A list has a line `from,to,bytes` for each pair, or columns with these headings in any place. A table has a row of
bytes for each sender. Open MPI's monitoring component writes a file for each rank, `NAME.RANK.prof`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import scipy

from rankwise.analysis import monitoring, mpip
from rankwise.analysis.monitoring import Monitored
from rankwise.core.errors import InputError

MOST_RANKS = 1 << 16
_COLUMNS = ("from", "to", "bytes")
_KINDS = "a list `from,to,bytes`, a square table of bytes, or what Open MPI's monitoring writes"


@dataclass(frozen=True, slots=True, eq=False)
class CommunicationMatrix:
    """Bytes sent from rank to rank, shape (ranks, ranks), in one direction each."""

    ranks: int
    sent_bytes: scipy.sparse.csr_array

    @classmethod
    def of_table(cls, sent_bytes: np.ndarray) -> CommunicationMatrix:
        """Make one of bytes from rank to rank, shape (ranks, ranks)."""
        return cls(len(sent_bytes), scipy.sparse.csr_array(sent_bytes.astype(np.float64)))

    def weights(self) -> scipy.sparse.csr_array:
        """Return the bytes of each pair in both directions together, symmetric, without those to oneself."""
        both = (self.sent_bytes + self.sent_bytes.T).tolil()
        both.setdiag(0)
        made = scipy.sparse.csr_array(both)
        made.eliminate_zeros()
        return made


def read_matrix(path: Path) -> CommunicationMatrix:
    """Read a file. Raises InputError with file and line for what is no matrix, is negative, or is not square."""
    files = monitoring.files_of(path)
    if len(files) > 1 or path.is_dir():
        return _of_monitoring(monitoring.read_files(files))
    try:
        text = path.read_text()
    except OSError as error:
        raise InputError(
            f"cannot read {path}: {error.strerror}", f"give the folder of `rankwise trace`, {_KINDS}"
        ) from error
    except UnicodeDecodeError as error:
        raise InputError(f"{path} is no text", f"give {_KINDS}") from error
    if monitoring.is_monitoring(text):
        return _of_monitoring(monitoring.read_files(files))
    if mpip.is_report(text):
        raise InputError(
            f"{path} is a report of mpiP, which does not tell who sent to whom",
            "record the program: rankwise trace -- ./app, or Open MPI's monitoring",
        )
    lines = enumerate(text.splitlines(), 1)
    rows = [(number, one) for number, line in lines if (one := line.partition("#")[0].strip())]
    if not rows:
        raise InputError(f"{path} has no line of a matrix", f"give {_KINDS}")
    words = [(number, re.split(r"[\s,;]+", one.strip(",;"))) for number, one in rows]
    heading = list[str]()
    if not _is_number(words[0][1][0]):
        heading, words = words[0][1], words[1:]
    named = set(_COLUMNS) <= set(heading)
    columns = [heading.index(one) if named else place for place, one in enumerate(_COLUMNS)]
    widths = {len(entries) for _, entries in words}
    if not words:
        raise InputError(f"{path} has a heading alone", f"give {_KINDS}")
    if not named and widths == {len(words)} and not (widths <= {3, 4} and _looks_like_list(path, words)):
        return _table(path, words)
    if named and (odd := next((number for number, entries in words if len(entries) != len(heading)), 0)):
        raise InputError(f"{path}, line {odd}: the heading has {len(heading)} columns", "write as many there")
    if named or widths <= {3, 4}:
        if 4 in widths and not heading:
            raise InputError(
                f"{path}, line {words[0][0]}: {len(words)} lines of four numbers and no heading are no matrix",
                "a table is square; a list says which column it counts: from,to,messages,bytes",
            )
        return _of_entries(path, [_entry(path, number, entries, columns) for number, entries in words])
    number = next(number for number, entries in words if len(entries) != len(words))
    raise InputError(
        f"{path}, line {number}: a table of {len(words)} ranks has {len(words)} numbers in each row",
        f"give {_KINDS}",
    )


def _is_number(word: str) -> bool:
    try:
        return float(word) == float(word)
    except ValueError:
        return False


def _looks_like_list(path: Path, words: list[tuple[int, list[str]]]) -> bool:
    """Tell whether three or four lines without a heading, as many numbers in each, are a list.

    In a list no pair comes twice and nobody sends to itself; in a table nobody does either, so that its diagonal
    is 0. Raises InputError for what may be both.
    """
    pairs = [tuple(entries[:2]) for _, entries in words]
    if not all(word.isdecimal() and int(word) < MOST_RANKS for pair in pairs for word in pair):
        return False
    if len(set(pairs)) < len(pairs):
        return False
    if all(int(word) < len(words) for pair in pairs for word in pair):
        return True
    if all(_is_number(entries[at]) and float(entries[at]) == 0 for at, (_, entries) in enumerate(words)):
        return False
    if any(first == second for first, second in pairs):
        return False
    raise InputError(
        f"{path}, line {words[0][0]}: {len(words)} lines of {len(words)} numbers may be a list or a table",
        "write a heading with from, to and bytes above a list, or zeros on the diagonal of a table",
    )


def _of_monitoring(found: Monitored) -> CommunicationMatrix:
    entries = [(one.source, one.destination, float(one.bytes)) for one in found.sent]
    return _of_entries(found.files[0], entries)


def _number(path: Path, line: int, word: str) -> float:
    if not _is_number(word) or not 0 <= float(word) < float("inf"):
        raise InputError(f"{path}, line {line}: '{word}' is no number of bytes", "write 0 or more")
    return float(word)


def _entry(path: Path, line: int, entries: list[str], columns: list[int]) -> tuple[int, int, float]:
    source, destination, sent = (entries[place] for place in columns)
    if not (source.isdecimal() and destination.isdecimal()):
        raise InputError(f"{path}, line {line}: '{source},{destination}' are no ranks", "count them from 0")
    return int(source), int(destination), _number(path, line, sent)


def _of_entries(path: Path, entries: list[tuple[int, int, float]]) -> CommunicationMatrix:
    ranks = 1 + max(max(one[0], one[1]) for one in entries)
    if ranks > MOST_RANKS:
        raise InputError(f"{path} has {ranks} ranks", f"at most {MOST_RANKS} can be placed")
    senders, receivers, sizes = zip(*entries, strict=True)
    return CommunicationMatrix(
        ranks, scipy.sparse.csr_array(scipy.sparse.coo_array((sizes, (senders, receivers)), shape=(ranks, ranks)))
    )


def _table(path: Path, words: list[tuple[int, list[str]]]) -> CommunicationMatrix:
    rows = [[_number(path, line, word) for word in entries] for line, entries in words]
    return CommunicationMatrix.of_table(np.array(rows))
