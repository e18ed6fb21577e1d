"""Finds the native programs that are installed beside `rankwise`."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

from rankwise.core.errors import HostError

FOLDER_VARIABLE = "RANKWISE_NATIVE"
"""Names a folder to look in before all others: one with the programs, or CMake's build tree."""


def program(name: str) -> Path:
    """Return the program of this name: from $RANKWISE_NATIVE, beside this Python, on PATH. Raises HostError."""
    for candidate in _candidates(name):
        if candidate.is_file() and os.access(candidate, os.X_OK):
            return candidate.absolute()
    raise HostError(f"the program {name} is not installed", "python3 -m pip install --force-reinstall rankwise")


def _candidates(name: str) -> Iterator[Path]:
    folder = os.environ.get(FOLDER_VARIABLE, "")
    if folder:
        yield Path(folder) / name
        yield from sorted(Path(folder).glob(f"native/*/{name}"))
    yield Path(sys.executable).parent / name
    path = shutil.which(name)
    if path:
        yield Path(path)
