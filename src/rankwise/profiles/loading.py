"""From a profile's folder to what a launch loads."""

from __future__ import annotations

import hashlib
import os
import shutil
from dataclasses import replace
from pathlib import Path

from rankwise.artifacts import builder
from rankwise.core import paths
from rankwise.core.errors import InputError
from rankwise.core.host_settings import setting
from rankwise.core.network import Settings
from rankwise.core.records import Implementation, Notice
from rankwise.core.tuning import Loaded, Native, Part, Profile
from rankwise.profiles import moving, profile_file
from rankwise.profiles.profile_file import Stored
from rankwise.profiles.resolving import resolved
from rankwise.profiles.texts import SYSCTL


def place(native: Native, folder: Path) -> Loaded:
    """Write the files of `native` into `folder`, which is made if need be, and return what a launch loads."""
    here = resolved(native, folder)
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in here.files:
        moving.write_text(folder / name, text)
    put_libraries(native, folder)
    return _what_loads(here, folder)


def put_libraries(native: Native, folder: Path) -> None:
    """Copy the libraries of `native` into `folder`, unless they are there. Raises InputError, OSError.

    They were built for one implementation, whose part of a profile holds them.
    """
    for library in native.libraries:
        source, place = builder.built(library), folder / Path(library).name
        if place.exists():
            continue
        if not source.exists():
            raise InputError(
                f"{place} is missing, and {source} that it was copied from as well",
                "copy it from another copy of the profile, or tune again",
            )
        scratch = place.with_name(f".{place.name}.{os.getpid()}")
        shutil.copy2(source, scratch)
        scratch.replace(place)


def place_apart(native: Native, host_settings: Settings = ()) -> Loaded:
    """Do the same below the cache, in a folder that only these settings have: for what has no place of its own.

    Raises HostError if the cache cannot be written.
    """
    digest = hashlib.sha256(repr(native).encode("utf-8", "backslashreplace")).hexdigest()[:16]
    folder = paths.cache_folder() / "profiles" / digest
    try:
        return replace(place(native, folder), host_settings=host_settings)
    except OSError as error:
        raise moving.unwritable(folder, error) from error


def settled(folder: Path) -> Stored:
    """Return the profile in `folder`, wherever that has been moved. Raises InputError."""
    return moving.settled(profile_file.read(folder))


def current(stored: Stored, part: Part) -> Native:
    """Return what the part loads, with files that were edited by hand as they stand."""
    return moving.current(stored, part)


def loaded(folder: Path, implementation: Implementation) -> Loaded:
    """Return what this implementation loads of the profile in `folder`, wherever that has been moved.

    A file that was edited by hand is loaded as it stands, one that is missing is written again. Raises InputError
    if the profile has nothing for this implementation and version, HostError if a file cannot be written.
    """
    stored = moving.settled(profile_file.read(folder))
    part = part_for(stored.profile, implementation)
    settings = part.tuning.host_settings
    own = stored.folder / part.implementation
    if not moving.is_settled(stored):  # the folder cannot be written, its files name another
        return place_apart(moving.current(stored, part), settings)
    native = resolved(part.native, own)
    try:
        for name, text in native.files:
            if not (own / name).exists():
                moving.write_text(own / name, text)
        put_libraries(native, own)
    except OSError as error:
        raise moving.unwritable(own, error) from error
    return _what_loads(native, own, settings)


def part_for(profile: Profile, implementation: Implementation) -> Part:
    """Return the part with this id, or of this family and version. Raises InputError that says which there are."""
    for part in profile.parts:
        if part.implementation == implementation.id:
            return part
    for part in profile.parts:
        if (part.family, part.version) == (implementation.family, implementation.version):
            return part
    has = ", ".join(part.implementation for part in profile.parts) or "nothing at all"
    raise InputError(
        f"profile {profile.name} has nothing for {implementation.id}, only {has}",
        f"tune {implementation.id}; recreate it with: {profile.command_line}",
    )


def part_of_family(profile: Profile, implementation: Implementation) -> Part | None:
    """Return the part of the same family with the nearest version: it may be translated for this version."""
    same = [part for part in profile.parts if part.family == implementation.family]
    wanted = implementation.version.split(".")

    def common(part: Part) -> int:
        pairs = zip(part.version.split("."), wanted, strict=False)
        return next((index for index, (piece, other) in enumerate(pairs) if piece != other), len(wanted))

    return max(same, key=common, default=None)


def edits(folder: Path, implementation: str = "") -> tuple[Notice, ...]:
    """Return a notice for each native file that was edited by hand, of all parts or of one. Raises InputError."""
    stored = profile_file.read(folder)
    notices = []
    for part in stored.profile.parts:
        if implementation not in ("", part.implementation):
            continue
        now = dict(moving.current(stored, part).files)
        notices += [
            Notice(
                "edited-profile",
                f"{stored.folder / part.implementation / name} was edited by hand, and is used as it stands",
                "remove it to have what was measured written again",
            )
            for name, text in part.native.files
            if now[name] != text
        ]
    return tuple(notices)


def sysctl_file(folder: Path) -> Path:
    """Return where the hosts' settings of the profile in `folder` are, if it has any."""
    return folder.resolve() / SYSCTL


def manual_commands(folder: Path, settings: Settings) -> tuple[str, ...]:
    """Return the lines by which root gives a host these settings of the profile in `folder`."""
    sysctl = (
        [f"sudo sysctl -p {sysctl_file(folder)}"]
        if any(setting(key).form == "sysctl" for key, _ in settings)
        else []
    )
    return (
        *sysctl,
        *(f"sudo {setting(key).command(value)}" for key, value in settings if setting(key).form != "sysctl"),
    )


def _what_loads(native: Native, folder: Path, host_settings: Settings = ()) -> Loaded:
    here = resolved(native, folder)
    own = (*(name for name, _ in native.files), *(Path(library).name for library in native.libraries))
    names = tuple(str(folder.absolute() / name) for name in own)
    return Loaded(here.environment, here.arguments, names, host_settings)
