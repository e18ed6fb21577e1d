"""A communication matrix: a list or a table of what ranks send one another.

A list has a line `from,to,bytes` for each pair, or columns with these headings in any place. A table has a row of
bytes for each sender. Numbers stand between blanks, commas, semicolons or bars, and `#` begins a remark. A
MatrixMarket file (Boisvert, Pozo & Remington, NISTIR 5935, 1996) is read as scipy.io does, which counts from 1.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import scipy

from rankwise.analysis.map.matrix import MOST_RANKS, CommunicationMatrix
from rankwise.analysis.recordings.base import Format, Recording, Source, Traffic
from rankwise.core import limits
from rankwise.core.errors import InputError
from rankwise.core.units import MOST_COUNT, decimal_number, short, whole_number

WHAT = "a communication matrix (a list `from,to,bytes`, a square table of bytes, or MatrixMarket)"
_COLUMNS = ("from", "to", "bytes")
_MEANINGS = {
    "source": "from", "src": "from", "sender": "from", "destination": "to", "dest": "to", "dst": "to",
    "receiver": "to",
}  # fmt: skip
_BANNER = "%%MatrixMarket"
_LONGEST_BANNER = 1000
_REMEDY = "correct that line of MatrixMarket"
_LONGEST_LINE = 1 << 22
_PATTERN = re.compile(r"\d+\s+\d+(\s+[^\s,;]+)*", re.ASCII)
_FORMS = "a list `from,to,bytes`, a square table of bytes, or MatrixMarket"


def is_pattern(source: Source) -> bool:
    """Return whether it is meant for the simulator, a list without a heading: `from to bytes [start]`."""
    first = next(iter(_lines(source.head)), (0, ""))[1]
    return _PATTERN.fullmatch(first) is not None


def _recognizes(source: Source) -> bool:
    """Either of the first two lines has numbers alone, or the heading has the names of a list."""
    if source.head.startswith(_BANNER):
        return True
    first = [_words(line) for _, line in _lines(source.head)[:2]]
    return any(map(_is_numbers, first)) or (bool(first) and set(_COLUMNS) <= set(map(_column, first[0])))


def _is_numbers(words: Iterable[str]) -> bool:
    return all(decimal_number(word.removeprefix("-")) is not None for word in words)


def _lines(text: str) -> list[tuple[int, str]]:
    """Number and text of each line, without remarks and empty lines."""
    lines = enumerate(text.removeprefix("\ufeff").splitlines(), 1)
    return [(number, text) for number, line in lines if (text := line.partition("#")[0].strip())]


def _words(line: str) -> list[str]:
    return re.split(r"[\s,;|]+", line.strip(",;|"))


def parse(text: str, path: Path) -> CommunicationMatrix:
    """Read a matrix. Raises InputError, with file and line, for an invalid, negative or non-square matrix."""
    if text.startswith(_BANNER):
        return _of_matrix_market(path, text)
    lines = _lines(text)
    if long := next((number for number, line in lines if len(line) > _LONGEST_LINE), 0):
        raise InputError(f"{path}, line {long}: more than {_LONGEST_LINE} characters", f"give {_FORMS}")
    words = [(number, _words(line)) for number, line in lines]
    if not words:
        raise InputError(f"{path} has no line of a matrix", f"give {_FORMS}")
    return _of_words(path, words)


def _of_words(path: Path, words: list[tuple[int, list[str]]]) -> CommunicationMatrix:
    """A list or a table, with a heading or without."""
    heading = list[str]()
    if decimal_number(words[0][1][0].removeprefix("-")) is None:
        heading, words = [_column(word) for word in words[0][1]], words[1:]
    named = all(heading.count(name) == 1 for name in _COLUMNS)
    is_list = not {"from", "to"}.isdisjoint(heading)
    columns = [heading.index(name) if named else place for place, name in enumerate(_COLUMNS)]
    widths = {len(entries) for _, entries in words}
    if not words:
        raise InputError(f"{path} has a header but no rows", f"give {_FORMS}")
    if not is_list and widths == {len(words)} and not (widths <= {3, 4} and _looks_like_list(path, words)):
        return _table(path, words)
    if heading and not named and (is_list or widths <= {3, 4}):
        shown = ", ".join(map(short, heading[:8]))
        raise InputError(
            f"{path}: its columns are {shown}", "a list has the columns from, to and bytes, each once"
        )
    if named and (odd := next((number for number, entries in words if len(entries) != len(heading)), 0)):
        raise InputError(f"{path}, line {odd}: the header has {len(heading)} columns", "give each row as many")
    if named or widths <= {3, 4}:
        if 4 in widths and not heading:
            raise InputError(
                f"{path}, line {words[0][0]}: {len(words)} lines of four numbers without a header: ambiguous",
                "a table is square; name the columns of a list: from,to,messages,bytes",
            )
        return of_entries(path, [_entry(path, number, entries, columns) for number, entries in words])
    number = next(number for number, entries in words if len(entries) != len(words))
    raise InputError(
        f"{path}, line {number}: a table of {len(words)} ranks has {len(words)} numbers in each row",
        f"give {_FORMS}",
    )


def _column(word: str) -> str:
    plain = word.strip("\"'").lower()
    return _MEANINGS.get(plain, plain)


def _of_matrix_market(path: Path, text: str) -> CommunicationMatrix:
    """Symmetric files have each entry for both directions; those of patterns have no bytes."""
    if "\n" not in text[:_LONGEST_BANNER]:
        raise InputError(f"{path}, line 1: {short(text[:_LONGEST_BANNER])} is not a MatrixMarket header", _REMEDY)
    data = text.encode()
    try:
        rows, columns, entries, _, field, _ = scipy.io.mminfo(io.BytesIO(data))
        if rows != columns or not 0 < rows <= MOST_RANKS:
            raise InputError(f"{path} is {rows} x {columns}", f"at most {MOST_RANKS} ranks send to as many")
        if field not in {"real", "integer", "unsigned-integer", "double"}:
            raise InputError(f"{path} has entries of the kind {field}", "write bytes: real or integer")
        if entries > len(text):
            raise InputError(f"{path} announces {entries} entries and has fewer", "write it whole")
        weights = scipy.sparse.csr_array(scipy.io.mmread(io.BytesIO(data)))
    except (ValueError, OverflowError) as error:
        raise InputError(f"{path}: {error}", _REMEDY) from error
    if not (np.isfinite(weights.data).all() and (weights.data >= 0).all()):
        raise InputError(f"{path} has entries that are not numbers of bytes", f"write 0 to {MOST_COUNT}")
    return CommunicationMatrix(rows, weights.astype(np.float64))


def _looks_like_list(path: Path, words: list[tuple[int, list[str]]]) -> bool:
    """Tell whether three or four lines without a heading, as many numbers in each, are a list.

    In a list no pair comes twice and nobody sends to itself; in a table nobody does either, so that its diagonal
    is 0. Raises InputError for what may be both.
    """
    pairs = [tuple(entries[:2]) for _, entries in words]
    ranks = [whole_number(word) for pair in pairs for word in pair]
    if None in ranks or len(set(pairs)) < len(pairs):
        return False
    highest = max(rank or 0 for rank in ranks)
    if highest >= MOST_RANKS:
        return False
    if highest < len(words):
        return True
    if all(decimal_number(entries[at]) == 0 for at, (_, entries) in enumerate(words)):
        return False
    if any(first == second for first, second in pairs):
        return False
    raise InputError(
        f"{path}, line {words[0][0]}: {len(words)} lines of {len(words)} numbers may be a list or a table",
        "write a header with from, to and bytes above a list, or zeros on the diagonal of a table",
    )


def _number(path: Path, line: int, word: str) -> float:
    number = decimal_number(word)
    if number is None or number > MOST_COUNT:
        raise InputError(
            f"{path}, line {line}: '{short(word)}' is not a number of bytes", f"write 0 to {MOST_COUNT}"
        )
    return number


def _entry(path: Path, line: int, entries: list[str], columns: list[int]) -> tuple[int, int, float]:
    source, destination, sent = (entries[place] for place in columns)
    sender, receiver = whole_number(source), whole_number(destination)
    if sender is None or receiver is None:
        raise InputError(
            f"{path}, line {line}: not rank numbers: '{short(source)},{short(destination)}'", "count ranks from 0"
        )
    return sender, receiver, _number(path, line, sent)


def of_entries(path: Path, entries: list[tuple[int, int, float]]) -> CommunicationMatrix:
    """Return the matrix of bytes from rank to rank. Raises InputError for more ranks than a job has."""
    ranks = 1 + max(max(sender, receiver) for sender, receiver, _ in entries)
    if ranks > limits.MOST_RANKS:
        raise InputError(f"{path} has {ranks} ranks", f"a job has at most {limits.MOST_RANKS}")
    senders, receivers, sizes = zip(*entries, strict=True)
    return CommunicationMatrix(
        ranks, scipy.sparse.csr_array(scipy.sparse.coo_array((sizes, (senders, receivers)), shape=(ranks, ranks)))
    )


def _table(path: Path, words: list[tuple[int, list[str]]]) -> CommunicationMatrix:
    rows = [[_number(path, line, word) for word in entries] for line, entries in words]
    return CommunicationMatrix.of_table(np.array(rows))


def _read(source: Source) -> Recording:
    return Recording(source.path, WHAT, traffic=Traffic(parse(source.text(), source.path)))


FORMAT = Format(WHAT, _recognizes, _read)
