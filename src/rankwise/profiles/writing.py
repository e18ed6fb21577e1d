"""Writes a profile's folder: all of it or nothing."""

from __future__ import annotations

import ctypes
import os
import tempfile
from pathlib import Path

from rankwise.core import signals
from rankwise.core.errors import InputError
from rankwise.core.records import DEFAULT
from rankwise.core.tuning import Profile
from rankwise.profiles.load_script import needed_files
from rankwise.profiles.loading import put_libraries
from rankwise.profiles.moving import unwritable, write_text
from rankwise.profiles.profile_file import FILE, is_name, profile_text, read
from rankwise.profiles.texts import all_files

_AT_FDCWD, _RENAME_EXCHANGE = -100, 2
_libc = ctypes.CDLL(None, use_errno=True)


def require_free(name: str, parent: Path, *, force: bool = False) -> Path:
    """Return the folder that a profile of this name gets; best asked before anything is measured.

    Raises InputError for what cannot be a name, and if there is one already: with `force` only if that folder
    holds anything that is no part of a profile, which replacing it would destroy.
    """
    if not is_name(name) or name == DEFAULT:
        raise InputError(f"'{name}' cannot be the name of a profile", "use letters, digits, '-', '.' and '_'")
    place = parent.resolve() / name
    if not place.exists():
        return place
    if not force:
        raise InputError(f"profile {place} already exists", "give another name, or --force to replace it")
    there = read(place).profile
    libraries = (f"{part.implementation}/{name}" for part in there.parts for name in needed_files(part.native))
    known = {FILE, *all_files(there, place), *libraries}
    others = [path for path in place.rglob("*") if not path.is_dir() and str(path.relative_to(place)) not in known]
    if others:
        raise InputError(f"{others[0]} is not part of the profile that would be replaced", "move it elsewhere")
    return place


def write(profile: Profile, parent: Path, *, force: bool = False) -> Path:
    """Write the profile into `parent`/NAME, and return that folder.

    It is made beside its place and renamed, so that whatever interrupts this, there is never half a profile, and
    the one that is replaced stays until the new one is whole. Raises InputError as `require_free`, HostError if
    the disk is full or may not be written.
    """
    place = require_free(profile.name, parent, force=force)
    texts = {**all_files(profile, place), FILE: profile_text(profile, place)}
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=f".{profile.name}.", dir=place.parent) as scratch:
            new = Path(scratch, "new")
            for name, text in texts.items():
                write_text(new / name, text)
            for part in profile.parts:
                put_libraries(part.native, new / part.implementation)
            with signals.signals_wait():
                _put(new, place, Path(scratch, "old"))
    except OSError as error:
        raise unwritable(place, error) from error
    return place


def remove(place: Path) -> None:
    """Take the profile away that lies there, in one step. Raises InputError as `require_free`, HostError."""
    require_free(place.name, place.parent, force=True)
    try:
        with tempfile.TemporaryDirectory(prefix=f".{place.name}.", dir=place.parent) as scratch:
            place.rename(Path(scratch, "old"))
    except OSError as error:
        raise unwritable(place, error) from error


def _put(new: Path, place: Path, old: Path) -> None:
    """Rename `new` to `place`; what is there trades places with it, in one step where the file system can."""
    if not place.exists():
        new.rename(place)
        return
    if _libc.renameat2(_AT_FDCWD, os.fsencode(new), _AT_FDCWD, os.fsencode(place), _RENAME_EXCHANGE) == 0:
        return
    place.rename(old)
    try:
        new.rename(place)
    except OSError:
        old.rename(place)
        raise
