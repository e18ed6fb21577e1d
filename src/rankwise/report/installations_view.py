"""The MPI implementations of this host in the terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from rankwise.core.records import Implementation


def installation_parts(implementations: Sequence[Implementation]) -> Iterator[RenderableType]:
    """Yield a table of the implementations, then what is wrong with those that do not work."""
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="bold")
    table.add_column("id", no_wrap=True)
    table.add_column("status", no_wrap=True)
    table.add_column("MPI", no_wrap=True)
    table.add_column("library")
    table.add_column("source", no_wrap=True)
    table.add_column("transports")
    for implementation in sorted(implementations, key=lambda mpi: mpi.id):
        style = "green" if implementation.status == "works" else "red"
        table.add_row(
            Text(implementation.id), Text(implementation.status, style), implementation.mpi_standard,
            Text(short_version(implementation.library_version)), implementation.source,
            Text(_transports(implementation)),
        )  # fmt: skip
    yield table
    for implementation in implementations:
        if implementation.status != "works":
            yield Text.assemble(
                "\n", (implementation.id, "red"), f": {implementation.reason}\n  remedy: {implementation.remedy}"
            )


def _transports(implementation: Implementation) -> str:
    """What carried messages, and of the libraries loaded for that whether they are its own or the system's."""
    transports = []
    for transport in implementation.transports:
        name, bracket, file = transport.partition(" (")
        own = implementation.prefix != "/usr" and Path(file).is_relative_to(Path(implementation.prefix).resolve())
        transports.append(f"{'own' if own else 'system'} {name}" if bracket else transport)
    return ", ".join(transports)


def short_version(library_version: str) -> str:
    """Return the start of a library's string, up to its version: what follows are build options."""
    text = library_version.partition(",")[0]
    for long, short in (("Intel(R) MPI Library", "Intel MPI"), ("MPICH Version:", "MPICH")):
        text = text.replace(long, short)
    words = text.split()
    end = next((i + 1 for i, word in enumerate(words) if any(c.isdigit() for c in word)), len(words))
    return " ".join(words[:end])
