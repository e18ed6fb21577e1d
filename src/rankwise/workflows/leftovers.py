"""What a killed Rankwise left behind: processes, testbeds and files that belong to nobody any more."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

from rankwise.core import private, process
from rankwise.mpi.family import families
from rankwise.testbeds import running

_SHARED_MEMORY = Path("/dev/shm")


def clear() -> None:
    """End the processes and take down the testbeds whose owners are gone, and remove their files."""
    process.end_orphans()
    running.clear_left_over()
    private.clear_left()
    clear_shared_memory(_SHARED_MEMORY)


def clear_shared_memory(folder: Path) -> list[Path]:
    """Remove the files of this user's that an MPI names so and no process has open or mapped; return them.

    An MPI has them open or mapped from their first moment to the end of the job.
    """
    there = {}
    for pattern in {name_pattern for family in families().values() for name_pattern in family.shared_memory}:
        for path in folder.glob(pattern):
            with contextlib.suppress(FileNotFoundError):
                status = path.lstat()
                if status.st_uid == os.geteuid() and path.is_file() and not path.is_symlink():
                    there[status.st_dev, status.st_ino] = path
    if there:
        for used in _used_files():
            there.pop(used, None)
    for path in there.values():
        path.unlink(missing_ok=True)
    return sorted(there.values())


def _used_files() -> Iterator[tuple[int, int]]:
    """Device and inode of every file that a process has open or mapped.

    What is open is looked at before what is mapped: an MPI closes a file after it has mapped it.
    """
    for process_folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):  # it has ended, or it is another user's, who cannot have these
            for descriptor in (process_folder / "fd").iterdir():
                with contextlib.suppress(OSError):
                    status = descriptor.stat()
                    yield status.st_dev, status.st_ino
            for line in (process_folder / "maps").read_text(errors="replace").splitlines():
                _, _, _, device, inode, *_ = line.split()
                major, minor = (int(number, 16) for number in device.split(":"))
                yield os.makedev(major, minor), int(inode)
