"""`profile.toml`: a whole profile in one file, and the folder in which its native files were last written."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from rankwise.core.errors import InputError
from rankwise.core.toml_places import Entry, parse
from rankwise.core.toml_records import to_plain, to_record
from rankwise.core.toml_text import toml_text
from rankwise.core.tuning import Profile

FILE = "profile.toml"
FORMAT = 1
_HEADER = """\
# A profile of Rankwise: README.md beside it says in words what it does and how it is loaded.
# @FOLDER@ stands for the folder with an implementation's files. Those files are what is loaded: to try
# something by hand, edit them and not the copies here.
"""
_FOLDER_LINE = re.compile(r"^folder = .*$", re.MULTILINE)
_NAME = re.compile(r"[A-Za-z0-9_][\w.+-]*", re.ASCII)


@dataclass(frozen=True, slots=True)
class Stored:
    """A profile as found on disk."""

    profile: Profile
    folder: Path
    """Where it is, as an absolute path without links ..."""
    written_in: str
    """... and where it was when its files were written: they may name that folder."""


def is_name(text: str) -> bool:
    """Return whether a profile, a part of it or a file can be called so: it becomes a part of paths."""
    return _NAME.fullmatch(text) is not None


def profile_text(profile: Profile, folder: Path) -> str:
    """Return the file's text for a profile that lies in `folder`."""
    plain = to_plain(profile)
    topology = {"topology": plain.pop("topology")} if "topology" in plain else {}
    return _HEADER + toml_text({"format": FORMAT, "folder": str(folder), **plain, **topology})


def with_folder(text: str, folder: Path) -> str:
    """Return the same text, which may have been edited, for a profile that has come to lie in `folder`."""
    line = toml_text({"folder": str(folder)}).rstrip("\n")
    return _FOLDER_LINE.sub(lambda _: line, text, count=1)


def read(folder: Path) -> Stored:
    """Return the profile in `folder`. Raises InputError with file, line and key for what cannot be read."""
    path = folder / FILE
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise InputError(
            f"cannot read {path}: {reason}", "give the name or the folder of a profile: rankwise profile list"
        ) from error
    top = parse(text, str(path))
    number = top.value.pop("format", Entry(None, "format", str(path), 1))
    if number.value != FORMAT:
        raise number.refused(
            f"this Rankwise reads profiles of format {FORMAT}, not {number.value}",
            "a newer Rankwise may have written it: use that one, or tune again",
        )
    written_in = top.value.pop("folder", Entry("", "folder", str(path), 1))
    if not isinstance(written_in.value, str):
        raise written_in.refused("must be a string", "correct that line")
    profile = to_record(Profile, top)
    for index, part in enumerate(profile.parts):
        entry = top.value["parts"].value[index]
        pieces = (piece for library in part.native.libraries for piece in library.split("/"))
        for name in (part.implementation, *(name for name, _ in part.native.files), *pieces):
            if not is_name(name):
                raise entry.refused(f"'{name}' cannot be the name of a file", "use letters, digits, '-', '.', '_'")
    return Stored(profile, folder.resolve(), written_in.value)
