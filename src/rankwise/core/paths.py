"""Where Rankwise keeps things, by the XDG rules: installed MPIs and results (data), built kernels (cache).

Running testbeds alone are elsewhere: their folder is named the same for every process of the user.
"""

from __future__ import annotations

import contextlib
import logging
import os
import pwd
import re
import secrets
import stat
import time
from pathlib import Path

from rankwise.core.errors import HostError, InputError

_LOG = logging.getLogger(__name__)


def _home(variable: str, default: str) -> Path:
    value = os.environ.get(variable, "")
    try:
        return (Path(value) if value else Path.home() / default) / "rankwise"
    except RuntimeError as error:
        raise HostError("this user has no home folder", "set HOME to a folder that can be written") from error


def complete_environment() -> None:
    """Set HOME where it is not: some MPIs' programs do nothing without. Raises InputError in a deleted folder."""
    if not os.environ.get("HOME"):
        with contextlib.suppress(KeyError):  # a user whom the system does not know
            os.environ["HOME"] = pwd.getpwuid(os.getuid()).pw_dir
    try:
        Path.cwd()
    except OSError as error:
        raise InputError(
            f"cannot use the current folder: {error.strerror}", "cd to a folder that is there"
        ) from error


def data_folder() -> Path:
    """Installed implementations and the default store: $XDG_DATA_HOME/rankwise."""
    return _home("XDG_DATA_HOME", ".local/share")


def cache_folder() -> Path:
    """Compiled kernels, safe to delete: $XDG_CACHE_HOME/rankwise."""
    return _home("XDG_CACHE_HOME", ".cache")


def runtime_folder() -> Path:
    """Return the folder of running testbeds and jobs: /tmp/rankwise-UID, made if it is not there.

    Where another user has taken that name it is /tmp/rankwise-UID-TIME-RANDOM, which all processes of this user
    find by its owner; the one who makes it reports that.

    Short on purpose: sockets lie below it, whose paths may have 107 bytes; TMPDIR would lead elsewhere within a
    node. Others may look in, as jobs of `nobody` must. Raises HostError if it cannot be written.
    """
    usual = Path(f"/tmp/rankwise-{os.getuid()}")
    try:
        return next((folder for folder in (usual, *_others(usual)) if _is_ours(folder)), None) or _made(usual)
    except OSError as error:
        raise HostError(
            f"cannot use {usual}, where running testbeds are kept: {error.strerror}", "make /tmp writable"
        ) from error


def _others(usual: Path) -> list[Path]:
    """The names that were taken in place of this one, the oldest first."""
    name = re.compile(re.escape(usual.name) + r"-[0-9a-f]{16}-[0-9a-f]{8}")
    return sorted(folder for folder in usual.parent.glob(f"{usual.name}-*") if name.fullmatch(folder.name))


def _made(usual: Path) -> Path:
    """The folder of this name or, if that is taken, of one that nobody can take beforehand."""
    with contextlib.suppress(FileExistsError):
        usual.mkdir(mode=0o755)
    if _is_ours(usual):
        return usual
    other = usual.with_name(f"{usual.name}-{time.time_ns():016x}-{secrets.token_hex(4)}")
    other.mkdir(mode=0o755)
    oldest = next(filter(_is_ours, _others(usual)))
    if oldest != other:  # another process of this user was faster
        other.rmdir()
        return oldest
    _LOG.warning("warning: %s is not a folder of this user: %s is used in its place", usual, other)
    return other


def _is_ours(folder: Path) -> bool:
    """Whether it is a folder, no link, and this user's: nobody else can write to it then, and all can look in."""
    try:
        status = folder.lstat()
    except FileNotFoundError:
        return False
    if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.getuid():
        return False
    if stat.S_IMODE(status.st_mode) != 0o755:
        folder.chmod(0o755)
    return True


STORE_VARIABLE = "RANKWISE_STORE"


def store_path() -> Path:
    """Return the results file: $RANKWISE_STORE, or `results.sqlite` in the data folder."""
    value = os.environ.get(STORE_VARIABLE, "")
    return Path(value) if value else data_folder() / "results.sqlite"
