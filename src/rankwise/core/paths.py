"""Where Rankwise keeps things, by the XDG rules: installed MPIs and results (data), built kernels (cache).

Running testbeds alone are elsewhere: their folder is named the same for every process of the user.
"""

from __future__ import annotations

import contextlib
import os
import stat
from pathlib import Path

from rankwise.core.errors import HostError


def _home(variable: str, default: str) -> Path:
    value = os.environ.get(variable, "")
    return (Path(value) if value else Path.home() / default) / "rankwise"


def data_folder() -> Path:
    """Installed implementations and the default store: $XDG_DATA_HOME/rankwise."""
    return _home("XDG_DATA_HOME", ".local/share")


def cache_folder() -> Path:
    """Compiled kernels, safe to delete: $XDG_CACHE_HOME/rankwise."""
    return _home("XDG_CACHE_HOME", ".cache")


def runtime_folder() -> Path:
    """Return the folder of running testbeds: /tmp/rankwise-UID, made if it is not there.

    Short on purpose: sockets lie below it, whose paths may have 107 bytes; TMPDIR would lead elsewhere within a
    node. Others may look in, as jobs of `nobody` must. Raises HostError if it is not a folder of ours, or
    cannot be written.
    """
    folder = Path(f"/tmp/rankwise-{os.getuid()}")
    try:
        with contextlib.suppress(FileExistsError):
            folder.mkdir(mode=0o755)
        found = folder.lstat()
        if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid():
            raise HostError(f"{folder} is not a folder of this user", f"remove it: rm -rf {folder}")
        folder.chmod(0o755)
    except OSError as error:
        raise HostError(
            f"cannot use {folder}, where running testbeds are kept: {error.strerror}", "make /tmp writable"
        ) from error
    return folder


STORE_VARIABLE = "RANKWISE_STORE"


def store_path() -> Path:
    """Return the results file: $RANKWISE_STORE, or `results.sqlite` in the data folder."""
    value = os.environ.get(STORE_VARIABLE, "")
    return Path(value) if value else data_folder() / "results.sqlite"
