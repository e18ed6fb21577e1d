"""Writes a page: the file holds the old one or the whole new one, never a part."""

from __future__ import annotations

from pathlib import Path

from rankwise.core.errors import HostError
from rankwise.core.units import format_size
from rankwise.core.whole_files import written_beside


def write_page(path: Path, page: str) -> None:
    """Write the page to `path`, making its folder if need be.

    Raises HostError if the folder cannot be written or the disk is full.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with written_beside(path) as beside:
            beside.write_text(page, encoding="utf-8", errors="replace")
    except OSError as error:
        raise HostError(
            f"cannot write the report {path}: {error.strerror or error}",
            f"give another place for it, or free space: a report takes about {format_size(len(page))}",
        ) from error
