"""Reads a schedule from a file, whatever its format."""

from __future__ import annotations

from pathlib import Path

from rankwise.core.errors import HostError, InputError
from rankwise.schedules import written
from rankwise.schedules.fixed import FixedSchedule
from rankwise.schedules.formats.json_file import from_json
from rankwise.schedules.formats.msccl import from_msccl

MOST_BYTES = 1 << 26


def read(path: Path, ranks: int = 0, root: int = 0, name: str = "") -> FixedSchedule:
    """Return the schedule of a file: JSON, MSCCL's XML, or Python, which is asked for `ranks` ranks.

    Raises InputError that names the file, the rank and the step, HostError where it cannot be read.
    """
    if not path.is_file():
        raise InputError(f"file not found: {path}", "give a schedule as .json, .xml or .py")
    if path.suffix == ".py":
        if not ranks:
            raise InputError(f"{path} can be a schedule of any number of ranks", "give their number: -n 8")
        return written.load(path, name).fixed(ranks, root)
    try:
        if path.stat().st_size > MOST_BYTES:
            raise InputError(f"{path} is larger than {MOST_BYTES >> 20} MiB", "name the file of a schedule")
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise InputError(f"{path} is not a text file: {error}", "give a schedule as .json, .xml or .py") from error
    except OSError as error:
        raise HostError(f"cannot read {path}: {error}", "check its permissions") from error
    fixed = from_msccl(text, str(path), root) if text.lstrip().startswith("<") else from_json(text, str(path))
    if ranks and ranks != fixed.ranks:
        raise InputError(
            f"{path} is a schedule of {fixed.ranks} ranks, not of {ranks}", f"give {fixed.ranks} ranks"
        )
    return fixed
