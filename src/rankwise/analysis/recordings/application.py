"""What an application calls, as CSV: `operation,size_bytes,ranks,count`, one line each."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator

from rankwise.analysis.application import COLUMNS
from rankwise.analysis.recordings.base import Format, Recording, Row, Source, Totals
from rankwise.core.errors import InputError
from rankwise.core.units import parse_count, parse_size_bytes

WHAT = f"a CSV `{','.join(COLUMNS)}`"


def _recognizes(source: Source) -> bool:
    """The heading has at least one name that no other format has."""
    lines = (line.strip() for line in source.head.removeprefix("\ufeff").splitlines())
    heading = next((line for line in lines if line.strip(",") and not line.startswith("#")), "")
    return not {"operation", "size_bytes", "count"}.isdisjoint(cell.strip().lower() for cell in heading.split(","))


def rows(text: str, source: str) -> Iterator[Row]:
    """Yield the lines of the CSV; `source` names it in errors.

    MPI_Allreduce, Allreduce and allreduce are the same. Raises InputError with the line for what is no such CSV.
    """
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


def _row(fields: dict[str, str], where: str) -> Row:
    name = re.sub(r"^p?mpi_", "", fields["operation"].lower())
    if not re.fullmatch(r"[a-z][a-z0-9_]*", name):
        raise InputError(
            f"{where}: '{fields['operation']}' is not a valid operation", "write MPI_Allreduce, or allreduce"
        )
    try:
        size_bytes = parse_size_bytes(fields["size_bytes"])
    except InputError as error:
        raise InputError(f"{where}: {error}", error.remedy) from error
    return name, size_bytes, _count(fields, "ranks", where, 1), _count(fields, "count", where, 0)


def _count(fields: dict[str, str], column: str, where: str, least: int) -> int:
    try:
        return parse_count(fields[column], least)
    except InputError as error:
        raise InputError(f"{where}: {column}: {error}", error.remedy) from error


def _read(source: Source) -> Recording:
    return Recording(source.path, WHAT, totals=Totals(tuple(rows(source.text(), str(source.path)))))


FORMAT = Format(WHAT, _recognizes, _read)
