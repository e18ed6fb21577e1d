"""What an application does, as weights: `operation,size_bytes,ranks,count`, one line each."""

from __future__ import annotations

import csv
import math
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from rankwise.core.errors import InputError
from rankwise.core.records import Cell, Notice
from rankwise.core.units import parse_size_bytes

COLUMNS = ("operation", "size_bytes", "ranks", "count")
POINT_TO_POINT = "pingpong"
"""The benchmark that stands for messages between two ranks."""
_ENDS = {
    **dict.fromkeys(("send", "isend", "ssend", "issend", "rsend", "irsend", "bsend", "ibsend"), "send"),
    **dict.fromkeys(("recv", "irecv", "mrecv", "imrecv"), "recv"),
}
_SAME = {"reduce_scatter_block": "reduce_scatter"}
"""Operations that the benchmark of another one measures."""
_SHOWN = 3


@dataclass(frozen=True, slots=True, order=True)
class Use:
    """Calls of one operation by communicators of one size, with messages of up to `size_bytes`, a power of two."""

    operation: str
    ranks: int
    size_bytes: int


@dataclass(frozen=True, slots=True)
class Application:
    """How often it does what. Counts say nothing of time: see `weights`."""

    counts: tuple[tuple[Use, int], ...]
    notices: tuple[Notice, ...] = ()
    """What it does that cannot be tuned."""

    def sizes_bytes(self, operation: str, ranks: int) -> tuple[int, ...]:
        """Return those of one operation and number of ranks, ascending."""
        return tuple(use.size_bytes for use, _ in self.counts if (use.operation, use.ranks) == (operation, ranks))

    def weights(self, seconds: Callable[[Use], float] = lambda _: 1.0) -> dict[Use, float]:
        """Return each use's share in the whole, 0 to 1; `seconds`: what one call takes, as far as it is known."""
        spent = {use: count * seconds(use) for use, count in self.counts}
        total = sum(spent.values())
        return {use: value / total for use, value in spent.items()} if total > 0 else {}

    def calls_at(self, cells: Sequence[Cell]) -> tuple[float, ...]:
        """Return how many calls each cell stands for: those of its operation and ranks nearest to its size.

        Cells that are equally near share them. Messages between two ranks stand for those of all communicators.
        """
        found = [0.0] * len(cells)
        for use, count in self.counts:
            distances = {
                i: abs(math.log2(max(cell.size_bytes, 1)) - math.log2(max(use.size_bytes, 1)))
                for i, cell in enumerate(cells)
                if cell.benchmark == use.operation and (use.operation == POINT_TO_POINT or cell.ranks == use.ranks)
            }
            nearest = [i for i, one in distances.items() if one == min(distances.values())]
            for i in nearest:
                found[i] += count / len(nearest)
        return tuple(found)


def together(applications: Iterable[Application]) -> Application | None:
    """Return what several do, as one; None without any."""
    several = list(applications)
    counts: Counter[Use] = Counter()
    for one in several:
        counts.update(dict(one.counts))
    return Application(tuple(sorted(counts.items()))) if several else None


def parse(text: str, source: str, tunable: Collection[str]) -> Application:
    """Read the CSV `text`; `source` names it in errors, `tunable` are the benchmarks that can be tuned.

    MPI_Allreduce, Allreduce and allreduce are the same. A message has two ends: where sends and receives are both
    listed, the larger of the two counts. Raises InputError with the line for what cannot be understood, and if
    nothing is left that could be tuned.
    """
    return of_rows(_rows(text, source), source, tunable)


def of_rows(
    rows: Iterable[tuple[str, int, int, int]], source: str, tunable: Collection[str],
    notices: tuple[Notice, ...] = (),
) -> Application:  # fmt: skip
    """Return what the rows say, operation, bytes, ranks and count; with `notices` beside those of its own.

    Raises InputError if there is nothing that could be tuned.
    """
    counts: Counter[Use] = Counter()
    ends: dict[str, Counter[Use]] = {"send": Counter(), "recv": Counter()}
    beyond: Counter[str] = Counter()
    for name, size_bytes, ranks, count in rows:
        operation = _SAME.get(name, name)
        end = _ENDS.get(operation)
        operation = POINT_TO_POINT if end else operation
        use = Use(operation, ranks, class_bytes(size_bytes))
        if operation not in tunable:
            beyond[name] += count
        elif end:
            ends[end][use] += count
        else:
            counts[use] += count
    for use, count in (ends["send"] | ends["recv"]).items():
        counts[use] += count
    found = tuple(sorted((use, count) for use, count in counts.items() if count))
    if not found:
        named = f": it has only {', '.join(sorted(beyond))}" if beyond else ""
        raise InputError(
            f"{source} has nothing that can be tuned{named}", f"tunable: {', '.join(sorted(tunable))}"
        )
    return Application(found, (*notices, *_notices(source, beyond)))


def _rows(text: str, source: str) -> Iterator[tuple[str, int, int, int]]:
    lines = csv.reader(text.removeprefix("\ufeff").splitlines())
    header: list[str] = []
    try:
        for cells in lines:
            row = [cell.strip() for cell in cells]
            if not any(row) or row[0].startswith("#"):
                continue
            where = f"{source}, line {lines.line_num}"
            if not header:
                header = [cell.lower() for cell in row]
                if sorted(header) != sorted(COLUMNS):
                    raise InputError(
                        f"{where}: the columns are '{','.join(row)}'",
                        f"the first line must be {','.join(COLUMNS)}",
                    )
                continue
            if len(row) != len(header):
                raise InputError(
                    f"{where} has {len(row)} fields, and the header {len(header)}", f"write {','.join(COLUMNS)}"
                )
            yield _row(dict(zip(header, row, strict=True)), where)
    except csv.Error as error:
        raise InputError(f"{source}, line {lines.line_num}: {error}", "give a CSV as text") from error
    if not header:
        raise InputError(f"{source} is empty", f"the first line must be {','.join(COLUMNS)}")


def _row(fields: dict[str, str], where: str) -> tuple[str, int, int, int]:
    name = re.sub(r"^p?mpi_", "", fields["operation"].lower())
    if not re.fullmatch(r"[a-z][a-z0-9_]*", name):
        raise InputError(f"{where}: '{fields['operation']}' is no operation", "write MPI_Allreduce, or allreduce")
    try:
        size_bytes = parse_size_bytes(fields["size_bytes"])
    except InputError as error:
        raise InputError(f"{where}: {error}", error.remedy) from error
    return name, size_bytes, _count(fields, "ranks", where, 1), _count(fields, "count", where, 0)


def _count(fields: dict[str, str], column: str, where: str, least: int) -> int:
    text = fields[column]
    if not (text.isascii() and text.isdigit()) or int(text) < least:
        raise InputError(f"{where}: {column} is '{text}'", f"write a whole number, {least} or more")
    return int(text)


def class_bytes(size_bytes: int) -> int:
    """Return the power of two at or above it; 0 stays 0."""
    return 1 << (size_bytes - 1).bit_length() if size_bytes > 0 else 0


def _notices(source: str, beyond: Counter[str]) -> tuple[Notice, ...]:
    if not beyond:
        return ()
    named = [f"{name} ({count} calls)" for name, count in beyond.most_common()]
    rest = [f"{len(named) - _SHOWN} more"] if len(named) > _SHOWN + 1 else named[_SHOWN:]
    return (
        Notice(
            "not-tunable",
            f"{source}: nothing can be set for {', '.join([*named[:_SHOWN], *rest])}",
            "what is left is tuned; these stay as they are",
        ),
    )
