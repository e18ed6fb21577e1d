"""Schedules of users beside those of the harness: read, proved, and put where every rank finds them."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Sequence
from pathlib import Path

from rankwise.artifacts.builder import unwritable
from rankwise.core import paths
from rankwise.core.errors import InputError
from rankwise.core.schedule_names import ScheduleFiles, file_benchmark
from rankwise.schedules.fixed import proved
from rankwise.schedules.formats.reading import read
from rankwise.schedules.formats.text import text_of

SCHEDULES = "schedules"
"""The folder below the cache."""


def schedule_files(files: Sequence[Path], ranks: Sequence[int]) -> ScheduleFiles:
    """Return the benchmarks of these files and where their text for each number of ranks is.

    Raises InputError for a schedule that is wrong, which is not measured, and for two of one name.
    """
    by_name = {file.stem: file for file in files}
    if len(by_name) < len(files):
        raise InputError("two schedule files have one name", "rename one of them")
    return {
        count: {file_benchmark(operation, name): (name, text) for name, file in by_name.items()
                for operation, text in (placed_schedule(file, count),)}
        for count in dict.fromkeys(ranks)
    }  # fmt: skip


def placed_schedule(file: Path, ranks: int) -> tuple[str, str]:
    """Return the operation, and the path below the cache of the text that C reads, which is named by its content.

    Only files in Python must be asked for a number of ranks; 0 is any.

    Raises InputError for a file that is not there or says something wrong, HostError.
    """
    fixed, proof = proved(read(file, ranks))
    if not proof.right:
        raise InputError(
            f"{file}: {proof.faults[0]}", f"rankwise schedule verify {file} -n {fixed.ranks} lists all faults"
        )
    return fixed.operation, place_text(text_of(fixed), SCHEDULES, file.stem)


def place_text(text: str, kind: str, stem: str = "") -> str:
    """Return the path of a file below the cache with this text, named by `stem` and the text. Raises HostError."""
    name = f"{hashlib.sha256(text.encode()).hexdigest()[:16]}.txt"
    file = paths.cache_folder() / kind / (f"{re.sub(r'[^a-zA-Z0-9_-]', '_', stem)}.{name}" if stem else name)
    try:
        if not file.exists():
            file.parent.mkdir(parents=True, exist_ok=True)
            temporary = file.with_suffix(f".{os.getpid()}")
            temporary.write_text(text, encoding="utf-8")
            temporary.replace(file)
    except OSError as error:
        raise unwritable(error) from error
    return str(file)
