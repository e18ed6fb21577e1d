"""What several processes of the tests would build at the same time, one builds, and the others wait for it."""

from __future__ import annotations

import fcntl
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def alone(name: str) -> Iterator[None]:
    """Within: no other process of this user's tests is in the block of this name."""
    path = Path(tempfile.gettempdir()) / f"rankwise-tests-{os.geteuid()}-{name}.lock"
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
