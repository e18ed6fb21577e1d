"""A profile's parameters within a file of the user's own, between two comments; all else in it stays as it is.

The file is Open MPI's mca-params.conf: `name = value`, of a name that comes twice the last line counts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from rankwise.core.errors import InputError
from rankwise.profiles import moving

BACKUP_SUFFIX = ".before-rankwise"
_BEGIN, _END = "# >>> rankwise", "# <<< rankwise"
_COMMENT = re.compile(r"(?<!\S)#.*")
Pairs = Sequence[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Conflict:
    """A parameter that the user's own lines and the profile set differently."""

    name: str
    line: int
    users: str
    profiles: str


def read(path: Path) -> str:
    """Return the text of a file, '' where there is none; bytes that are not UTF-8 are kept. Raises OSError."""
    try:
        return path.read_bytes().decode("utf-8", "surrogateescape")
    except FileNotFoundError:
        return ""


def merged(text: str, path: Path, title: str, pairs: Pairs, *, force: bool = False) -> tuple[str, list[Conflict]]:
    """Return the text with these parameters in place of those of an earlier profile, and what conflicts.

    What the user has set stays in force, and the profile's value of the same is a comment; with `force` it is the
    other way round. Raises InputError if a comment that ends a profile's lines is missing.
    """
    own = without(text, path)
    users = {name: (line, value) for line, name, value in assignments(own)}
    conflicts = [
        Conflict(name, *users[name], value) for name, value in pairs if name in users and users[name][1] != value
    ]
    kept = {} if force else {conflict.name: conflict for conflict in conflicts}
    lines = [
        f"# not set, line {kept[name].line} has {kept[name].users}: {name} = {value}" if name in kept
        else f"{name} = {value}"
        for name, value in pairs
    ]  # fmt: skip
    begin = f"{_BEGIN}: {title}; `rankwise profile export --remove` removes these lines"
    between = "" if not own or own.endswith("\n") else "\n"
    return own + between + "\n".join([begin, *lines, _END]) + "\n", conflicts


def without(text: str, path: Path) -> str:
    """Return the text without a profile's lines. Raises InputError if they do not end."""
    kept, begun = [], 0
    for number, line in enumerate(text.split("\n"), 1):
        if line.startswith(_BEGIN) and not begun:
            begun = number
        elif not begun:
            kept.append(line)
        elif line.startswith(_END):
            begun = 0
    if begun:
        raise InputError(
            f"{path}:{begun}: the lines of a profile begin here and do not end",
            f"put a line '{_END}' after the last",
        )
    return "\n".join(kept)


def holds(text: str) -> bool:
    """Return whether a profile's lines are in the text."""
    return any(line.startswith(_BEGIN) for line in text.split("\n"))


def assignments(text: str) -> Iterator[tuple[int, str, str]]:
    """Yield line, name and value of each assignment, in order."""
    for number, line in enumerate(text.split("\n"), 1):
        name, equals, value = _COMMENT.sub("", line).partition("=")
        if equals and name.strip():
            yield number, name.strip(), value.strip()


def put(path: Path, text: str) -> bool:
    """Write the text unless it is there, beside a backup of what the user had; return whether it was written.

    Raises OSError.
    """
    real, before = path.resolve(), read(path)
    if before == text:
        return False
    if before and not holds(before):
        moving.write_text(backup(path), before, like=real)
    moving.write_text(real, text, like=real)
    return True


def take_out(path: Path) -> bool:
    """Leave of the file what the user had, none if there was none; return whether anything was done.

    Raises InputError, OSError.
    """
    text = read(path)
    if not holds(text):
        return False
    own, kept = without(text, path), read(backup(path))
    if kept and own in (kept, f"{kept}\n"):
        own = kept
        backup(path).unlink()
    if own:
        moving.write_text(path.resolve(), own, like=path.resolve())
    else:
        path.unlink()
    return True


def backup(path: Path) -> Path:
    """Return where the user's own file is kept."""
    return path.with_name(path.name + BACKUP_SUFFIX)
