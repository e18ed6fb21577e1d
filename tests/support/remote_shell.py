"""The remote shell of an emulated testbed, for tests: run a command on a node, or start one and end it."""

import contextlib
import subprocess
from collections.abc import Iterator
from pathlib import Path


def rsh(folder: Path, *argv: str, stdin: str = "", **options: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(folder / "rsh"), *argv], input=stdin, capture_output=True, text=True, timeout=30, check=False,
        **options,  # type: ignore[call-overload]
    )  # fmt: skip


@contextlib.contextmanager
def started(folder: Path, *argv: str) -> Iterator[subprocess.Popen[bytes]]:
    with subprocess.Popen([str(folder / "rsh"), *argv], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as child:
        try:
            yield child
        finally:
            child.kill()
