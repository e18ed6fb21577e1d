"""Schedules of users beside those of the harness: read, proved, and put where every rank finds them."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from pathlib import Path

from rankwise.artifacts.builder import unwritable
from rankwise.core import paths
from rankwise.core.errors import InputError
from rankwise.core.schedule_names import ScheduleFiles, file_benchmark
from rankwise.schedules.fixed import proved
from rankwise.schedules.formats.reading import read
from rankwise.schedules.formats.text import text_of


def schedule_files(files: Sequence[Path], ranks: Sequence[int]) -> ScheduleFiles:
    """Return the benchmarks of these files and where their text for each number of ranks is.

    Raises InputError for a schedule that is wrong, which is not measured, and for two of one name.
    """
    found = {file.stem: file for file in files}
    if len(found) < len(files):
        raise InputError("two schedule files have one name", "rename one of them")
    return {
        count: {file_benchmark(operation, name): (name, text) for name, file in found.items()
                for operation, text in (_placed(file, count),)}
        for count in dict.fromkeys(ranks)
    }  # fmt: skip


def _placed(file: Path, ranks: int) -> tuple[str, str]:
    """The operation, and the path of the text below the cache, which is named by its content."""
    fixed, proof = proved(read(file, ranks))
    if not proof.right:
        raise InputError(f"{file}: {proof.faults[0]}", f"rankwise schedule verify {file} -n {ranks} says all")
    return fixed.operation, place_text(text_of(fixed), "schedules")


def place_text(text: str, kind: str) -> str:
    """Return the path of a file below the cache with this text, named by it. Raises HostError."""
    file = paths.cache_folder() / kind / f"{hashlib.sha256(text.encode()).hexdigest()[:16]}.txt"
    try:
        if not file.exists():
            file.parent.mkdir(parents=True, exist_ok=True)
            temporary = file.with_suffix(f".{os.getpid()}")
            temporary.write_text(text, encoding="utf-8")
            temporary.replace(file)
    except OSError as error:
        raise unwritable(error) from error
    return str(file)
