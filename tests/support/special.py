"""Programs that run with another user's rights, which loaders preload nothing into."""

from __future__ import annotations

import os
import shutil
import stat
from pathlib import Path

import pytest

NOBODY = 65534
needs_root = pytest.mark.skipif(os.getuid() != 0, reason="only root may give a program to somebody else")


def special_copy(program: Path, folder: Path, bit: int = stat.S_ISUID) -> Path:
    """Return a copy with the name `special` that is nobody's, and set-user-ID or what `bit` says."""
    copy = folder / "special"
    shutil.copy(program, copy)
    os.chown(copy, NOBODY, NOBODY)
    copy.chmod(0o755 | bit)
    return copy
