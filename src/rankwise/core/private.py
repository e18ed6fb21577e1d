"""Files and folders that other users can neither change, lead elsewhere, nor take the name of beforehand.

Those that live as long as this process lie below the runtime folder and are named after it: a later Rankwise finds
what a killed one left.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path

from rankwise.core import paths, process
from rankwise.core.errors import HostError, InputError

_OF_OTHERS = stat.S_IWGRP | stat.S_IWOTH


@contextlib.contextmanager
def secret(text: str) -> Iterator[Path]:
    """Yield a file with this text that only this user can read, and remove it afterwards. Raises HostError."""
    descriptor, name = tempfile.mkstemp(prefix=f"{_prefix()}key-", dir=paths.runtime_folder())
    file = Path(name)
    try:
        with os.fdopen(descriptor, "w") as stream:
            stream.write(text)
        yield file
    finally:
        file.unlink(missing_ok=True)


@contextlib.contextmanager
def folder_of(user: int) -> Iterator[Path]:
    """Yield a new folder that only the processes of this user can use, and remove it afterwards.

    The user cannot rename it. Raises HostError.
    """
    folder = Path(tempfile.mkdtemp(prefix=f"{_prefix()}folder-", dir=paths.runtime_folder()))
    try:
        if user != os.geteuid():
            os.chown(folder, user, user)
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextlib.contextmanager
def opened(folder: Path) -> Iterator[int]:
    """Make this folder if it is not there, and yield its descriptor; only this user can write to it from now on.

    Raises InputError for a link or a folder of another user, OSError.
    """
    folder.parent.mkdir(parents=True, exist_ok=True)
    with contextlib.suppress(FileExistsError):
        folder.mkdir(mode=0o755)
    if folder.is_symlink():
        raise InputError(f"{folder} is a link", f"name the folder itself: {folder.resolve()}")
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        status = os.fstat(descriptor)
        if status.st_uid != os.geteuid():
            raise InputError(f"{folder} belongs to another user", "name a folder of your own")
        if status.st_mode & _OF_OTHERS:
            os.fchmod(descriptor, stat.S_IMODE(status.st_mode) & ~_OF_OTHERS)
        yield descriptor
    finally:
        os.close(descriptor)


def create(folder: int, name: str) -> int:
    """Return the descriptor of a new file in the folder with this descriptor. Raises OSError if there is one."""
    return os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o644, dir_fd=folder)


@contextlib.contextmanager
def written_by(user: int, folder: Path) -> Iterator[Path]:
    """Yield the folder where processes of this user write what is to be in `folder`, which is our own.

    Those of another user have one of their own; in the end there are copies in ours. Raises HostError.
    """
    if user == os.geteuid():
        yield folder
        return
    with folder_of(user) as theirs:
        try:
            yield theirs
        finally:
            try:
                with opened(folder) as ours:
                    _copy_files(theirs, user, ours)
            except OSError as error:
                raise HostError(
                    f"cannot write to {folder}: {error.strerror}", "make room, or name another folder"
                ) from error


def _copy_files(theirs: Path, user: int, ours: int) -> None:
    """Regular files alone, which have no other name: nobody can have put one of this user's there."""
    source = os.open(theirs, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        os.fchown(source, os.geteuid(), -1)  # from now on nobody else changes what is in it
        for name in sorted(os.listdir(source)):  # noqa: PTH208 - a descriptor
            with contextlib.suppress(FileNotFoundError):
                status = os.stat(name, dir_fd=source, follow_symlinks=False)
                if not stat.S_ISREG(status.st_mode) or status.st_uid != user or status.st_nlink != 1:
                    continue
                descriptor = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=source)
                with open(descriptor, "rb") as stream, open(create(ours, name), "wb") as copy:  # noqa: PTH123
                    shutil.copyfileobj(stream, copy)
    finally:
        os.close(source)


def clear_left() -> None:
    """Remove what Rankwises that were killed have left."""
    with contextlib.suppress(HostError, OSError):
        for path in paths.runtime_folder().iterdir():
            if (owner := _OURS.fullmatch(path.name)) and owner[1] == _space() and not process.is_alive(owner[2]):
                if path.is_dir() and not path.is_symlink():
                    shutil.rmtree(path, ignore_errors=True)
                else:
                    path.unlink(missing_ok=True)


_OURS = re.compile(r"\.([0-9a-f]+)-(\d+-\d+)-(?:key|folder)-\w+")


def _prefix() -> str:
    return f".{_space()}-{process.identity(os.getpid())}-"


def _space() -> str:
    """Of process ids: in another one (of a container) an owner that lives there would seem to be dead."""
    return f"{Path('/proc/self/ns/pid').stat().st_ino:x}"
