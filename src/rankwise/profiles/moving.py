"""Profiles that were moved or copied: their files name the folder in which they were written.

What was edited by hand stays: only the folder's name in it is changed.
"""

from __future__ import annotations

import os
import re
import tempfile
from dataclasses import replace
from pathlib import Path

from rankwise.core.errors import HostError
from rankwise.core.tuning import FOLDER, Native, Part
from rankwise.profiles import texts
from rankwise.profiles.profile_file import FILE, Stored, with_folder


def is_settled(stored: Stored) -> bool:
    """Return whether its files name the folder in which they are."""
    return stored.written_in in ("", str(stored.folder))


def settled(stored: Stored) -> Stored:
    """Rewrite the files to name the folder in which they are now; as it was where they cannot be written."""
    if is_settled(stored):
        return stored
    before = texts.all_files(stored.profile, Path(stored.written_in))
    try:
        for name, text in texts.all_files(stored.profile, stored.folder).items():
            path = stored.folder / name
            on_disk = path.read_text(encoding="utf-8") if path.exists() else before[name]
            untouched = on_disk == before[name]
            write_text(path, text if untouched else _renamed(on_disk, stored.written_in, str(stored.folder)))
        own = stored.folder / FILE  # last: until then it is not settled
        write_text(own, with_folder(own.read_text(encoding="utf-8"), stored.folder))
    except (OSError, UnicodeDecodeError):
        return stored
    return replace(stored, written_in=str(stored.folder))


def current(stored: Stored, part: Part) -> Native:
    """Return what the part loads, with its files as they are on disk: missing ones as they were written first."""
    then = f"{stored.written_in or stored.folder}/{part.implementation}"
    files = []
    for name, text in part.native.files:
        path = stored.folder / part.implementation / name
        if path.exists():
            on_disk = path.read_text(encoding="utf-8", errors="replace")
            files.append(
                (name, text if on_disk == text.replace(FOLDER, then) else _renamed(on_disk, then, FOLDER))
            )
        else:
            files.append((name, text))
    return replace(part.native, files=tuple(files))


def write_text(path: Path, text: str, like: Path | None = None) -> None:
    """Write a file whole: it holds what it held or the new text, never a part of it. Raises OSError.

    It gets the permissions of `like`, if there is one, and bytes that were read as surrogates become bytes again.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        errors = "backslashreplace" if like is None else "surrogateescape"
        with os.fdopen(descriptor, "w", encoding="utf-8", errors=errors, newline="") as file:
            file.write(text)
        mask = os.umask(0)
        os.umask(mask)
        Path(name).chmod(like.stat().st_mode & 0o7777 if like is not None and like.exists() else 0o666 & ~mask)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def unwritable(path: Path, error: OSError) -> HostError:
    """Return the error that a profile's file cannot be written."""
    return HostError(
        f"cannot write {path}: {error.strerror or error}",
        "check for free disk space and write permission",
    )


def _renamed(text: str, old: str, new: str) -> str:
    return re.sub(re.escape(old) + r"(?![\w.-])", lambda _: new, text)
