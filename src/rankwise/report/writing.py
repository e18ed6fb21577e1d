"""Writes a page: the file holds the old one or the whole new one, never a part."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from rankwise.core.errors import HostError
from rankwise.core.units import format_size


def write_page(path: Path, page: str) -> None:
    """Write the page to `path`, making its folder if need be.

    Raises HostError if the folder cannot be written or the disk is full.
    """
    temporary = None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(
            "w", encoding="utf-8", errors="replace", dir=path.parent, prefix=f".{path.name}.", delete=False
        ) as file:
            temporary = Path(file.name)
            file.write(page)
        temporary.chmod(0o666 & ~_umask())
        temporary.replace(path)
    except OSError as error:
        if temporary is not None:
            temporary.unlink(missing_ok=True)
        raise HostError(
            f"cannot write the report {path}: {error.strerror or error}",
            f"give another place for it, or free space: a report takes about {format_size(len(page))}",
        ) from error


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
