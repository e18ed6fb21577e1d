"""The MPI implementations of this host in the terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from rankwise.core.records import Implementation


def installation_parts(found: Sequence[Implementation]) -> Iterator[RenderableType]:
    """Yield a table of the implementations, then what is wrong with those that do not work."""
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="bold")
    table.add_column("id", no_wrap=True)
    table.add_column("status", no_wrap=True)
    table.add_column("MPI", no_wrap=True)
    table.add_column("library")
    table.add_column("source", no_wrap=True)
    table.add_column("transports")
    for one in sorted(found, key=lambda one: one.id):
        style = "green" if one.status == "works" else "red"
        table.add_row(
            Text(one.id), Text(one.status, style), one.mpi_standard,
            Text(short_version(one.library_version)), one.source, Text(_transports(one)),
        )  # fmt: skip
    yield table
    for one in found:
        if one.status != "works":
            yield Text.assemble("\n", (one.id, "red"), f": {one.reason}\n  remedy: {one.remedy}")


def _transports(one: Implementation) -> str:
    """What carried messages, and of the libraries loaded for that whether they are its own or the system's."""
    words = []
    for transport in one.transports:
        name, found, file = transport.partition(" (")
        own = one.prefix != "/usr" and Path(file).is_relative_to(Path(one.prefix).resolve())
        words.append(f"{'own' if own else 'system'} {name}" if found else transport)
    return ", ".join(words)


def short_version(library_version: str) -> str:
    """Return the start of a library's string, up to its version: what follows are build options."""
    text = library_version.partition(",")[0]
    for long, short in (("Intel(R) MPI Library", "Intel MPI"), ("MPICH Version:", "MPICH")):
        text = text.replace(long, short)
    words = text.split()
    end = next((i + 1 for i, word in enumerate(words) if any(c.isdigit() for c in word)), len(words))
    return " ".join(words[:end])
